import { Option, type Command } from 'commander';
import { executionStatuses, triggerTypes } from '../contract/execution.ts';
import type { ConnectOptions } from './connect.ts';
import type { LoadCommand } from './command-builders.ts';
import { addConnectionCommands } from './connection-commands.ts';
import { addAuditCommand } from './audit-commands.ts';
import { addDecisionCommands } from './decision-commands.ts';
import { addThreadCommands, addVectorCommands } from './thread-commands.ts';
import { addUsageCommands } from './usage/usage-commands.ts';
import { addNodeCommands } from './node-commands.ts';
import { createRunContext } from './run-context.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Adds the commands that call the service. `finish` gets the exit code. */
export function addCommands(program: Command, terminal: Terminal, finish: (code: number) => void): void {
  /** Adds the shared options to a command, and runs what `load` returns. */
  function does<Options extends object>(command: Command, load: LoadCommand<Options>): Command {
    return command.action(async (...given: unknown[]) => {
      const options = command.optsWithGlobals<Options & ConnectOptions>();
      const context = createRunContext(terminal, options, terminal.interrupts());
      const run = await load();
      // Commander passes the arguments, then the options, then the command.
      const texts = given
        .slice(0, -2)
        .flatMap((one) => (one === undefined ? [] : (one as string | string[])));
      finish((await run(context, options, ...texts)) ?? 0);
    });
  }
  const listing = (command: Command): Command =>
    command
      .option('--page <n>', 'page number, from 1')
      .option('--limit <n>', 'items per page, up to 100 (default: 20)')
      .option('--all', 'return all pages');
  const deleting = (command: Command): Command =>
    command.option('-y, --yes', 'do not ask for confirmation; required without a terminal');
  const waiting = (command: Command): Command =>
    command
      .option('-w, --wait', 'wait until the execution ends; exits with 1 if it fails')
      .option('-f, --follow', 'wait, and print the progress of each node')
      .option('--timeout <duration>', 'maximum time to wait, such as 5m');

  const login = () => import('./commands/login.ts');
  does(
    program
      .command('login')
      .description('Log in to a service and save the credential for later commands')
      .option(
        '--email <email>',
        'email of the account; the password is prompted for, or read from WEFT_PASSWORD or standard input',
      )
      .option(
        '--api-key',
        'use an API key instead: prompted for, or read from WEFT_API_KEY or standard input',
      ),
    async () => (await login()).login,
  );
  does(
    program.command('logout').description('End the session and delete the saved credential'),
    async () => (await login()).logout,
  );
  does(
    program.command('whoami').description('Show the current user, service and credential'),
    async () => (await login()).whoami,
  );
  const profiles = program.command('profiles').description('Manage saved logins');
  does(profiles.command('list').description('List profiles'), async () => (await login()).listProfiles);
  does(
    profiles.command('use').description('Select the current profile').argument('<name>'),
    async () => (await login()).switchProfile,
  );

  const workflows = program.command('workflows').alias('workflow').description('Manage workflows');
  const ofWorkflows = () => import('./commands/workflows.ts');
  does(
    listing(workflows.command('list').description('List your workflows, newest first by default'))
      .addOption(new Option('--status <status>').choices(['active', 'inactive', 'draft']))
      .option('--search <text>', 'filter by name or description')
      .option('--tag <tag>')
      .addOption(new Option('--sort <field>').choices(['name', 'created_at', 'updated_at', 'last_execution']))
      .addOption(new Option('--direction <direction>', 'asc or desc').choices(['asc', 'desc'])),
    async () => (await ofWorkflows()).listWorkflows,
  );
  const one = (name: string, text: string): Command =>
    workflows.command(name).description(text).argument('<workflow>', 'id or name of the workflow');
  does(
    one('get', 'Show a workflow with its nodes and triggers'),
    async () => (await ofWorkflows()).getWorkflow,
  );
  does(
    deleting(
      one('delete', 'Delete a workflow and its history; the workflow can be restored, its history cannot'),
    ).option('--permanent', 'delete permanently, also a workflow that is already deleted'),
    async () => (await ofWorkflows()).deleteWorkflow,
  );
  does(
    listing(workflows.command('deleted').description('List deleted workflows that can be restored')),
    async () => (await ofWorkflows()).listDeleted,
  );
  does(
    one('undelete', 'Restore a deleted workflow, without its history'),
    async () => (await ofWorkflows()).undeleteWorkflow,
  );
  does(one('activate', 'Activate the triggers of a workflow'), async () =>
    (await ofWorkflows()).setStatus('active'),
  );
  does(one('deactivate', 'Deactivate the triggers of a workflow'), async () =>
    (await ofWorkflows()).setStatus('inactive'),
  );
  does(one('publish', 'Make the newest version live'), async () => (await ofWorkflows()).publishWorkflow);
  does(
    listing(one('versions', 'List the versions of a workflow')),
    async () => (await ofWorkflows()).listVersions,
  );
  does(
    one('restore', 'Save an earlier version as the newest one').argument('<version>'),
    async () => (await ofWorkflows()).restoreVersion,
  );

  does(
    program
      .command('apply')
      .description('Create or update workflows from files; with --prune, delete other workflows')
      .argument('[files...]', 'files, folders of .json files, or - for standard input')
      .option('-f, --file <file...>', 'same as the arguments')
      .option('--dry-run', 'show changes without applying them; same exit codes as without it')
      .option('--detailed-exitcode', 'with --dry-run: exit with 9 if there are changes')
      .option('--group <name>', 'group that created workflows belong to')
      .option('--prune', 'delete workflows of the group that are not in the files')
      .option('-y, --yes', 'with --prune: do not ask for confirmation; required without a terminal'),
    async () => (await import('./commands/apply/apply.ts')).applyFiles,
  );
  does(
    program
      .command('export')
      .description('Export workflows to files for weft apply')
      .argument('[workflows...]', 'ids or names')
      .option('--all', 'export all your workflows')
      .option('-o, --output <folder>', 'write one file per workflow, instead of standard output'),
    async () => (await import('./commands/export.ts')).exportWorkflows,
  );
  does(
    waiting(
      program
        .command('run')
        .description('Run a workflow')
        .argument('<workflow>', 'id or name of the workflow')
        .option('-i, --input <json>', 'a file, - for standard input, or a JSON value')
        .option('--until <node>', 'run only the nodes that lead to this node')
        .option('--pins <json>', 'outputs by node id, used instead of running the node: a file, -, or JSON')
        .option('--pin-ports <json>', 'the output ports of --pins, as lists by node id: a file, -, or JSON')
        .option(
          '--definition <json>',
          'run this definition as a test, without saving it: a file, - for standard input, or a JSON value',
        )
        .option(
          '--idempotency-key <key>',
          'return the same execution for the same key and input for 24 hours',
        ),
    ),
    async () => (await import('./commands/run.ts')).runWorkflow,
  );

  does(
    program
      .command('statistics')
      .description('Show the number and duration of ended executions over time')
      .argument('[workflow]', 'id or name of the workflow')
      .addOption(
        new Option('--interval <interval>', 'length of an interval (default: hour)').choices(['hour', 'day']),
      )
      .option('--from <time>', 'start, ISO 8601 (default: 24 hours or 30 days before the end)')
      .option('--to <time>', 'end, ISO 8601 (default: now)'),
    async () => (await import('./commands/statistics.ts')).showStatistics,
  );

  const executions = program.command('executions').alias('execution').description('Manage executions');
  const ofExecutions = () => import('./commands/executions.ts');
  does(
    listing(executions.command('list').description('List your executions, newest first'))
      .option('--workflow <workflow>', 'id or name of the workflow')
      .addOption(new Option('--status <status>').choices(executionStatuses))
      .option(
        '--search <text>',
        'the beginning of an id; or words in the error message, or in input and outputs',
      )
      .option('--failed-node <node>', 'the node that failed')
      .addOption(new Option('--trigger <type>', 'type of the trigger').choices(triggerTypes))
      .option('--from <time>', 'started at or after this time, ISO 8601')
      .option('--to <time>', 'started before this time'),
    async () => (await ofExecutions()).listExecutions,
  );
  does(
    executions.command('get').description('Show an execution with its node runs').argument('<id>'),
    async () => (await ofExecutions()).getExecution,
  );
  does(
    executions.command('stop').description('Stop an execution').argument('<id>'),
    async () => (await ofExecutions()).stopExecution,
  );
  does(
    waiting(
      executions
        .command('retry')
        .description('Retry an execution from the node that failed')
        .argument('<id>')
        .option(
          '--from <where>',
          'failed (default), start, a node id, or a path in a body, such as "loop[7]/call" or "loop[7]"',
        )
        .option('-i, --input <json>', 'input of the first node: a file, -, or a JSON value')
        .option('--current', 'use the current version of the workflow instead of the original one'),
    ),
    async () => (await ofExecutions()).retryExecution,
  );
  does(
    program
      .command('logs')
      .description('Show the log of an execution')
      .argument('<id>')
      .option('-f, --follow', 'follow the log until the execution ends')
      .addOption(
        new Option('--level <level>', 'only entries of this level').choices([
          'debug',
          'info',
          'warning',
          'error',
        ]),
      )
      .option('--node <id>', 'only entries of this node'),
    async () => (await ofExecutions()).showLogs,
  );

  const keys = program.command('keys').description('Manage API keys');
  const ofKeys = () => import('./commands/keys.ts');
  does(
    listing(keys.command('list').description('List your API keys')),
    async () => (await ofKeys()).listKeys,
  );
  does(
    keys
      .command('create')
      .description('Create an API key; the key is shown only once')
      .argument('<name>')
      .option('--scope <scope...>', 'scope, such as executions:read (default: all your scopes)')
      .option('--expires <when>', 'a duration such as 90d, or a time (default: never)'),
    async () => (await ofKeys()).createKey,
  );
  does(
    deleting(keys.command('delete').description('Delete an API key').argument('<id>')),
    async () => (await ofKeys()).deleteKey,
  );

  const secrets = program.command('secrets').alias('secret').description('Manage secrets');
  const ofSecrets = () => import('./commands/secrets.ts');
  does(
    listing(secrets.command('list').description('List the names of secrets')),
    async () => (await ofSecrets()).listSecrets,
  );
  does(
    secrets
      .command('set')
      .description('Create or replace a secret; the value is prompted for, or read from standard input')
      .argument('<name>')
      .option('--host <host...>', 'hosts that may receive the secret')
      .option('--description <text>'),
    async () => (await ofSecrets()).setSecret,
  );
  does(
    deleting(secrets.command('delete').description('Delete a secret').argument('<name>')),
    async () => (await ofSecrets()).deleteSecret,
  );

  addDecisionCommands(program, { does, listing });
  addThreadCommands(program, { does, listing, deleting });
  addVectorCommands(program, { does, listing, deleting });
  addUsageCommands(program, { does });

  addAuditCommand(program, { does, listing });

  addConnectionCommands(program, { does, listing, deleting });

  addNodeCommands(program, terminal, finish, { does, listing, deleting });

  const templates = program.command('templates').alias('template').description('Manage workflow templates');
  const ofTemplates = () => import('./commands/templates.ts');
  does(
    listing(templates.command('list').description('List templates')).option('--search <text>'),
    async () => (await ofTemplates()).listTemplates,
  );
  does(
    templates.command('get').description('Show a template with its parameters').argument('<name>'),
    async () => (await ofTemplates()).getTemplate,
  );
  does(
    templates
      .command('use')
      .description('Create a workflow from a template')
      .argument('<name>')
      .option('--set <name=value...>', 'parameters')
      .option('--parameters <json>', 'all parameters: a file, -, or a JSON value'),
    async () => (await ofTemplates()).useTemplate,
  );
  does(
    templates
      .command('create')
      .description('Create a template')
      .requiredOption('-f, --file <file>', 'JSON file, or - for standard input'),
    async () => (await ofTemplates()).createTemplate,
  );
  does(
    deleting(
      templates.command('delete').description('Delete a template that you created').argument('<name>'),
    ),
    async () => (await ofTemplates()).deleteTemplate,
  );

  const users = program.command('users').description('Manage users (administrators only)');
  const ofUsers = () => import('./commands/users.ts');
  const person = (command: Command): Command =>
    command
      .option('--name <name>')
      .addOption(new Option('--role <role>').choices(['admin', 'member']))
      .addOption(new Option('--plan <plan>').choices(['standard', 'pro', 'enterprise']));
  does(listing(users.command('list').description('List users')), async () => (await ofUsers()).listUsers);
  does(
    users.command('get').description('Show a user').argument('<user>', 'id or email'),
    async () => (await ofUsers()).getUser,
  );
  does(
    person(
      users
        .command('create')
        .description(
          'Create a user; the password is prompted for, or read from WEFT_PASSWORD or standard input',
        )
        .argument('<email>'),
    ),
    async () => (await ofUsers()).createUser,
  );
  does(
    person(users.command('update').description('Update a user').argument('<user>', 'id or email'))
      .option('--email <email>')
      .option('--password', 'set a new password, prompted for or read as above'),
    async () => (await ofUsers()).updateUser,
  );
  does(
    deleting(
      users
        .command('delete')
        .description('Delete a user and everything the user owns')
        .argument('<user>', 'id or email'),
    ),
    async () => (await ofUsers()).deleteUser,
  );

  does(
    program.command('health').description('Check the health of the service; exits with 1 if it is unhealthy'),
    async () => (await import('./commands/health.ts')).showHealth,
  );
}
