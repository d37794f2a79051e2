import type { CustomNode } from '../../../contract/requests/node.ts';
import type { Definition } from '../../../contract/definition.ts';
import type { CustomNodeRow, NodeUse } from '../../../ports/store/custom-nodes.ts';
import * as customNodes from '../../queries/custom-nodes.ts';
import { selectAll, selectFirst, lock, type Transaction, type Statement } from '../../statement.ts';
import { ownerLock } from '../locks.ts';

export function* createCustomNode(
  { ownerId, node, createdAt }: CustomNodeRow,
  most: { versions: number; bytes: number },
): Transaction<'created' | 'exists' | 'deleted' | 'full'> {
  yield* lock(ownerLock('custom-nodes', ownerId));
  const numbers = node.version.split('.').map(Number);
  if ((yield* selectFirst(customNodes.exists, ownerId, node.nodeType, ...numbers)) !== null) return 'exists';
  if ((yield* selectFirst(customNodes.buried, ownerId, node.nodeType, ...numbers)) !== null) return 'deleted';
  const specification = JSON.stringify(node);
  const size = Buffer.byteLength(specification);
  const used = yield* selectFirst<{ n: number; bytes: number }>(customNodes.used, ownerId);
  if (used !== null && (used.n >= most.versions || Number(used.bytes) + size > most.bytes)) return 'full';
  yield [
    {
      sql: customNodes.insert,
      params: [ownerId, node.nodeType, ...numbers, specification, size, createdAt],
    },
  ];
  return 'created';
}

export function* customNodeChanges(ownerId: string): Transaction<number> {
  return Number((yield* selectFirst<{ n: number }>(customNodes.changes, ownerId, ownerId))?.n ?? 0);
}

/** Number of workflows, and of definitions of a workflow, that are checked together. */
const PIECE_SIZE = 50;

export function* customNodeUses(
  ownerId: string,
  nodeType: string,
  version: string | null,
  since: number,
  most: number,
): Transaction<NodeUse[]> {
  const found: NodeUse[] = [];
  let [createdAt, last] = [0, ''];
  for (;;) {
    type Candidate = { id: string; name: string; created_at: number };
    const rows = yield* selectAll<Candidate>(
      customNodes.listWorkflows,
      ownerId,
      since,
      createdAt,
      last,
      PIECE_SIZE,
    );
    for (const { id, name, created_at } of rows) {
      [createdAt, last] = [created_at, id];
      const versions = yield* versionsWith(id, nodeType, version);
      if (versions.length > 0) found.push({ workflowId: id, name, versions });
      if (found.length >= most) return found;
    }
    if (rows.length < PIECE_SIZE) return found;
  }
}

/** The versions of a workflow that contain a node of this type. */
export function* versionsWith(id: string, nodeType: string, version: string | null): Transaction<number[]> {
  const pattern = `%"type":${JSON.stringify(nodeType)}%`;
  const found: number[] = [];
  // Definitions of tests have negative numbers.
  let last = Number.MIN_SAFE_INTEGER;
  for (;;) {
    type Mention = { version: number; definition: string };
    const rows = yield* selectAll<Mention>(customNodes.mentions, id, last, pattern, PIECE_SIZE);
    for (const row of rows) {
      last = row.version;
      const { nodes } = JSON.parse(row.definition) as Definition;
      if (nodes.some((node) => node.type === nodeType && (version === null || node.version === version)))
        found.push(row.version);
    }
    if (rows.length < PIECE_SIZE) return found;
  }
}

export function* removeCustomNode(
  ownerId: string,
  nodeType: string,
  version: string | null,
  { deletedAt, checkedAt }: { deletedAt: number; checkedAt: number },
  most: number,
): Transaction<'removed' | 'missing' | 'used' | 'full'> {
  yield* lock(ownerLock('custom-nodes', ownerId));
  type Numbers = { major: number; minor: number; patch: number };
  const versions = yield* selectAll<Numbers>(customNodes.listVersions, ownerId, nodeType);
  const doomed = versions
    .map(({ major, minor, patch }) => [major, minor, patch])
    .filter((numbers) => version === null || numbers.join('.') === version);
  if (doomed.length === 0) return 'missing';
  const buried = (yield* selectFirst<{ n: number }>(customNodes.countBuried, ownerId))?.n ?? 0;
  if (buried + doomed.length > most) return 'full';
  // Workflows that were saved while the others were checked.
  if ((yield* customNodeUses(ownerId, nodeType, version, checkedAt, 1)).length > 0) return 'used';
  yield doomed.flatMap((numbers): Statement[] => [
    { sql: customNodes.remove, params: [ownerId, nodeType, ...numbers] },
    { sql: customNodes.recordDeletedVersion, params: [ownerId, nodeType, ...numbers, deletedAt] },
  ]);
  return 'removed';
}

export function* listCustomNodes(ownerId: string): Transaction<CustomNodeRow[]> {
  const rows = yield* selectAll<{ specification: string; created_at: number }>(customNodes.list, ownerId);
  return rows.map((row) => ({
    ownerId,
    node: JSON.parse(row.specification) as CustomNode,
    createdAt: row.created_at,
  }));
}
