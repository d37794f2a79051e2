import {
  TimeoutError,
  type Client,
  type Execution,
  type ExecutionDetail,
  type LogEntry,
} from '../../../sdk/src/index.ts';
import { getStatusPaint, type Printer } from '../terminal/printer.ts';
import type { RunContext } from '../run-context.ts';
import { cut, formatDuration, toOneLine } from '../terminal/text.ts';
import { Interrupted, TimedOut } from '../usage-error.ts';
import { formatError } from './execution-view.ts';

/** Width of the bar, in columns. */
const BAR_WIDTH = 24;

/**
 * Prints the progress of an execution until it ends: a line for each node, and a progress bar on a terminal.
 * With --json, each log line is one JSON line. @throws {Interrupted} on Ctrl-C, with a message that the
 * execution continues.
 */
export async function followExecution(context: RunContext, id: string): Promise<ExecutionDetail> {
  const { client, printer, terminal, signal } = context;
  const bar = createBar(printer, terminal.isInteractive && !printer.isJson ? terminal : null);
  const leave = new AbortController();
  const watching = bar.isShown ? watchProgress(client, id, leave.signal, bar) : Promise.resolve();
  try {
    for await (const entry of client.executions.logs.follow(id, { signal })) {
      printer.stream(entry, () => {
        const line = nodeLine(printer, entry);
        if (line !== null) bar.above(() => printer.line(line));
      });
    }
    return await client.executions.get(id, { signal });
  } catch (error) {
    throw error instanceof Interrupted ? addRunningHint(error, id) : error;
  } finally {
    leave.abort();
    await watching;
    bar.clear();
  }
}

/** Waits silently until the execution ends. */
export async function awaitExecution(
  { client, signal }: RunContext,
  id: string,
  timeout: number | undefined,
): Promise<ExecutionDetail> {
  try {
    return await client.executions.waitFor(id, { signal, timeout: timeout ?? Number.POSITIVE_INFINITY });
  } catch (error) {
    if (error instanceof TimeoutError)
      throw new TimedOut(`${id} has not ended within ${formatDuration(timeout ?? 0)} and is still running.`);
    throw error instanceof Interrupted ? addRunningHint(error, id) : error;
  }
}

/** Returns the last line for an ended execution. */
export function endLine(printer: Printer, { id, status, duration, error }: Execution): string {
  const text = `${id} ${status} after ${formatDuration(duration)}`;
  const why = error === null ? '' : `: ${toOneLine(formatError(error))}`;
  return printer.paint(`${text}${why}`, getStatusPaint(status));
}

export function addRunningHint({ signal }: Interrupted, id: string): Interrupted {
  return new Interrupted(
    signal,
    `Stopped following; ${id} is still running. Follow again with: weft logs ${id} --follow. Stop it with: weft executions stop ${id}`,
  );
}

/** Formats a log line about a node; null for a line that is not shown. */
function nodeLine(printer: Printer, { level, node_id, message, data }: LogEntry): string | null {
  if (node_id === null || message === 'Started') return null;
  const { duration, path } = (data ?? {}) as { duration?: unknown; path?: unknown };
  const node = typeof path === 'string' && path !== '' ? path : node_id;
  const input =
    message === 'Completed' && typeof duration === 'number' ? formatDuration(duration) : toOneLine(message);
  const [sign, color] =
    level === 'error'
      ? (['✗', 'red'] as const)
      : level === 'warning'
        ? (['!', 'yellow'] as const)
        : message === 'Completed'
          ? (['✓', 'green'] as const)
          : (['·', 'dim'] as const);
  return `${printer.paint(sign, color)} ${toOneLine(node)}  ${input}`;
}

type Bar = ReturnType<typeof createBar>;

/** A line on stderr that is overwritten. Null: nothing is shown. */
function createBar(printer: Printer, terminal: RunContext['terminal'] | null) {
  let shown = '';
  const clear = (): void => {
    if (shown !== '') terminal?.err('\r\u001B[K');
    shown = '';
  };
  return {
    isShown: terminal !== null,
    clear,
    /** Prints a line above the bar. */
    above(write: () => void): void {
      const again = shown;
      clear();
      write();
      if (again !== '') {
        shown = again;
        terminal?.err(again);
      }
    },
    set(progress: number, status: string, node: string): void {
      if (terminal === null) return;
      const full = Math.round(progress * BAR_WIDTH);
      const text = `${String(Math.floor(progress * 100)).padStart(3)} %  ${status}${node === '' ? '' : `  ${toOneLine(node)}`}`;
      clear();
      const width = (terminal.columns ?? 80) - BAR_WIDTH - 3;
      shown = `${printer.paint('█'.repeat(full), 'green')}${printer.paint('░'.repeat(BAR_WIDTH - full), 'dim')} ${cut(text, width)}`;
      terminal.err(shown);
    },
  };
}

/** The bar is optional: when live updates fail, the lines continue without it. */
async function watchProgress(client: Client, id: string, signal: AbortSignal, bar: Bar): Promise<void> {
  try {
    for await (const update of client.live.executions({ executionId: id, signal }))
      bar.set(update.progress, update.status, update.current_node);
  } catch {
    bar.clear();
  }
}
