import type { NodeType } from '../../contract/node-type.ts';
import { createNodeTypes } from '../../nodes/catalog.ts';
import { createCustomNodeType } from '../../nodes/code/custom-node.ts';
import type { NodeTypes, UserNodeTypes } from '../../ports/node-types.ts';
import type { CustomNodeRow, CustomNodeStore } from '../../ports/store/custom-nodes.ts';

/** Maximum total size of the code in cached catalogs, in characters. */
const MAX_CACHED_CHARACTERS = 64 * 1024 * 1024;

type CachedTypes = { changes: number; shared: NodeTypes; size: number; types: NodeTypes };

/**
 * Returns the catalog of an owner: the node types of all users (`shared`), and the owner's own. It is built
 * on first use and rebuilt after any process registers or deletes a node of the owner, or changes the shared
 * types. While it is cached, the same nodes are the same objects.
 */
export function createUserNodeTypes(
  shared: () => Promise<NodeTypes>,
  store: Pick<CustomNodeStore, 'changes' | 'all'>,
): UserNodeTypes {
  const kept = new Map<string, CachedTypes>();
  let size = 0;

  function forget(ownerId: string): void {
    size -= kept.get(ownerId)?.size ?? 0;
    kept.delete(ownerId);
  }

  return {
    async of(ownerId) {
      // Read before the nodes, so that a concurrent change is detected on the next call.
      const [changes, common] = await Promise.all([store.changes(ownerId), shared()]);
      if (changes === 0) return common;
      const known = kept.get(ownerId);
      if (known?.changes === changes && known.shared === common) {
        kept.delete(ownerId);
        kept.set(ownerId, known);
        return known.types;
      }
      const rows = await store.all(ownerId);
      const types = mergeTypes(common, rows, known?.types);
      forget(ownerId);
      const entry = { changes, shared: common, size: measureSize(rows), types };
      kept.set(ownerId, entry);
      size += entry.size;
      for (const oldest of kept.keys()) {
        if (size <= MAX_CACHED_CHARACTERS || oldest === ownerId) break;
        forget(oldest);
      }
      return types;
    },
  };
}

function measureSize(rows: readonly CustomNodeRow[]): number {
  return rows.reduce((sum, { node }) => sum + JSON.stringify(node).length, 0);
}

/**
 * An owner's node type takes precedence over a shared one of the same name, which a later release may have
 * added.
 */
function mergeTypes(
  shared: NodeTypes,
  rows: readonly CustomNodeRow[],
  before: NodeTypes | undefined,
): NodeTypes {
  const own = createNodeTypes(
    rows.map(({ node }): NodeType => {
      const same = before?.get(node.nodeType, node.version);
      return same?.category === 'custom' ? same : createCustomNodeType(node);
    }),
  );
  const all = [...shared.all().filter(({ type }) => own.get(type) === undefined), ...own.all()];
  all.sort((a, b) => (a.type < b.type ? -1 : 1));
  return {
    get: (type, version) => (own.get(type) === undefined ? shared : own).get(type, version),
    all: () => all,
    versions: (type) => (own.get(type) === undefined ? shared : own).versions(type),
  };
}
