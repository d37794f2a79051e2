import type { Definition } from '../../contract/definition.ts';
import type { NodeTypes } from '../../ports/node-types.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';

const PAGE_SIZE = 20;
/** Maximum number of workflows in the result. */
const MAX_WORKFLOWS = 10;

/**
 * Returns the first few active workflows whose active version uses the connection. Reads all active
 * workflows.
 */
export async function listConnectionUses(
  deps: {
    workflows: Pick<WorkflowStore, 'list' | 'getManyVersions'>;
    getNodeTypes(ownerId: string): Promise<NodeTypes>;
  },
  ownerId: string,
  connection: string,
): Promise<{ id: string; name: string }[]> {
  const types = await deps.getNodeTypes(ownerId);
  const found: { id: string; name: string }[] = [];
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const { rows } = await deps.workflows.list(ownerId, { status: 'active' }, offset, PAGE_SIZE);
    const live = rows.flatMap(({ id, activeVersion }) =>
      activeVersion === null ? [] : [{ workflowId: id, version: activeVersion }],
    );
    for (const { workflowId, definition } of await deps.workflows.getManyVersions(ownerId, live)) {
      if (!namesConnection(definition, types, connection)) continue;
      found.push({ id: workflowId, name: rows.find(({ id }) => id === workflowId)?.name ?? workflowId });
      if (found.length === MAX_WORKFLOWS) return found;
    }
    if (rows.length < PAGE_SIZE) return found;
  }
}

function namesConnection({ nodes }: Definition, types: NodeTypes, connection: string): boolean {
  return nodes.some((entry) =>
    types
      .get(entry.type, entry.version)
      ?.connections?.(entry.config ?? {})
      .some(({ name }) => name === connection),
  );
}
