import { executionStatuses, type ExecutionStatus } from '../../contract/execution.ts';
import type { ExecutionFilter, JournalRow } from '../../ports/store/execution-reads.ts';
import type { StateSnapshot } from '../../ports/store/checkpoint.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { DueTimer } from '../../ports/store/timers.ts';
import * as counters from '../queries/counters.ts';
import * as dedupe from '../queries/dedupe.ts';
import * as executions from '../queries/executions.ts';
import * as journal from '../queries/journal.ts';
import * as timers from '../queries/timers.ts';
import { toExecution, type ExecutionRecord } from '../rows.ts';
import { selectAll, selectFirst, createPlaceholders, type Transaction } from '../statement.ts';
import { toCondition } from './execution-filter.ts';
import { everyone, ofOwner, ofWorkflow } from './execution-counters.ts';

type TimerRecord = { execution_id: string; path: string; due_at: number };

/** Maximum number of executions that a read on the main thread may skip. */
const MAX_SHORT_SKIP = 50_000;

export function* findDedupe(
  ownerId: string,
  scope: string,
  key: string,
  now: number,
): Transaction<{ executionId: string; fingerprint: string } | null> {
  const row = yield* selectFirst<{ execution_id: string; fingerprint: string }>(
    dedupe.find,
    ownerId,
    scope,
    key,
    now,
  );
  return row === null ? null : { executionId: row.execution_id, fingerprint: row.fingerprint };
}

export function* runnable(
  leasesAt: number,
  limit: number,
  excluded: readonly string[],
): Transaction<{ id: string; workflowId: string }[]> {
  const list = excluded.length === 0 ? { text: '', params: [] } : createPlaceholders(excluded);
  const sql = executions.selectRunnable(list.text);
  const rows = yield* selectAll<{ id: string; workflow_id: string }>(sql, leasesAt, ...list.params, limit);
  return rows.map((row) => ({ id: row.id, workflowId: row.workflow_id }));
}

export function* dueTimers(
  now: number,
  limit: number,
  worker: string | null,
  leasesAt = now,
): Transaction<DueTimer[]> {
  const rows =
    worker === null
      ? yield* selectAll<TimerRecord>(timers.due, now, limit)
      : yield* selectAll<TimerRecord>(timers.dueFor, now, worker, leasesAt, limit);
  return rows.map((row) => ({ executionId: row.execution_id, path: row.path, dueAt: row.due_at }));
}

export function* nextTimer(): Transaction<number | null> {
  return (yield* selectFirst<{ due_at: number | null }>(timers.next))?.due_at ?? null;
}

export function* timerPaths(ownerId: string, id: string): Transaction<string[]> {
  return (yield* selectAll<{ path: string }>(timers.paths, id, ownerId)).map(({ path }) => path);
}

export function* getExecution(ownerId: string, id: string): Transaction<ExecutionRow | null> {
  const row = yield* selectFirst<ExecutionRecord>(executions.get, id, ownerId);
  return row === null ? null : toExecution(row);
}

export function* listSettled(ids: readonly string[]): Transaction<string[]> {
  if (ids.length === 0) return [];
  const { text, params } = createPlaceholders(ids);
  return (yield* selectAll<{ id: string }>(executions.listSettled(text), ...params)).map(({ id }) => id);
}

export function* readSnapshot(
  ownerId: string,
  id: string,
): Transaction<(StateSnapshot & { nextSeq: number }) | null> {
  const row = yield* selectFirst<{ next_seq: number; version: number; data: string }>(
    journal.snapshot,
    id,
    ownerId,
  );
  return row === null ? null : { nextSeq: row.next_seq, version: row.version, data: row.data };
}

export function* readJournal(
  ownerId: string,
  id: string,
  fromSeq: number,
  limit: number,
): Transaction<JournalRow[]> {
  if (fromSeq === 0 && limit > 0) {
    const only = yield* selectFirst<{ events: string }>(executions.onlyEvents, id, ownerId);
    if (only !== null) return [{ seq: 0, events: only.events }];
  }
  return yield* selectAll<JournalRow>(journal.read, id, ownerId, fromSeq, limit);
}

export function* statusCounts(): Transaction<Record<ExecutionStatus, number>> {
  return yield* readCounts(everyone);
}

