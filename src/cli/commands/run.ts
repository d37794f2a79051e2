import { parseDuration } from '../../lib/time/duration.ts';
import type { ConnectOptions } from '../connect.ts';
import { exitCodes } from '../error-message.ts';
import type { RunContext } from '../run-context.ts';
import { UsageError } from '../usage-error.ts';
import { findWorkflowId } from './find-workflow.ts';
import { readInput } from './input.ts';
import { awaitExecution, endLine, followExecution } from './follow.ts';

export type WaitingOptions = {
  readonly wait?: boolean;
  readonly follow?: boolean;
  readonly timeout?: string;
};
type RunOptions = ConnectOptions &
  WaitingOptions & {
    readonly input?: string;
    readonly definition?: string;
    readonly idempotencyKey?: string;
    readonly until?: string;
    readonly pins?: string;
    readonly pinPorts?: string;
  };

/** Starts a workflow; with --wait or --follow, its result determines the exit code. */
export async function runWorkflow(
  context: RunContext,
  options: RunOptions,
  idOrName = '',
): Promise<number | undefined> {
  const { client, terminal, signal } = context;
  const timeout = readTimeout(options);
  const inputs = [options.input, options.definition, options.pins, options.pinPorts];
  if (inputs.filter((given) => given === '-').length > 1)
    throw new UsageError(
      'Only one of --input, --definition, --pins and --pin-ports can be -, standard input.',
    );
  const input = await readInput(terminal, options.input, '--input');
  const definition = await readInput(terminal, options.definition, '--definition');
  const pins = await readInput(terminal, options.pins, '--pins');
  const ports = await readInput(terminal, options.pinPorts, '--pin-ports');
  const pinPorts = ports as Record<string, string[]> | undefined;
  const id = await findWorkflowId(context, idOrName);
  const execution = await client.workflows.execute(
    id,
    { input, until: options.until, definition, pins, pin_ports: pinPorts },
    { signal, idempotencyKey: options.idempotencyKey },
  );
  return settle(context, options, timeout, execution.id, execution);
}

/** Waits for an execution as the options say, and prints its state. */
export async function settle(
  context: RunContext,
  options: WaitingOptions,
  timeout: number | undefined,
  id: string,
  execution: { readonly id: string; readonly status: string },
): Promise<number | undefined> {
  const { printer } = context;
  if (options.follow !== true && options.wait !== true) {
    printer.show(execution, () => {
      printer.line(id);
      printer.note(`It is ${execution.status}. Follow it with: weft logs ${id} --follow`);
    });
    return undefined;
  }
  if (options.follow === true && !printer.isJson) printer.line(printer.paint(id, 'bold'));
  const ended =
    options.follow === true ? await followExecution(context, id) : await awaitExecution(context, id, timeout);
  if (printer.isJson) printer.line(JSON.stringify(ended, null, options.follow === true ? 0 : 2));
  else if (options.follow === true) printer.line(endLine(printer, ended));
  else printer.note(endLine(printer, ended));
  if (ended.status !== 'completed') return exitCodes.failed;
  if (!printer.isJson && ended.output !== null) printer.line(JSON.stringify(ended.output, null, 2));
  return undefined;
}

/** The value of --timeout in ms. */
export function readTimeout(options: WaitingOptions): number | undefined {
  if (options.timeout === undefined) return undefined;
  if (options.wait !== true) throw new UsageError('--timeout requires --wait.');
  const ms = parseDuration(options.timeout);
  if (ms === null || ms <= 0) throw new UsageError('--timeout must be a duration such as 30s or 5m.');
  return ms;
}
