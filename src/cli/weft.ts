#!/usr/bin/env node
import { parseArgs } from 'node:util';
import packageJson from '../../package.json' with { type: 'json' };
import { ConfigError } from '../config.ts';
import { WeftError } from '../contract/errors.ts';

const usage = `Weft ${packageJson.version}: durable workflow automation

Usage: weft <command>

Commands:
  start                             Run the service until SIGTERM or Ctrl-C
  backup <folder>                   Copy database, files and key into a new folder, while the service runs or not
  restore <folder>                  Fill the (empty) data folder from a backup
  user reset-password <email>       Give a user a new password, read from standard input or made up; ends the user's sessions

Options:
  -h, --help                        Show this
  -v, --version                     Show the version

Settings are environment variables, such as WEFT_DATA_DIR (default ./.weft), PORT and HOST.
`;

/** Wrong use of the command line: exit code 2, everything else that fails is 1. */
class UsageError extends Error {}

const commands: Record<string, (args: string[]) => Promise<number>> = {
  async start(args) {
    expectArguments(args, [], 'start');
    const { startService } = await import('../main.ts');
    return startService(process.env, (line) => void process.stdout.write(`${line}\n`));
  },
  async backup(args) {
    const [folder] = expectArguments(args, ['<folder>'], 'backup');
    const { backup } = await import('./backup.ts');
    return backup(process.env, folder!, say);
  },
  async restore(args) {
    const [folder] = expectArguments(args, ['<folder>'], 'restore');
    const { restore } = await import('./backup.ts');
    return restore(process.env, folder!, say);
  },
  async user(args) {
    const [action, ...rest] = args;
    if (action !== 'reset-password') {
      throw new UsageError(
        `weft user takes reset-password <email>${action === undefined ? '' : `, not "${action}"`}`,
      );
    }
    const [email] = expectArguments(rest, ['<email>'], 'user reset-password');
    const { resetUserPassword } = await import('./reset-password.ts');
    return resetUserPassword(process.env, email!, say);
  },
};

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function expectArguments(given: string[], expected: string[], command: string): string[] {
  if (given.length === expected.length) return given;
  throw new UsageError(`Use: weft ${[command, ...expected].join(' ')}`);
}

async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
  });
  if (values.version === true) {
    say(packageJson.version);
    return 0;
  }
  const [name, ...args] = positionals;
  if (values.help === true || name === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  if (name === undefined) throw new UsageError('Which command?');
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new UsageError(`There is no command "${name}".`);
  return command(args);
}

/** One line for what a person can mend; a stack only for what is our own fault. */
function explain(error: unknown): { text: string; code: number } {
  if (
    error instanceof UsageError ||
    (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') === true
  ) {
    return { text: `${(error as Error).message}\n\n${usage}`, code: 2 };
  }
  if (error instanceof ConfigError || error instanceof WeftError) return { text: error.message, code: 1 };
  const isPlain = error instanceof Error && error.constructor === Error && error.cause === undefined;
  const text =
    error instanceof Error ? (isPlain || hasCode(error) ? error.message : withCause(error)) : String(error);
  return { text, code: 1 };
}

function hasCode(error: Error): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string';
}

function withCause(error: Error): string {
  return error.cause instanceof Error && hasCode(error.cause)
    ? error.message
    : (error.stack ?? error.message);
}

// Whoever reads what is printed may go away; the service goes on.
process.stdout.on('error', () => {});

run(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    const { text, code } = explain(error);
    process.stderr.write(`weft: ${text}\n`);
    process.exit(code);
  },
);
