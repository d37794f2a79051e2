import { Option, type Command } from 'commander';
import { executionStatuses, triggerTypes } from '../contract/execution.ts';
import type { ConnectOptions } from './connect.ts';
import type { LoadCommand } from './command-builders.ts';
import { addConnectionCommands } from './connection-commands.ts';
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
      .option('--page <n>', 'which page, from 1')
      .option('--limit <n>', 'how many on a page, up to 100 (20)')
      .option('--all', 'all pages');
  const deleting = (command: Command): Command =>
    command.option('-y, --yes', 'without asking; needed without a terminal');
  const waiting = (command: Command): Command =>
    command
      .option('-w, --wait', 'wait for the end; a failure is exit code 1')
      .option('-f, --follow', 'wait, and print the progress of each node')
      .option('--timeout <duration>', 'with --wait: for so long at most, such as 5m');

  const login = () => import('./commands/login.ts');
  does(
    program
      .command('login')
      .description('Log in at a service, and keep the credential for later commands')
      .option('--email <email>', 'whose password is asked for, or read from WEFT_PASSWORD or standard input')
      .option('--api-key', 'with an API key instead: asked for, or read from WEFT_API_KEY or standard input'),
    async () => (await login()).login,
  );
  does(
    program.command('logout').description('End the session and forget the credential'),
    async () => (await login()).logout,
  );
  does(
    program.command('whoami').description('Who you are, where, and with which credential'),
    async () => (await login()).whoami,
  );
  const profiles = program.command('profiles').description('Services that you are logged in at');
  does(profiles.command('list').description('List them'), async () => (await login()).listProfiles);
  does(
    profiles.command('use').description('Make one the current one').argument('<name>'),
    async () => (await login()).switchProfile,
  );

  const workflows = program
    .command('workflows')
    .alias('workflow')
    .description('List, show, switch on and off, delete');
  const ofWorkflows = () => import('./commands/workflows.ts');
  does(
    listing(workflows.command('list').description('List your workflows, newest first unless --sort is given'))
      .addOption(new Option('--status <status>').choices(['active', 'inactive', 'draft']))
      .option('--search <text>', 'in name or description')
      .option('--tag <tag>')
      .addOption(new Option('--sort <field>').choices(['name', 'created_at', 'updated_at', 'last_execution']))
      .addOption(new Option('--direction <direction>', 'asc or desc').choices(['asc', 'desc'])),
    async () => (await ofWorkflows()).listWorkflows,
  );
  const one = (name: string, text: string): Command =>
    workflows.command(name).description(text).argument('<workflow>', 'its id or name');
  does(one('get', 'Show one, with its nodes and triggers'), async () => (await ofWorkflows()).getWorkflow);
  does(
    deleting(one('delete', 'Delete one with its history; it can be restored without its history')).option(
      '--permanent',
      'so that it cannot be restored; also for one that is already deleted',
    ),
    async () => (await ofWorkflows()).deleteWorkflow,
  );
  does(
    listing(workflows.command('deleted').description('List the deleted ones that can be restored')),
    async () => (await ofWorkflows()).listDeleted,
  );
  does(
    one('undelete', 'Restore a deleted one, without its history'),
    async () => (await ofWorkflows()).undeleteWorkflow,
  );
  does(one('activate', 'Switch its triggers on'), async () => (await ofWorkflows()).setStatus('active'));
  does(one('deactivate', 'Switch its triggers off'), async () => (await ofWorkflows()).setStatus('inactive'));
  does(
    one('publish', 'Make the newest version the one that triggers run'),
    async () => (await ofWorkflows()).publishWorkflow,
  );
  does(listing(one('versions', 'List its versions')), async () => (await ofWorkflows()).listVersions);
  does(
    one('restore', 'Save an old version again as the newest one').argument('<version>'),
    async () => (await ofWorkflows()).restoreVersion,
  );

  does(
    program
      .command('apply')
      .description('Make the workflows match files: create or update them; with --prune, delete others')
      .argument('[files...]', 'files, folders with .json files, or - for standard input')
      .option('-f, --file <file...>', 'the same')
      .option('--dry-run', 'only show what would change; exits as apply would')
      .option('--detailed-exitcode', 'with --dry-run: exit code 9 when something would change')
      .option('--group <name>', 'mark the workflows that are created as owned by this group of files')
      .option('--prune', 'delete the workflows of the group that no file names')
      .option('-y, --yes', 'with --prune: without asking; needed without a terminal'),
    async () => (await import('./commands/apply/apply.ts')).applyFiles,
  );
  does(
    program
      .command('export')
      .description('Export workflows as files for weft apply')
      .argument('[workflows...]', 'ids or names')
      .option('--all', 'all of yours')
      .option('-o, --output <folder>', 'a file for each, instead of standard output'),
    async () => (await import('./commands/export.ts')).exportWorkflows,
  );
  does(
    waiting(
      program
        .command('run')
        .description('Run a workflow')
        .argument('<workflow>', 'its id or name')
        .option('-i, --input <json>', 'a file, - for standard input, or JSON itself')
        .option('--until <node>', 'run only the nodes that lead to this node')
        .option('--idempotency-key <key>', 'the same key and input get the same execution for 24 h'),
    ),
    async () => (await import('./commands/run.ts')).runWorkflow,
  );

  does(
    program
      .command('statistics')
      .description('Executions that have ended and their duration over time, of all your workflows or of one')
      .argument('[workflow]', 'its id or name')
      .addOption(
        new Option('--interval <interval>', 'the length of an interval (hour)').choices(['hour', 'day']),
      )
      .option('--from <time>', 'the first interval, ISO 8601 (24 hours or 30 days before the end)')
      .option('--to <time>', 'the end, ISO 8601 (now)'),
    async () => (await import('./commands/statistics.ts')).showStatistics,
  );

  const executions = program.command('executions').alias('execution').description('List, show, stop, retry');
  const ofExecutions = () => import('./commands/executions.ts');
  does(
    listing(executions.command('list').description('List your executions, newest first'))
      .option('--workflow <workflow>', 'of this one: its id or name')
      .addOption(new Option('--status <status>').choices(executionStatuses))
      .option(
        '--search <text>',
        'the beginning of an id; or words in the error message, or in input and outputs',
      )
      .option('--failed-node <node>', 'failed at this node')
      .addOption(new Option('--trigger <type>', 'started by it').choices(triggerTypes))
      .option('--from <time>', 'begun at or after it, ISO 8601')
      .option('--to <time>', 'begun before it'),
    async () => (await ofExecutions()).listExecutions,
  );
  does(
    executions.command('get').description('Show one, with its node runs').argument('<id>'),
    async () => (await ofExecutions()).getExecution,
  );
  does(
    executions.command('stop').description('Stop one').argument('<id>'),
    async () => (await ofExecutions()).stopExecution,
  );
  does(
    waiting(
      executions
        .command('retry')
        .description('Run one again, from where it failed')
        .argument('<id>')
        .option('--from <where>', 'failed (unless given), start, or a node')
        .option('-i, --input <json>', 'of the node it begins with: a file, -, or JSON itself')
        .option('--current', 'with the workflow of now instead of the one of then'),
    ),
    async () => (await ofExecutions()).retryExecution,
  );
  does(
    program
      .command('logs')
      .description('Show the log of an execution')
      .argument('<id>')
      .option('-f, --follow', 'continue until the execution ends')
      .addOption(new Option('--level <level>', 'only these').choices(['debug', 'info', 'warning', 'error']))
      .option('--node <id>', 'only of this node'),
    async () => (await ofExecutions()).showLogs,
  );

  const keys = program.command('keys').description('API keys');
  const ofKeys = () => import('./commands/keys.ts');
  does(
    listing(keys.command('list').description('List your API keys')),
    async () => (await ofKeys()).listKeys,
  );
  does(
    keys
      .command('create')
      .description('Make one; it is printed this once')
      .argument('<name>')
      .option('--scope <scope...>', 'a permission, such as executions:read; default: all of yours')
      .option('--expires <when>', 'a duration such as 90d, or a time; never, unless given'),
    async () => (await ofKeys()).createKey,
  );
  does(
    deleting(keys.command('delete').description('Delete one').argument('<id>')),
    async () => (await ofKeys()).deleteKey,
  );

  const secrets = program
    .command('secrets')
    .alias('secret')
    .description('Values that workflows use and that are never shown');
  const ofSecrets = () => import('./commands/secrets.ts');
  does(
    listing(secrets.command('list').description('List their names')),
    async () => (await ofSecrets()).listSecrets,
  );
  does(
    secrets
      .command('set')
      .description('Store or replace one; the value is asked for, or read from standard input')
      .argument('<name>')
      .option('--host <host...>', 'the only hosts that it is sent to')
      .option('--description <text>'),
    async () => (await ofSecrets()).setSecret,
  );
  does(
    deleting(secrets.command('delete').description('Delete one').argument('<name>')),
    async () => (await ofSecrets()).deleteSecret,
  );

  addConnectionCommands(program, { does, listing, deleting });

  addNodeCommands(program, terminal, finish, { does, listing, deleting });

  const templates = program.command('templates').alias('template').description('Workflows to begin with');
  const ofTemplates = () => import('./commands/templates.ts');
  does(
    listing(templates.command('list').description('List them')).option('--search <text>'),
    async () => (await ofTemplates()).listTemplates,
  );
  does(
    templates.command('get').description('Show one, with its parameters').argument('<name>'),
    async () => (await ofTemplates()).getTemplate,
  );
  does(
    templates
      .command('use')
      .description('Make a workflow of one')
      .argument('<name>')
      .option('--set <name=value...>', 'parameters')
      .option('--parameters <json>', 'all of them: a file, -, or JSON itself'),
    async () => (await ofTemplates()).useTemplate,
  );
  does(
    templates
      .command('create')
      .description('Register one')
      .requiredOption('-f, --file <file>', 'its JSON, or -'),
    async () => (await ofTemplates()).createTemplate,
  );
  does(
    deleting(templates.command('delete').description('Delete one of yours').argument('<name>')),
    async () => (await ofTemplates()).deleteTemplate,
  );

  const users = program.command('users').description('Accounts, for administrators');
  const ofUsers = () => import('./commands/users.ts');
  const person = (command: Command): Command =>
    command
      .option('--name <name>')
      .addOption(new Option('--role <role>').choices(['admin', 'member']))
      .addOption(new Option('--plan <plan>').choices(['standard', 'pro', 'enterprise']));
  does(listing(users.command('list').description('List them')), async () => (await ofUsers()).listUsers);
  does(
    users.command('get').description('Show one').argument('<user>', 'id or email'),
    async () => (await ofUsers()).getUser,
  );
  does(
    person(
      users
        .command('create')
        .description('Make one; the password is asked for, or read from WEFT_PASSWORD or standard input')
        .argument('<email>'),
    ),
    async () => (await ofUsers()).createUser,
  );
  does(
    person(users.command('update').description('Change one').argument('<user>', 'id or email'))
      .option('--email <email>')
      .option('--password', 'a new one, asked for or read as above'),
    async () => (await ofUsers()).updateUser,
  );
  does(
    deleting(
      users
        .command('delete')
        .description('Delete one with everything owned')
        .argument('<user>', 'id or email'),
    ),
    async () => (await ofUsers()).deleteUser,
  );

  does(
    program.command('health').description('Whether the service is well; exit code 1 when not'),
    async () => (await import('./commands/health.ts')).showHealth,
  );
}
