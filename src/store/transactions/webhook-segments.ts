import type { WorkflowChange } from '../../ports/store/workflows.ts';
import { limits } from '../../ports/limits.ts';
import * as triggers from '../queries/triggers.ts';
import { selectAll, lock, type Transaction, type Statement } from '../statement.ts';
import { segmentLock } from './locks.ts';

type Reservation =
  | { kind: 'free'; writes: Statement[] }
  | { kind: 'reserved'; endpoint: string }
  | { kind: 'too_many_segments' };

/**
 * Reserves the first segments of active endpoints for the workflow's owner. A workflow keeps a segment that
 * it already has, even if another user's workflow has it too: both were active before segments were reserved.
 */
export function* reserveSegments({
  row: { id, ownerId },
  live,
}: Pick<WorkflowChange, 'row' | 'live'>): Transaction<Reservation> {
  const endpoints = new Map<string, string>();
  for (const { endpoint } of live.webhooks) {
    const segment = endpoint.split('/', 1)[0] ?? '';
    if (!segment.startsWith(':')) endpoints.set(segment, endpoint);
  }
  if (endpoints.size === 0) return { kind: 'free', writes: [] };
  // In a fixed order, so that two transactions with the same segments do not deadlock.
  const segments = [...endpoints.keys()].toSorted();
  yield* lock(...segments.map(segmentLock));
  const results = yield segments.map((segment) => ({
    sql: triggers.segmentReserved,
    params: [segment, ownerId, id],
  }));
  const reserved = segments.find((_, i) => (results[i]?.rows.length ?? 0) > 0);
  if (reserved !== undefined) return { kind: 'reserved', endpoint: endpoints.get(reserved) ?? '' };
  const rows = yield* selectAll<{ segment: string }>(triggers.listSegments, id);
  const own = new Set(rows.map((one) => one.segment));
  const added = segments.filter((segment) => !own.has(segment));
  if (own.size + added.length > limits.webhookSegments) return { kind: 'too_many_segments' };
  const writes = added.map((segment) => ({ sql: triggers.reserveSegment, params: [id, segment, ownerId] }));
  return { kind: 'free', writes };
}
