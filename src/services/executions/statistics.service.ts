import { createNotFoundError, createValidationError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { StatisticsQuerySchema } from '../../contract/requests/statistics.ts';
import { validate } from '../../contract/validate.ts';
import { computeDurationPercentile } from '../../lib/time/duration-buckets.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import {
  DAY_MS,
  HOUR_MS,
  HOURS_KEPT_MS,
  type StatisticsRange,
  type StatisticsRow,
  type StatisticsStore,
} from '../../ports/store/statistics.ts';
import { requireScope } from '../authorize.ts';
import { readTime } from './execution-query.ts';

/** Ended executions by status; percentiles of their duration in ms, null without a duration. */
export type StatisticsSum = {
  completed: number;
  failed: number;
  stopped: number;
  p50: number | null;
  p95: number | null;
};
export type Statistics = {
  interval: 'hour' | 'day';
  /** Oldest first, without gaps. */
  intervals: (StatisticsSum & { start: number })[];
  totals: StatisticsSum;
};

export type StatisticsService = ReturnType<typeof createStatistics>;

const DEFAULT_RANGE_MS = { hour: DAY_MS, day: 30 * DAY_MS };
const LATEST_TIME = Date.UTC(9999, 0);

/** The number and duration of ended executions over time. */
export function createStatistics(deps: { statistics: StatisticsStore; clock: Pick<Clock, 'now'> }) {
  const { statistics, clock } = deps;

  return {
    async ofWorkflow(principal: Principal, workflowId: string, input: unknown): Promise<Statistics> {
      requireScope(principal, 'executions:read');
      const { range, name } = readRange(input, clock.now());
      const rows = await statistics.readWorkflow(principal.userId, workflowId, range);
      if (rows === null) throw createNotFoundError('workflow');
      return summarize(rows, range, name);
    },

    /** Of all executions of the caller, also those of deleted workflows. */
    async ofOwner(principal: Principal, input: unknown): Promise<Statistics> {
      requireScope(principal, 'executions:read');
      const { range, name } = readRange(input, clock.now());
      return summarize(await statistics.readOwner(principal.userId, range), range, name);
    },
  };
}

/** @throws {WeftError} VALIDATION_ERROR that names the field. */
function readRange(input: unknown, now: number): { range: StatisticsRange; name: 'hour' | 'day' } {
  const query = validate(StatisticsQuerySchema, input);
  const name = (query.interval ?? 'hour') as 'hour' | 'day';
  const interval = name === 'hour' ? HOUR_MS : DAY_MS;
  const end = query.to === undefined ? now : readTime('to', query.to);
  const begin = query.from === undefined ? end - DEFAULT_RANGE_MS[name] : readTime('from', query.from);
  if (end > LATEST_TIME)
    throw createValidationError([{ field: 'to', issue: 'must be before the year 9999' }]);
  if (begin < 0) throw createValidationError([{ field: 'from', issue: 'must not be before 1970' }]);
  if (begin >= end) throw createValidationError([{ field: 'from', issue: 'must be before `to`' }]);
  const from = begin - (begin % interval);
  const to = Math.ceil(end / interval) * interval;
  if ((to - from) / interval > limits.statisticsIntervals) {
    throw createValidationError([
      {
        field: 'from',
        issue: `must be at most ${limits.statisticsIntervals} intervals of one ${name} before \`to\``,
      },
    ]);
  }
  if (name === 'hour' && from < now - (now % DAY_MS) - HOURS_KEPT_MS) {
    throw createValidationError([
      { field: 'from', issue: 'must be within the last 30 days for hours; use `interval` `day`' },
    ]);
  }
  return { range: { from, to, interval }, name };
}

/** Counts of one or several intervals. */
class Sum {
  readonly #byStatus = { completed: 0, failed: 0, stopped: 0 };
  readonly #durations = new Map<number, number>();

  add({ status, bucket, n }: StatisticsRow): void {
    this.#byStatus[status] += n;
    if (bucket !== null) this.#durations.set(bucket, (this.#durations.get(bucket) ?? 0) + n);
  }

  read(): StatisticsSum {
    const p50 = computeDurationPercentile(this.#durations, 0.5);
    return { ...this.#byStatus, p50, p95: computeDurationPercentile(this.#durations, 0.95) };
  }
}

function summarize(
  rows: readonly StatisticsRow[],
  { from, to, interval }: StatisticsRange,
  name: 'hour' | 'day',
): Statistics {
  const totals = new Sum();
  const sums = Array.from({ length: (to - from) / interval }, () => new Sum());
  for (const row of rows) {
    totals.add(row);
    sums[(row.start - from) / interval]?.add(row);
  }
  return {
    interval: name,
    intervals: sums.map((sum, i) => ({ start: from + i * interval, ...sum.read() })),
    totals: totals.read(),
  };
}
