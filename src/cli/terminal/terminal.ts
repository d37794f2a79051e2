import type { Environment } from '../../config/environment.ts';
import { Interrupted } from '../usage-error.ts';

/** The input and output of a command. */
export type Terminal = {
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Width in columns; null without a terminal: nothing is truncated then. */
  readonly columns: number | null;
  readonly hasColor: boolean;
  /** Whether a line on stderr can be overwritten, and the user can be prompted. */
  readonly isInteractive: boolean;
  out(text: string): void;
  err(text: string): void;
  /** From now on Ctrl-C and SIGTERM abort this signal with an Interrupted; a second one exits immediately. */
  interrupts(): AbortSignal;
};

/** Returns the terminal of this process. `NO_COLOR` takes precedence over `FORCE_COLOR`. */
export function detectTerminal(env: Environment): Terminal {
  const { stdout, stderr } = process;
  const isForced = (env['FORCE_COLOR'] ?? '') !== '' && env['FORCE_COLOR'] !== '0';
  return {
    env,
    // Opened on first access, which the service never does.
    get stdin() {
      return process.stdin;
    },
    columns: stdout.isTTY && stdout.columns > 0 ? stdout.columns : null,
    hasColor: (env['NO_COLOR'] ?? '') === '' && (isForced || (stdout.isTTY && env['TERM'] !== 'dumb')),
    get isInteractive() {
      return stderr.isTTY && process.stdin.isTTY;
    },
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    interrupts,
  };
}

function interrupts(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      controller.abort(new Interrupted(signal));
      process.once(signal, () => process.exit(signal === 'SIGINT' ? 130 : 143));
    });
  }
  // The reader of the output closed the pipe (`| head`): exit.
  process.stdout.on('error', () => process.exit(0));
  return controller.signal;
}
