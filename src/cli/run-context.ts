import type { Client } from '../../sdk/src/index.ts';
import { connect, type ConnectOptions } from './connect.ts';
import { createPrinter, type Printer } from './terminal/printer.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The context of a command that calls the service. */
export type RunContext = {
  /** Created on first use. @throws {UnauthorizedError} when there is no credential. */
  readonly client: Client;
  readonly terminal: Terminal;
  readonly printer: Printer;
  /** Aborted with an Interrupted at the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
};

/** `undefined` is exit code 0. */
export type RemoteCommand<Options extends object> = (
  context: RunContext,
  options: Options & ConnectOptions,
  ...args: string[]
) => Promise<number | undefined>;

export function createRunContext(
  terminal: Terminal,
  options: ConnectOptions,
  signal: AbortSignal,
): RunContext {
  let client: Client | null = null;
  return {
    get client() {
      client ??= connect(terminal.env, options);
      return client;
    },
    terminal,
    printer: createPrinter(terminal, options.json === true),
    signal,
  };
}
