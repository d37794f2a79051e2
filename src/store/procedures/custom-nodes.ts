import type { CustomNode } from '../../contract/schemas-node.ts';
import type { CustomNodeRow } from '../../ports/store.ts';
import * as customNodes from '../queries/custom-nodes.ts';
import { all, first, lock, type Procedure } from '../statement.ts';
import { ownerLock } from './locks.ts';

export function* createCustomNode(
  { ownerId, node, createdAt }: CustomNodeRow,
  most: { versions: number; bytes: number },
): Procedure<'created' | 'exists' | 'full'> {
  yield* lock(ownerLock('custom-nodes', ownerId));
  const numbers = node.version.split('.').map(Number);
  if ((yield* first(customNodes.exists, ownerId, node.nodeType, ...numbers)) !== null) return 'exists';
  const specification = JSON.stringify(node);
  const size = Buffer.byteLength(specification);
  const used = yield* first<{ n: number; bytes: number }>(customNodes.used, ownerId);
  if (used !== null && (used.n >= most.versions || Number(used.bytes) + size > most.bytes)) return 'full';
  yield [
    {
      sql: customNodes.insert,
      params: [ownerId, node.nodeType, ...numbers, specification, size, createdAt],
    },
  ];
  return 'created';
}

export function* countCustomNodes(ownerId: string): Procedure<number> {
  return (yield* first<{ n: number }>(customNodes.count, ownerId))?.n ?? 0;
}

export function* listCustomNodes(ownerId: string): Procedure<CustomNodeRow[]> {
  const rows = yield* all<{ specification: string; created_at: number }>(customNodes.list, ownerId);
  return rows.map((row) => ({
    ownerId,
    node: JSON.parse(row.specification) as CustomNode,
    createdAt: row.created_at,
  }));
}
