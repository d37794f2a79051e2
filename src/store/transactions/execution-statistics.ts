import type { ExecutionStatus } from '../../contract/execution.ts';
import { findBucket } from '../../lib/time/duration-buckets.ts';
import {
  DAY_MS,
  HOUR_MS,
  HOURS_KEPT_MS,
  type StatisticsRange,
  type StatisticsRow,
} from '../../ports/store/statistics.ts';
import * as statistics from '../queries/execution-statistics.ts';
import * as workflows from '../queries/workflows.ts';
import { selectAll, selectFirst, lock, type Scalar, type Statement, type Transaction } from '../statement.ts';
import { ofOwner, ofWorkflow } from './execution-counters.ts';
import { deletionLock } from './locks.ts';

type EndedExecution = {
  ownerId: string;
  workflowId: string;
  status: ExecutionStatus;
  createdAt: number;
  startTime: number | null;
  endTime: number | null;
};

const NO_DURATION = -1;

/**
 * The executions that end in one transaction, summed here and written once per row. The statistics are exact
 * because they change in the transaction of the execution's end, which happens once.
 */
export class StatisticsDeltas {
  readonly #rows = new Map<
    string,
    [start: number, subject: string, status: string, bucket: number, n: number]
  >();

  add({ ownerId, workflowId, status, createdAt, startTime, endTime }: EndedExecution): void {
    const hasDuration = status !== 'stopped' && startTime !== null && endTime !== null;
    const bucket = hasDuration ? findBucket(endTime - startTime) : NO_DURATION;
    const start = createdAt - (createdAt % HOUR_MS);
    for (const subject of [ofOwner(ownerId), ofWorkflow(workflowId)])
      this.addRow(start, subject, status, bucket, 1);
  }

  addRow(start: number, subject: string, status: string, bucket: number, n: number): void {
    const key = `${start} ${subject} ${status} ${bucket}`;
    const row = this.#rows.get(key);
    if (row === undefined) this.#rows.set(key, [start, subject, status, bucket, n]);
    else row[4] += n;
  }

  /** In a fixed order, so that two transactions never deadlock. */
  statements(): Statement[] {
    if (this.#rows.size === 0) return [];
    const each = [...this.#rows.keys()].toSorted().map((key) => this.#rows.get(key)!);
    return [{ sql: statistics.add, each }];
  }
}

type DeletedRecord = { subject: Scalar; status: string; bucket: Scalar; n: Scalar };
type StatisticsRecord = { start: Scalar; status: StatisticsRow['status']; bucket: Scalar; n: Scalar };

function* readSums(subject: string, { from, to, interval }: StatisticsRange): Transaction<StatisticsRow[]> {
  const rows = yield* selectAll<StatisticsRecord>(statistics.sums, from, to, interval, subject);
  return rows.map(({ start, status, bucket, n }) => ({
    start: Number(start),
    status,
    bucket: Number(bucket) === NO_DURATION ? null : Number(bucket),
    n: Number(n),
  }));
}

export function* statisticsOfWorkflow(
  ownerId: string,
  workflowId: string,
  range: StatisticsRange,
): Transaction<StatisticsRow[] | null> {
  if ((yield* selectFirst(workflows.alive, workflowId, ownerId)) === null) return null;
  return yield* readSums(ofWorkflow(workflowId), range);
}

export function* statisticsOfOwner(ownerId: string, range: StatisticsRange): Transaction<StatisticsRow[]> {
  return yield* readSums(ofOwner(ownerId), range);
}

/**
 * Deletes or joins one hour of statistics. `after`: the hours up to it need nothing. Returns the next
 * `after`; null when no hour is left.
 */
export function* compactHour(now: number, retention: number, after: number): Transaction<number | null> {
  yield* lock(deletionLock);
  const today = now - (now % DAY_MS);
  const expired = yield* nextHour(-1, now - retention);
  if (expired !== null) {
    yield [{ sql: statistics.removeHour, params: [expired] }];
    return after;
  }
  const hour = yield* nextHour(after, today - HOURS_KEPT_MS);
  if (hour === null) return null;
  const day = hour - (hour % DAY_MS);
  if (hour === day) return hour;
  // The rows as deleted: another process may have added to them since any earlier read.
  const rows = yield* selectAll<DeletedRecord>(statistics.removeHour, hour);
  const deltas = new StatisticsDeltas();
  for (const { subject, status, bucket, n } of rows)
    deltas.addRow(day, String(subject), status, Number(bucket), Number(n));
  yield deltas.statements();
  return hour;
}

function* nextHour(after: number, before: number): Transaction<number | null> {
  const row = yield* selectFirst<{ start: Scalar }>(statistics.nextHour, after, before);
  return row?.start == null ? null : Number(row.start);
}

/** Deletes all statistics of an owner or workflow. */
export function* removeStatistics(subject: string): Transaction<void> {
  const oldest = yield* nextHour(-1, Number.MAX_SAFE_INTEGER);
  if (oldest === null) return;
  const newest = yield* selectFirst<{ start: Scalar }>(statistics.newestHour);
  yield [
    { sql: statistics.removeBySubject, params: [oldest, Number(newest?.start ?? oldest) + HOUR_MS, subject] },
  ];
}
