import type { ExecutionRetry, JournalOf, LastExecution } from '../../ports/store/execution-reads.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { ScheduleRow } from '../../ports/store/active-triggers.ts';
import type { VersionKey, WorkflowRow, WorkflowVersionRow } from '../../ports/store/workflows.ts';
import * as batches from '../queries/batches.ts';
import {
  toExecution,
  toSchedule,
  toVersion,
  toWorkflow,
  type ExecutionRecord,
  type ScheduleRecord,
  type VersionRecord,
  type WorkflowRecord,
} from '../rows.ts';
import { selectAll, createPlaceholders, type Transaction, type Scalar } from '../statement.ts';

/** Maximum number of SELECTs that one statement combines; databases limit them to some hundreds. */
const MAX_SELECTS = 128;
const MAX_RETRIES = 1_000;

export function* getWorkflows(ownerId: string, ids: readonly string[]): Transaction<WorkflowRow[]> {
  if (ids.length === 0) return [];
  const { text, params } = createPlaceholders(ids);
  return (yield* selectAll<WorkflowRecord>(batches.listWorkflows(text), ownerId, ...params)).map(toWorkflow);
}

export function* getVersions(
  ownerId: string,
  wanted: readonly VersionKey[],
): Transaction<WorkflowVersionRow[]> {
  const found: WorkflowVersionRow[] = [];
  for (let at = 0; at < wanted.length; at += MAX_SELECTS) {
    const piece = padded(
      wanted.slice(at, at + MAX_SELECTS).map((each): Scalar[] => [each.workflowId, each.version]),
      ['', 0],
    );
    const rows = yield* selectAll<VersionRecord>(
      batches.listVersions(piece.length),
      ...piece.flat(),
      ownerId,
    );
    for (const row of rows) found.push(toVersion(row));
  }
  return found;
}

export function* schedulesOfMany(ownerId: string, ids: readonly string[]): Transaction<ScheduleRow[]> {
  if (ids.length === 0) return [];
  const { text, params } = createPlaceholders(ids);
  const rows = yield* selectAll<ScheduleRecord>(
    batches.listSchedules(text),
    ownerId,
    ...params,
    ownerId,
    ...params,
  );
  return rows.map(toSchedule).toSorted((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
}

export function* newestExecutions(
  ownerId: string,
  workflowIds: readonly string[],
  limit: number,
): Transaction<ExecutionRow[]> {
  const found: ExecutionRow[] = [];
  for (let at = 0; at < workflowIds.length; at += MAX_SELECTS) {
    const piece = padded(
      workflowIds.slice(at, at + MAX_SELECTS).map((id): Scalar[] => [id, ownerId, limit]),
      ['', ownerId, 0],
    );
    const rows = yield* selectAll<ExecutionRecord>(batches.listNewest(piece.length), ...piece.flat());
    for (const row of rows) found.push(toExecution(row));
  }
  return found;
}

export function* lastExecutions(
  ownerId: string,
  workflowIds: readonly string[],
): Transaction<LastExecution[]> {
  if (workflowIds.length === 0) return [];
  const { text, params } = createPlaceholders(workflowIds);
  const newest = yield* selectAll<{ id: string | null }>(batches.listLast(text), ownerId, ...params);
  const ids = newest.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return [];
  const list = createPlaceholders(ids);
  type Record = Pick<ExecutionRecord, 'id' | 'workflow_id' | 'status' | 'start_time'>;
  const rows = yield* selectAll<Record>(batches.listStatuses(list.text), ...list.params);
  return rows.map((row) => ({
    id: row.id,
    workflowId: row.workflow_id,
    status: row.status,
    startTime: row.start_time,
  }));
}

export function* retriesOfMany(ownerId: string, ids: readonly string[]): Transaction<ExecutionRetry[]> {
  if (ids.length === 0) return [];
  const { text, params } = createPlaceholders(ids);
  type Record = Pick<ExecutionRecord, 'id' | 'status' | 'start_time'> & { number: number; retry_of: string };
  const rows = yield* selectAll<Record>(batches.listRetries(text), ...params, ownerId, MAX_RETRIES);
  return rows
    .toSorted((a, b) => b.number - a.number)
    .map((row) => ({ id: row.id, retryOf: row.retry_of, status: row.status, startTime: row.start_time }));
}

export function* getExecutions(ownerId: string, ids: readonly string[]): Transaction<ExecutionRow[]> {
  if (ids.length === 0) return [];
  const { text, params } = createPlaceholders(ids);
  const rows = yield* selectAll<ExecutionRecord>(batches.listExecutions(text), ownerId, ...params);
  return rows.map(toExecution);
}

export function* readJournals(
  ownerId: string,
  ids: readonly string[],
  limit: number,
): Transaction<JournalOf[]> {
  if (ids.length === 0 || limit <= 0) return [];
  const { text, params } = createPlaceholders(ids);
  type Record = { id: string; seq: number; events: string };
  const only = yield* selectAll<Record>(batches.listOnlyEvents(text), ownerId, ...params);
  const rows = yield* selectAll<Record>(batches.listJournals(text), ownerId, ...params, limit);
  const journals = new Map<string, JournalOf>();
  for (const { id, seq, events } of [...only, ...rows]) {
    const journal = journals.get(id) ?? { executionId: id, rows: [] };
    journal.rows.push({ seq, events });
    journals.set(id, journal);
  }
  for (const journal of journals.values()) journal.rows.sort((a, b) => a.seq - b.seq);
  return [...journals.values()];
}

/**
 * Padded to a power of two with parameters that match nothing, so that few different statements are prepared.
 */
function padded(list: readonly Scalar[][], filler: Scalar[]): Scalar[][] {
  let size = 1;
  while (size < list.length) size *= 2;
  return [...list, ...Array.from({ length: size - list.length }, () => filler)];
}