function* readCounts(subject: string): Transaction<Record<ExecutionStatus, number>> {
  const counts: Record<ExecutionStatus, number> = {
    queued: 0,
    running: 0,
    waiting: 0,
    completed: 0,
    failed: 0,
    stopped: 0,
  };
  for (const row of yield* selectAll<{ status: ExecutionStatus; n: number }>(counters.of, subject))
    counts[row.status] = row.n;
  return counts;
}

export function* unsettled(ownerId: string, workflowId: string, limit: number): Transaction<string[]> {
  const rows = yield* selectAll<{ id: string }>(executions.unsettled, workflowId, ownerId, limit);
  return rows.map((row) => row.id);
}

export function* countRunning(workflowId: string): Transaction<number> {
  const counts = yield* readCounts(ofWorkflow(workflowId));
  return counts.queued + counts.running + counts.waiting;
}

/** Whether a list of the completed ones would have to pass over many others. */
export function* completedAreRare(ownerId: string, workflowId: string | null): Transaction<boolean> {
  const counts = yield* readCounts(workflowId === null ? ofOwner(ownerId) : ofWorkflow(workflowId));
  const total = executionStatuses.reduce((sum, each) => sum + counts[each], 0);
  return total > MAX_SHORT_SKIP && counts.completed * 8 < total;
}

export function* listExecutions(
  ownerId: string,
  filter: ExecutionFilter,
  offset: number,
  limit: number,
): Transaction<{ rows: ExecutionRow[]; total: number }> {
  const total = yield* countExecutions(ownerId, filter);
  const { condition, params } = toCondition(ownerId, filter);
  const rows =
    offset >= total
      ? []
      : yield* selectAll<ExecutionRecord>(executions.list(condition), ...params, limit, offset);
  return { rows: rows.map(toExecution), total };
}

function* countExecutions(ownerId: string, filter: ExecutionFilter): Transaction<number> {
  if (filter.from !== undefined || filter.to !== undefined) return yield* countRange(ownerId, filter);
  return yield* countAll(ownerId, filter);
}

/** Without a time range the stored totals are returned. */
function* countAll(ownerId: string, { workflowId, status }: ExecutionFilter): Transaction<number> {
  if (workflowId !== undefined && !(yield* selectFirst(executions.ownsWorkflow, workflowId, ownerId)))
    return 0;
  const counts = yield* readCounts(workflowId === undefined ? ofOwner(ownerId) : ofWorkflow(workflowId));
  if (status !== undefined) return counts[status];
  return executionStatuses.reduce((sum, each) => sum + counts[each], 0);
}

/**
 * Counts in an index, at a cost that grows with the range. A range that probably covers more than half is
 * computed as the total minus the rows before and after it.
 */
function* countRange(ownerId: string, filter: ExecutionFilter): Transaction<number> {
  const { from = -Infinity, to = Infinity, ...rest } = filter;
  if (from >= to) return 0;
  const whole = toCondition(ownerId, rest);
  const span = yield* selectFirst<{ oldest: number | null; newest: number | null }>(
    executions.selectTimeSpan(whole.condition),
    ...whole.params,
    ...whole.params,
  );
  if (span === null || span.oldest === null || span.newest === null) return 0;
  const covered = Math.min(to, span.newest + 1) - Math.max(from, span.oldest);
  if (covered <= 0) return 0;
  if (covered * 2 <= span.newest + 1 - span.oldest) return yield* count(ownerId, filter);
  let total = yield* countAll(ownerId, rest);
  if (from > span.oldest) total -= yield* count(ownerId, { ...rest, to: from });
  if (to <= span.newest) total -= yield* count(ownerId, { ...rest, from: to });
  return total;
}

function* count(ownerId: string, filter: ExecutionFilter): Transaction<number> {
  const { condition, params } = toCondition(ownerId, filter);
  return (yield* selectFirst<{ n: number }>(executions.count(condition), ...params))?.n ?? 0;
}

export function* listChildren(ownerId: string, id: string, limit: number): Transaction<string[]> {
  return (yield* selectAll<{ id: string }>(executions.children, id, ownerId, limit)).map((row) => row.id);
}
