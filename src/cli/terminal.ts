import type { Environment } from '../config.ts';

/** Where a command reads and writes. */
export type Terminal = {
  readonly env: Environment;
  readonly stdin: NodeJS.ReadStream;
  /** Columns to fit into; null: no terminal, so nothing is cut. */
  readonly columns: number | null;
  readonly hasColor: boolean;
  /** Whether a line on stderr can be written over, and a person may be asked. */
  readonly isInteractive: boolean;
  out(text: string): void;
  err(text: string): void;
};

/** The terminal of this process. `NO_COLOR` and `FORCE_COLOR` are heeded, in this order. */
export function terminalOf(env: Environment): Terminal {
  const { stdin, stdout, stderr } = process;
  const isForced = (env['FORCE_COLOR'] ?? '') !== '' && env['FORCE_COLOR'] !== '0';
  return {
    env,
    stdin,
    columns: stdout.isTTY ? stdout.columns : null,
    hasColor: (env['NO_COLOR'] ?? '') === '' && (isForced || (stdout.isTTY && env['TERM'] !== 'dumb')),
    isInteractive: stderr.isTTY && stdin.isTTY,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
  };
}
