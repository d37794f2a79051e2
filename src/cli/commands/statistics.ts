import type { ExecutionStatistics } from '../../../sdk/src/index.ts';
import type { ConnectOptions } from '../connect.ts';
import type { RunContext } from '../run-context.ts';
import { formatDuration, timeText } from '../terminal/text.ts';
import { findWorkflowId } from './find-workflow.ts';

type StatisticsOptions = ConnectOptions & {
  readonly interval?: 'hour' | 'day';
  readonly from?: string;
  readonly to?: string;
};

/** Prints the intervals with executions and the totals; of all workflows without `idOrName`. */
export async function showStatistics(
  context: RunContext,
  { interval, from, to }: StatisticsOptions,
  idOrName = '',
): Promise<undefined> {
  const { client, printer, signal } = context;
  const query = { interval, from, to };
  const statistics =
    idOrName === ''
      ? await client.statistics.get(query, { signal })
      : await client.workflows.statistics.get(await findWorkflowId(context, idOrName), query, { signal });
  printer.show(statistics, () => {
    const rows = statistics.intervals
      .filter((one) => one.completed + one.failed + one.stopped > 0)
      .map((one) => ({ ...one, start: timeText(one.start) }));
    printer.table(
      [
        { title: 'START', of: (one) => one.start },
        { title: 'COMPLETED', of: (one) => String(one.completed), isRight: true },
        { title: 'FAILED', of: (one) => String(one.failed), isRight: true },
        { title: 'STOPPED', of: (one) => String(one.stopped), isRight: true },
        { title: 'P50', of: (one) => percentile(one.duration.p50), isRight: true },
        { title: 'P95', of: (one) => percentile(one.duration.p95), isRight: true },
      ],
      [...rows, { ...statistics.totals, start: 'total' }] satisfies Row[],
    );
  });
  return undefined;
}

type Row = ExecutionStatistics['totals'];

function percentile(duration: number | null): string {
  return duration === null ? '-' : formatDuration(duration);
}
