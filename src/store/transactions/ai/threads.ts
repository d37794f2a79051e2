import { hash } from 'node:crypto';
import { MAX_THREAD_TURNS, type ThreadAddress } from '../../../contract/ai/threads.ts';
import type { Json } from '../../../lib/json/json.ts';
import { searchText } from '../../../lib/text/search-text.ts';
import type {
  NewThreadTurn,
  StoredTurn,
  ThreadFilter,
  ThreadOwner,
  ThreadRow,
} from '../../../ports/store/ai/threads.ts';
import * as threads from '../../queries/ai/threads.ts';
import { searchPattern } from '../../search-text.ts';
import {
  selectAll,
  change,
  selectFirst,
  lock,
  type Scalar,
  type Statement,
  type Transaction,
} from '../../statement.ts';

type ThreadRecord = {
  id: string;
  workflow_id: string | null;
  workflow_name: string;
  namespace: string | null;
  thread_key: string;
  created_at: number;
  updated_at: number;
  expires_at: number | null;
};
type SizeRecord = { number: number; messages: number; tokens: number; bytes: number };
type TurnRecord = { execution_id: string; path: string; created_at: number; content: string };

/** The id follows from the owner and the address, so that a turn is added without a read. */
export function toThreadId({ ownerId, workflowId }: ThreadOwner, { namespace, key }: ThreadAddress): string {
  const place = namespace === null ? ['workflow', workflowId] : ['namespace', namespace];
  return `th_${hash('sha256', JSON.stringify([ownerId, ...place, key]), 'hex').slice(0, 24)}`;
}

/** The turns of several checkpoints, in their order. */
export type AddedTurn = {
  readonly ownerId: string;
  readonly executionId: string;
  readonly turn: NewThreadTurn;
};

/**
 * Adds turns. The rows of the threads come first and in one order for all transactions: each holds them until
 * its end, so that turns of two executions follow each other.
 */
export function addTurns(added: readonly AddedTurn[]): Statement[] {
  const rows = added.map(({ ownerId, executionId, turn }) => {
    const { workflowId, thread } = turn;
    return { id: toThreadId({ ownerId, workflowId }, thread), ownerId, executionId, turn };
  });
  const touched = rows.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  return [
    { sql: threads.dropExpired, each: touched.map(({ id, turn }) => [id, turn.at]) },
    {
      sql: threads.touch,
      each: touched.map(({ id, ownerId, turn: { workflowId, thread, at, expiresAt } }) => [
        id,
        ownerId,
        thread.namespace === null ? workflowId : null,
        thread.namespace,
        thread.key,
        searchText(thread.key),
        at,
        at,
        expiresAt,
      ]),
    },
    {
      sql: threads.append,
      each: rows.map(({ id, executionId, turn }) => [
        id,
        executionId,
        turn.path,
        turn.at,
        turn.messageCount,
        turn.tokens,
        Buffer.byteLength(turn.messages),
        turn.messages,
      ]),
    },
    { sql: threads.shorten, each: touched.map(({ id }) => [id, id, MAX_THREAD_TURNS]) },
  ];
}

/** Where the newest turns begin that are within `most` of one of their sizes together; null: none is. */
function* findStart(id: string, size: 'tokens' | 'bytes', most: number): Transaction<number | null> {
  let start: number | null = null;
  let sum = 0;
  for (const row of yield* selectAll<SizeRecord>(threads.sizes, id)) {
    sum += row[size];
    if (sum > most) break;
    start = row.number;
  }
  return start;
}

function* readTurns(id: string, start: number | null): Transaction<StoredTurn[]> {
  if (start === null) return [];
  return (yield* selectAll<TurnRecord>(threads.turns, id, start)).map((row) => ({
    executionId: row.execution_id,
    path: row.path,
    at: row.created_at,
    messages: JSON.parse(row.content) as Json[],
  }));
}

export function* readThread(
  owner: ThreadOwner,
  address: ThreadAddress,
  tokens: number,
  now: number,
): Transaction<Json[]> {
  const id = toThreadId(owner, address);
  if ((yield* selectFirst(threads.get, id, owner.ownerId, now)) === null) return [];
  const turns = yield* readTurns(id, yield* findStart(id, 'tokens', tokens));
  return turns.flatMap(({ messages }) => messages);
}

