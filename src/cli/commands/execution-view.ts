import type { Execution, ExecutionDetail, LogEntry } from '../../../sdk/src/index.ts';
import { getStatusPaint, type Paint, type Printer } from '../terminal/printer.ts';
import { formatDuration, toOneLine, toPlainText, timeText } from '../terminal/text.ts';

/** Maximum number of node runs printed; --json has all. */
const MAX_SHOWN_NODES = 50;

/** Prints an execution for people. */
export function showExecution(printer: Printer, execution: Execution | ExecutionDetail): void {
  const { error, output } = execution;
  printer.record([
    ['execution', execution.id],
    ['workflow', `${execution.workflow_id} (${describeVersion(execution.workflow_version)})`],
    ['status', execution.status, getStatusPaint(execution.status)],
    ['trigger', execution.trigger.type],
    ['progress', `${Math.floor(execution.progress * 100)} %`],
    ['started', timeText(execution.start_time)],
    ['ended', timeText(execution.end_time)],
    ['duration', formatDuration(execution.duration)],
    ...(execution.retry_of === null ? [] : [['retry of', execution.retry_of] as const]),
    ...(execution.parent_execution_id === null ? [] : [['part of', execution.parent_execution_id] as const]),
    ...(error === null ? [] : [['error', formatError(error), 'red'] as const]),
    ...(output === null ? [] : [['output', JSON.stringify(output, null, 2)] as const]),
  ]);
  if (!('nodes' in execution) || execution.nodes.length === 0) return;
  printer.line();
  printer.table(
    [
      { title: 'NODE', of: (run) => (run.path === '' ? run.node_id : run.path), isLoose: true },
      { title: 'TYPE', of: (run) => run.type },
      { title: 'STATUS', of: (run) => run.status, paint: (run) => getStatusPaint(run.status) },
      { title: 'TRIES', of: (run) => String(run.attempt), isRight: true },
      { title: 'DURATION', of: (run) => formatDuration(run.duration), isRight: true },
      { title: 'ERROR', of: (run) => run.error?.message ?? '', isLoose: true },
    ],
    execution.nodes.slice(0, MAX_SHOWN_NODES),
  );
  if (execution.nodes.length > MAX_SHOWN_NODES)
    printer.note(`… and ${execution.nodes.length - MAX_SHOWN_NODES} more node runs: --json shows all`);
}

/** A negative number is a test. */
const describeVersion = (version: number): string =>
  version < 0 ? 'test of an unsaved definition' : `version ${version}`;

export function formatError(error: NonNullable<Execution['error']>): string {
  const where = error.node_id === '' ? '' : `${error.node_id}: `;
  return `${where}${error.message} (${error.type}${error.attempt > 1 ? `, after ${error.attempt} tries` : ''})`;
}

const levelPaints: Record<LogEntry['level'], Paint | null> = {
  debug: 'dim',
  info: null,
  warning: 'yellow',
  error: 'red',
};

/** Formats one log line. `data` follows if it adds to the message. */
export function logLine(printer: Printer, { timestamp, level, node_id, message, data }: LogEntry): string {
  const node = node_id === null ? '' : `${printer.paint(toOneLine(node_id), 'cyan')}  `;
  const text = printer.paint(toPlainText(message), levelPaints[level]);
  const more = isEmpty(data) ? '' : `  ${printer.paint(toPlainText(JSON.stringify(data)), 'dim')}`;
  return `${printer.paint(timeText(timestamp), 'dim')}  ${level.padEnd(7)}  ${node}${text}${more}`;
}

function isEmpty(data: unknown): boolean {
  return data === null || (typeof data === 'object' && Object.keys(data).length === 0);
}
