import type { Environment } from '../config/environment.ts';
import { Interrupted } from './usage-error.ts';

/** Where a command reads and writes. */
export type Terminal = {
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** Columns to fit into; null: no terminal, so nothing is cut. */
  readonly columns: number | null;
  readonly hasColor: boolean;
  /** Whether a line on stderr can be written over, and a person may be asked. */
  readonly isInteractive: boolean;
  out(text: string): void;
  err(text: string): void;
  /** From here on Ctrl-C and SIGTERM abort this signal, with an Interrupted; a second one ends the process at once. */
  interrupts(): AbortSignal;
};

/** The terminal of this process. `NO_COLOR` and `FORCE_COLOR` are heeded, in this order. */
export function terminalOf(env: Environment): Terminal {
  const { stdout, stderr } = process;
  const isForced = (env['FORCE_COLOR'] ?? '') !== '' && env['FORCE_COLOR'] !== '0';
  return {
    env,
    // Node opens it when it is first asked for, which the service never does.
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
  // Whoever reads what is printed went away (`| head`): there is nothing left to do.
  process.stdout.on('error', () => process.exit(0));
  return controller.signal;
}