function* withTotals(record: ThreadRecord): Transaction<ThreadRow> {
  const totals = yield* selectFirst<{ turns: number; messages: number; tokens: number }>(
    threads.totals,
    record.id,
  );
  return {
    id: record.id,
    workflowId: record.workflow_id,
    workflowName: record.workflow_name,
    namespace: record.namespace,
    key: record.thread_key,
    turns: Number(totals?.turns ?? 0),
    messages: Number(totals?.messages ?? 0),
    tokens: Number(totals?.tokens ?? 0),
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    expiresAt: record.expires_at,
  };
}

export function* getThread(
  ownerId: string,
  id: string,
  maxBytes: number,
  now: number,
): Transaction<{ thread: ThreadRow; turns: StoredTurn[] } | null> {
  const record = yield* selectFirst<ThreadRecord>(threads.get, id, ownerId, now);
  if (record === null) return null;
  const turns = yield* readTurns(id, yield* findStart(id, 'bytes', maxBytes));
  return { thread: yield* withTotals(record), turns };
}

export function findThread(
  owner: ThreadOwner,
  address: ThreadAddress,
  maxBytes: number,
  now: number,
): Transaction<{ thread: ThreadRow; turns: StoredTurn[] } | null> {
  return getThread(owner.ownerId, toThreadId(owner, address), maxBytes, now);
}

export function* listThreads(
  ownerId: string,
  { workflowId, namespace, search }: ThreadFilter,
  offset: number,
  limit: number,
  now: number,
): Transaction<{ items: ThreadRow[]; total: number }> {
  const conditions = {
    workflow: workflowId !== undefined,
    namespace: namespace !== undefined,
    search: search !== undefined,
  };
  const params: Scalar[] = [ownerId, now];
  if (workflowId !== undefined) params.push(workflowId);
  if (namespace !== undefined) params.push(namespace);
  if (search !== undefined) params.push(searchPattern(search));
  const counted = yield* selectFirst<{ n: number }>(threads.count(conditions), ...params);
  const records = yield* selectAll<ThreadRecord>(threads.list(conditions), ...params, limit, offset);
  const items: ThreadRow[] = [];
  for (const record of records) items.push(yield* withTotals(record));
  return { items, total: Number(counted?.n ?? 0) };
}

/** A turn that is added meanwhile waits, and begins the thread anew. */
export function* removeThread(ownerId: string, id: string): Transaction<boolean> {
  if ((yield* change(threads.remove, id, ownerId)) === 0) return false;
  yield* change(threads.removeTurns, id);
  return true;
}

/** Deletes some of the threads of a workflow; returns their number. */
export function* removeThreadsOf(workflowId: string, limit: number): Transaction<number> {
  const found = yield* selectAll<{ id: string; owner_id: string }>(threads.ofWorkflow, workflowId, limit);
  for (const { id, owner_id: ownerId } of found) yield* removeThread(ownerId, id);
  return found.length;
}

export function* pruneThreads(now: number, limit: number): Transaction<number> {
  yield* lock('threads that expire');
  const found = yield* selectAll<{ id: string }>(threads.expired, now, limit);
  for (const { id } of found)
    if ((yield* change(threads.removeExpired, id, now)) > 0) yield* change(threads.removeTurns, id);
  return found.length;
}

/** What threads belong to: the workflow is null for those of a namespace. */
type ThreadPlace = {
  readonly owner_id: string;
  readonly workflow_id: string | null;
  readonly namespace: string | null;
};

/** Where visitors have more than `kept` threads. */
export function findCrowdedThreads(kept: number): Transaction<ThreadPlace[]> {
  return selectAll<ThreadPlace>(threads.crowded, kept);
}

/** Deletes threads of visitors other than the `kept` ones that were used last; returns their number. */
export function* removeSurplusThreads(place: ThreadPlace, kept: number, limit: number): Transaction<number> {
  yield* lock('threads of visitors');
  const { owner_id: ownerId, workflow_id: workflowId, namespace } = place;
  const found = yield* selectAll<{ id: string }>(
    threads.surplus,
    ownerId,
    workflowId,
    namespace,
    limit,
    kept,
  );
  // In the order in which turns lock threads.
  const ids = found.map(({ id }) => id).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  for (const id of ids) yield* removeThread(ownerId, id);
  return ids.length;
}
