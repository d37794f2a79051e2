import { limits } from '../../../ports/limits.ts';
import type { PollingTrigger, ScheduleRow } from '../../../ports/store/active-triggers.ts';
import type { ClaimedPoll, PollClaim, PollOutcome } from '../../../ports/store/polling.ts';
import * as packTriggers from '../../queries/pack-triggers.ts';
import * as polls from '../../queries/polling.ts';
import { toSchedule, type ScheduleRecord } from '../../rows.ts';
import { putPackListeners } from './pack-apps.ts';
import { endPackTrigger } from './pack-triggers.ts';
import {
  selectAll,
  change,
  selectFirst,
  createPlaceholders,
  type Transaction,
  type Statement,
} from '../../statement.ts';

/** Keys per statement, and rows that one piece of a deletion removes. */
const MAX_KEYS = 512;
const PIECE_ROWS = 5_000;

export function* duePolls(now: number, limit: number): Transaction<ScheduleRow[]> {
  return (yield* selectAll<ScheduleRecord>(polls.due, now, limit)).map(toSchedule);
}

export function* nextPoll(): Transaction<number | null> {
  return (yield* selectFirst<{ next_run_at: number | null }>(polls.next))?.next_run_at ?? null;
}

type StateRecord = {
  held_from: number;
  fence: number;
  number: number;
  failures: number;
  etag: string | null;
  last_modified: string | null;
  cursor: string | null;
};

export function* claimPoll(
  workflowId: string,
  nodeId: string,
  due: number,
  until: number,
): Transaction<ClaimedPoll | null> {
  if ((yield* change(polls.claim, until, workflowId, nodeId, due)) === 0) return null;
  const state = yield* selectFirst<StateRecord>(polls.state, workflowId, nodeId);
  if (state === null) return null;
  const { held_from: dueAt, fence, number, failures, etag, last_modified: lastModified, cursor } = state;
  return { workflowId, nodeId, fence, dueAt, number, failures, etag, lastModified, cursor };
}

export function* renewPoll({ workflowId, nodeId, fence }: PollClaim, until: number): Transaction<boolean> {
  return (yield* change(polls.renew, until, workflowId, nodeId, fence)) > 0;
}

export function* releasePoll({ workflowId, nodeId, fence }: PollClaim): Transaction<boolean> {
  return (yield* change(polls.releaseClaim, workflowId, nodeId, fence)) > 0;
}

export function* findSeenItems(
  workflowId: string,
  nodeId: string,
  keys: readonly string[],
): Transaction<string[]> {
  const found: string[] = [];
  for (const piece of pieces(keys)) {
    const { text, params } = createPlaceholders(piece);
    const rows = yield* selectAll<{ item_key: string }>(polls.listSeen(text), workflowId, nodeId, ...params);
    for (const row of rows) found.push(row.item_key);
  }
  return found;
}

export function* settlePoll(claim: PollClaim, end: PollOutcome): Transaction<boolean> {
  const { workflowId, nodeId, fence } = claim;
  const { next, lastError, failures, number, etag, lastModified, cursor } = end;
  const settled = yield* change(
    polls.settle,
    next,
    lastError,
    failures,
    number,
    etag,
    lastModified,
    cursor,
    workflowId,
    nodeId,
    fence,
  );
  if (settled === 0) return false;
  if (end.listens !== undefined) yield* putPackListeners(end.listens);
  if (end.received !== undefined) {
    const { processed, now } = end.received;
    if (processed !== null)
      yield* change(packTriggers.removeRequest, workflowId, nodeId, processed.receivedAt, processed.id);
    if (failures === 0) yield* change(packTriggers.continueRequests, now, workflowId, nodeId);
  }
  for (const piece of pieces([...new Set(end.remember)]))
    yield [{ sql: polls.see, each: piece.map((key) => [workflowId, nodeId, key, number]) }];
  if (end.listed !== null) yield* forgetOldest(claim, number, end.listed);
  return true;
}

/**
 * Runs only far above the limit, so that most polls write nothing. Items that are still listed count as new.
 */
function* forgetOldest(
  { workflowId, nodeId }: PollClaim,
  number: number,
  listed: readonly string[],
): Transaction<void> {
  const count = (yield* selectFirst<{ n: number }>(polls.count, workflowId, nodeId))?.n ?? 0;
  if (count <= limits.polledKeys + limits.polledKeys / 10) return;
  for (const piece of pieces(listed)) {
    const { text, params } = createPlaceholders(piece);
    yield* change(polls.touchSeenItems(text), number, workflowId, nodeId, ...params);
  }
  yield* change(polls.forgetOldest, workflowId, nodeId, count - limits.polledKeys);
}

function* pieces(keys: readonly string[]): Generator<readonly string[], void, void> {
  for (let at = 0; at < keys.length; at += MAX_KEYS) yield keys.slice(at, at + MAX_KEYS);
}

/**
 * Saved with a change of the workflow. `paused`: the workflow is inactive, and seen items are kept for its
 * next activation.
 */
export function* savePolls(
  workflowId: string,
  live: readonly PollingTrigger[],
  paused: boolean,
): Transaction<Statement[]> {
  const rows = yield* selectAll<{ node_id: string; address: string | null }>(polls.listNodes, workflowId);
  const stored = rows.map((row) => row.node_id);
  const kept = new Set(live.flatMap(({ nodeId, memory }) => (memory === 'nothing' ? [] : [nodeId])));
  const ended = rows.filter(({ node_id: nodeId, address }) => address !== null && !kept.has(nodeId));
  const gone = paused ? [] : stored.filter((id) => !live.some((poll) => poll.nodeId === id));
  return [
    ...ended.flatMap(({ node_id: nodeId }) => endPackTrigger(workflowId, nodeId, paused)),
    ...(stored.length > 0 ? [{ sql: polls.pause, params: [workflowId] }] : []),
    ...gone.flatMap((id) => [
      { sql: polls.remove, params: [workflowId, id] },
      { sql: polls.forget, params: [workflowId, id] },
    ]),
    ...live.flatMap((poll) => {
      const { nodeId, ownerId, version, spec, nextRunAt, lastError, memory } = poll;
      const key = [workflowId, nodeId];
      const put: Statement = {
        sql: polls.put,
        params: [workflowId, nodeId, ownerId, version, JSON.stringify(spec), nextRunAt, lastError],
      };
      if (memory === 'all') return [put];
      const unvalidate = { sql: polls.unvalidate, params: key };
      if (memory === 'items') return [put, unvalidate];
      return [put, unvalidate, { sql: polls.reset, params: key }, { sql: polls.forget, params: key }];
    }),
  ];
}

/** For a workflow that is being deleted. True when more may be left. */
export function* forgetPolled(workflowId: string): Transaction<boolean> {
  return (yield* change(polls.forgetSome, workflowId, PIECE_ROWS)) === PIECE_ROWS;
}
