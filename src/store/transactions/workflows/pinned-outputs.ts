import type { Json } from '../../../lib/json/json.ts';
import { limits } from '../../../ports/limits.ts';
import type { PinnedOutput, PinResult } from '../../../ports/store/pinned-outputs.ts';
import * as pinnedOutputs from '../../queries/pinned-outputs.ts';
import * as workflows from '../../queries/workflows.ts';
import { selectAll, change, selectFirst, lock, type Transaction } from '../../statement.ts';
import { workflowLock } from '../locks.ts';

type PinnedRecord = { node_id: string; output: string; ports: string | null; pinned_at: number };

export function* listPinnedOutputs(ownerId: string, workflowId: string): Transaction<PinnedOutput[] | null> {
  if ((yield* selectFirst(workflows.alive, workflowId, ownerId)) === null) return null;
  const rows = yield* selectAll<PinnedRecord>(pinnedOutputs.list, workflowId);
  return rows.map((row) => ({
    nodeId: row.node_id,
    output: JSON.parse(row.output) as Json,
    ports: row.ports === null ? null : (JSON.parse(row.ports) as string[]),
    pinnedAt: row.pinned_at,
  }));
}

export function* putPinnedOutput(
  ownerId: string,
  workflowId: string,
  { nodeId, output, ports, pinnedAt }: PinnedOutput,
): Transaction<PinResult> {
  yield* lock(workflowLock(workflowId));
  if ((yield* selectFirst(workflows.alive, workflowId, ownerId)) === null) return 'missing';
  const text = JSON.stringify(output);
  const bytes = Buffer.byteLength(text);
  const others = yield* selectFirst<{ n: number; bytes: number }>(pinnedOutputs.others, workflowId, nodeId);
  if (Number(others?.n ?? 0) >= limits.pinnedOutputs) return 'too_many';
  if (Number(others?.bytes ?? 0) + bytes > limits.pinnedOutputBytes) return 'too_large';
  const portsText = ports === null ? null : JSON.stringify(ports);
  yield* change(pinnedOutputs.put, workflowId, nodeId, text, bytes, portsText, pinnedAt, pinnedAt);
  return 'saved';
}

/** False when the node has no pinned output. */
export function* removePinnedOutput(
  ownerId: string,
  workflowId: string,
  nodeId: string,
): Transaction<boolean> {
  yield* lock(workflowLock(workflowId));
  if ((yield* selectFirst(workflows.alive, workflowId, ownerId)) === null) return false;
  return (yield* change(pinnedOutputs.remove, workflowId, nodeId)) > 0;
}
