import type { JsonObject } from '../../../lib/json/json.ts';
import type { ScheduleRow } from '../../../ports/store/active-triggers.ts';
import type { PackRemoval, PackRemovalEnd, PackRequest } from '../../../ports/store/pack-triggers.ts';
import type { PollClaim } from '../../../ports/store/polling.ts';
import * as apps from '../../queries/pack-apps.ts';
import * as queries from '../../queries/pack-triggers.ts';
import { toSchedule, type ScheduleRecord } from '../../rows.ts';
import { selectAll, change, selectFirst, type Statement, type Transaction } from '../../statement.ts';

export function* findPackTrigger(
  address: string,
): Transaction<(ScheduleRow & { cursor: string | null }) | null> {
  const row = yield* selectFirst<ScheduleRecord & { cursor: string | null }>(queries.find, address);
  return row === null ? null : { ...toSchedule(row), cursor: row.cursor };
}

export function* receivePackRequest(
  address: string,
  { id, receivedAt, request }: PackRequest,
  most: number,
): Transaction<'stored' | 'unknown' | 'full'> {
  // Also locks the trigger, so that a poll that ends now finds the request.
  if ((yield* change(queries.makeDue, receivedAt, address)) === 0) return 'unknown';
  const found = yield* selectFirst<{ workflow_id: string; node_id: string }>(queries.findByAddress, address);
  if (found === null) return 'unknown';
  const { workflow_id: workflowId, node_id: nodeId } = found;
  const stored = yield* selectFirst<{ n: number; last: number | null }>(
    queries.countRequests,
    workflowId,
    nodeId,
  );
  if (stored !== null && stored.n >= most) return 'full';
  // After all others, whatever the clocks of the processes: a repeated call must get the same request.
  const at = Math.max(receivedAt, (stored?.last ?? 0) + 1);
  yield* change(queries.addRequest, workflowId, nodeId, id, at, JSON.stringify(request));
  return 'stored';
}

export function* firstPackRequest(workflowId: string, nodeId: string): Transaction<PackRequest | null> {
  const row = yield* selectFirst<{ id: string; received_at: number; request: string }>(
    queries.firstRequest,
    workflowId,
    nodeId,
  );
  if (row === null) return null;
  return { id: row.id, receivedAt: row.received_at, request: JSON.parse(row.request) as JsonObject };
}

export function* registerPackTrigger(
  { workflowId, nodeId, fence }: PollClaim,
  fresh: string,
): Transaction<{ address: string } | 'waiting' | null> {
  const row = yield* selectFirst<{ address: string | null; is_registered: number }>(
    queries.registration,
    workflowId,
    nodeId,
    fence,
  );
  if (row === null) return null;
  if ((yield* selectFirst(queries.untried, workflowId, nodeId)) !== null) return 'waiting';
  const address = row.is_registered === 0 ? (row.address ?? fresh) : fresh;
  const written = yield* change(queries.register, address, workflowId, nodeId, fence);
  return written === 0 ? null : { address };
}

export function* addPackRemoval(removal: Omit<PackRemoval, 'failures' | 'dueAt'>): Transaction<void> {
  const { address, workflowId, nodeId, ownerId, version, spec, cursor } = removal;
  const text = JSON.stringify(spec);
  yield* change(queries.addRemovalOf, address, workflowId, nodeId, ownerId, version, text, cursor);
}

type RemovalRecord = {
  address: string;
  workflow_id: string;
  node_id: string;
  owner_id: string;
  version: number;
  spec: string;
  cursor: string;
  failures: number;
  next_at: number;
};

export function* duePackRemovals(now: number, limit: number): Transaction<PackRemoval[]> {
  return (yield* selectAll<RemovalRecord>(queries.due, now, limit)).map((row) => ({
    address: row.address,
    workflowId: row.workflow_id,
    nodeId: row.node_id,
    ownerId: row.owner_id,
    version: row.version,
    spec: JSON.parse(row.spec) as JsonObject,
    cursor: row.cursor,
    failures: row.failures,
    dueAt: row.next_at,
  }));
}

export function* nextPackRemoval(): Transaction<number | null> {
  return (yield* selectFirst<{ next_at: number | null }>(queries.next))?.next_at ?? null;
}

export function* claimPackRemoval(address: string, due: number, until: number): Transaction<boolean> {
  return (yield* change(queries.claim, until, address, due)) > 0;
}

export function* endPackRemoval(address: string, until: number, end: PackRemovalEnd): Transaction<void> {
  if (end.kind === 'retry') {
    yield* change(queries.retry, end.failures, end.next, address, until);
    return;
  }
  if ((yield* change(queries.removed, address, until)) === 0) return;
  yield* change(apps.removeListeners, address);
  if (end.kind === 'done') yield* change(queries.unregister, address);
  else yield* change(queries.noteRemovalFailure, end.error, address);
}

/**
 * The trigger ends: its registration must be removed. `isKept`: it is paused, and keeps its requests and its
 * address.
 */
export function endPackTrigger(workflowId: string, nodeId: string, isKept: boolean): Statement[] {
  const params = [workflowId, nodeId];
  return [
    { sql: queries.removeLater, params },
    { sql: queries.forgetState, params },
    ...(isKept
      ? []
      : [
          { sql: queries.removeRequests, params },
          { sql: queries.forgetAddress, params },
        ]),
  ];
}

/** Of a workflow that is being deleted. */
export function endPackTriggers(workflowId: string): Statement[] {
  return [
    { sql: queries.removeLaterOfWorkflow, params: [workflowId] },
    { sql: queries.removeRequestsOfWorkflow, params: [workflowId] },
  ];
}
