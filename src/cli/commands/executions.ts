import type { Execution } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import { getStatusPaint } from '../terminal/printer.ts';
import type { RunContext } from '../run-context.ts';
import { formatDuration, timeText } from '../terminal/text.ts';
import { Interrupted } from '../usage-error.ts';
import { logLine, showExecution } from './execution-view.ts';
import { findWorkflowId } from './find-workflow.ts';
import { readInput } from './input.ts';
import { showList, type ListOptions } from './list.ts';
import { addRunningHint } from './follow.ts';
import { settle, readTimeout, type WaitingOptions } from './run.ts';

type ExecutionListOptions = ConnectOptions &
  ListOptions & {
    readonly workflow?: string;
    readonly status?: Execution['status'];
    readonly search?: string;
    readonly failedNode?: string;
    readonly trigger?: Execution['trigger']['type'];
    readonly from?: string;
    readonly to?: string;
  };

export async function listExecutions(context: RunContext, options: ExecutionListOptions): Promise<undefined> {
  const { status, from, to, trigger, search: q, failedNode: node_id } = options;
  const workflow_id =
    options.workflow === undefined ? undefined : await findWorkflowId(context, options.workflow);
  const query = { status, from, to, workflow_id, q, node_id, trigger };
  let searchedFrom: string | null = null;
  await showList(
    context,
    options,
    'executions',
    async (page, given) => {
      const response = await context.client.executions.list({ ...page, ...query }, given);
      searchedFrom = response.searched_from;
      return response;
    },
    [
      { title: 'ID', of: (one) => one.id },
      { title: 'WORKFLOW', of: (one) => one.workflow_id },
      { title: 'STATUS', of: (one) => one.status, paint: (one) => getStatusPaint(one.status) },
      { title: 'TRIGGER', of: (one) => one.trigger.type },
      { title: 'STARTED', of: (one) => timeText(one.start_time) },
      { title: 'DURATION', of: (one) => formatDuration(one.duration), isRight: true },
      { title: 'ERROR', of: (one) => one.error?.message ?? '', isLoose: true },
    ],
    'There is no such execution.',
  );
  if (searchedFrom !== null)
    context.printer.note(
      `The search stopped at its limit and did not cover executions before ${searchedFrom}: --to ${searchedFrom} searches these.`,
    );
  return undefined;
}

export async function getExecution(
  { client, printer, signal }: RunContext,
  _options: ConnectOptions,
  id = '',
): Promise<undefined> {
  const execution = await client.executions.get(id, { signal });
  printer.show(execution, () => showExecution(printer, execution));
  return undefined;
}

export async function stopExecution(
  { client, printer, signal }: RunContext,
  _options: ConnectOptions,
  id = '',
): Promise<undefined> {
  const execution = await client.executions.stop(id, { signal });
  printer.show(execution, () => printer.line(`${id} is ${execution.status}.`));
  return undefined;
}

type RetryOptions = ConnectOptions &
  WaitingOptions & { readonly from?: string; readonly input?: string; readonly current?: boolean };

export async function retryExecution(
  context: RunContext,
  options: RetryOptions,
  id = '',
): Promise<number | undefined> {
  const { client, terminal, signal } = context;
  const timeout = readTimeout(options);
  const input = await readInput(terminal, options.input, '--input');
  const version = options.current === true ? 'current' : undefined;
  const execution = await client.executions.retry(id, { from: options.from, input, version }, { signal });
  return settle(context, options, timeout, execution.id, execution);
}

type LogOptions = ConnectOptions &
  ListOptions & {
    readonly follow?: boolean;
    readonly level?: 'debug' | 'info' | 'warning' | 'error';
    readonly node?: string;
  };

/** Prints the log of an execution; with --follow until the execution ends. */
export async function showLogs(context: RunContext, options: LogOptions, id = ''): Promise<undefined> {
  const { client, printer, signal } = context;
  const { level, node } = options;
  const notify = (entry: Parameters<typeof logLine>[1]): void =>
    printer.stream(entry, () => printer.line(logLine(printer, entry)));
  if (options.follow !== true) {
    for await (const entry of client.executions.logs.listAll(id, { level, node_id: node }, { signal }))
      notify(entry);
    return undefined;
  }
  const entries = client.executions.logs.follow(id, { signal, level, node_id: node });
  try {
    for (let next = await entries.next(); ; next = await entries.next()) {
      if (next.done === true) {
        printer.note(`${id} is ${next.value}.`);
        return undefined;
      }
      notify(next.value);
    }
  } catch (error) {
    throw error instanceof Interrupted ? addRunningHint(error, id) : error;
  }
}
