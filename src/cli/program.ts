import { Argument, Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import type { Shell } from './completion/completion.ts';
import { addCommands } from './commands.ts';
import { requireServiceNode } from './service-node.ts';
import type { Terminal } from './terminal/terminal.ts';

const after = `
Exit codes: 0 success, 1 failure (also of an execution), 2 wrong usage, 3 not logged in or not allowed, 4 not found,
5 rejected (invalid input or conflict), 6 service unreachable, 7 too many requests, 8 timed out,
9 a dry run found changes (with --detailed-exitcode), 130 interrupted.

Settings of the service are environment variables, such as WEFT_DATA_DIR, PORT and HOST. Commands use the service of
--url, WEFT_URL, the profile of weft login, or http://127.0.0.1:8080. WEFT_API_KEY and WEFT_TOKEN override a login.`;

/**
 * Creates the `weft` program. Commands load their code on use. `finish` gets the exit code; `incomplete` the
 * help of a command without its required subcommand.
 */
export function createProgram(
  terminal: Terminal,
  finish: (code: number) => void,
  incomplete: (help: string) => void,
): Command {
  const say = (line: string): void => terminal.out(`${line}\n`);
  const program = new Command('weft')
    .usage('<command> [options]')
    .description('Weft: durable workflow automation')
    .version(packageJson.version, '-v, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .option('--json', 'print JSON')
    .option('--url <address>', 'URL of the service')
    .option('--profile <name>', 'a profile saved by weft login; also WEFT_PROFILE')
    .addHelpText('after', after)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      // Errors are printed in one place, by the caller that catches them.
      writeErr: incomplete,
      outputError: () => {},
    });
  // Commands copy these settings when they are created.
  program
    .command('start')
    .description('Run the service until SIGTERM or Ctrl-C')
    .action(async () => {
      requireServiceNode('start');
      const { startService } = await import('../app/start.ts');
      finish(await startService(terminal.env, say));
    });
  program
    .command('backup')
    .description('Copy the database, files and key into a new folder; also works while the service runs')
    .argument('<folder>')
    .action(async (folder: string) => {
      requireServiceNode('backup');
      const { createBackup } = await import('./backup.ts');
      finish(await createBackup(terminal.env, folder, say));
    });
  program
    .command('restore')
    .description('Restore a backup into the empty data folder')
    .argument('<folder>')
    .action(async (folder: string) => {
      requireServiceNode('restore');
      const { restore } = await import('./backup.ts');
      finish(await restore(terminal.env, folder, say));
    });
  program
    .command('migrate')
    .description('Migrate the data folder to PostgreSQL; stop the service first, run again to resume')
    .requiredOption('--from <source>', 'sqlite: the data folder of WEFT_DATA_DIR')
    .requiredOption('--to <address>', 'URL of an empty database: postgres://user:password@host:5432/database')
    .action(async (options: { from: string; to: string }) => {
      requireServiceNode('migrate');
      const { migrate } = await import('./migrate.ts');
      finish(await migrate(terminal, options, say));
    });
  const user = program.command('user').description('Manage accounts on the machine of the service');
  user
    .command('reset-password')
    .description("Set a user's password from standard input, or generate one; ends the user's sessions")
    .argument('<email>')
    .action(async (email: string) => {
      requireServiceNode('user reset-password');
      const { resetUserPassword } = await import('./reset-password.ts');
      finish(await resetUserPassword(terminal.env, email, say));
    });
  program
    .command('version')
    .description('Show the version')
    .action(() => {
      say(packageJson.version);
      finish(0);
    });
  program
    .command('completion')
    .description('Print a completion script for bash, zsh or fish')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) => {
      const { createCompletionScript } = await import('./completion/completion.ts');
      terminal.out(createCompletionScript(program, shell));
      finish(0);
    });
  addCommands(program, terminal, finish);
  return program;
}
