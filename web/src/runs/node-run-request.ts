import type { Catalog } from '../canvas/model/catalog.ts';
import type { Doc } from '../canvas/model/document.ts';
import { getGraphIndex } from '../canvas/model/graph-index.ts';
import { listEarlierNodes } from '../node-panel/template-scope-for-node.ts';
import type { DisplayedRun } from './displayed-run.ts';

export type NodeRunRequest = {
  readonly until: string;
  readonly input: Record<string, unknown>;
  readonly pins: Record<string, unknown>;
};

/**
 * The request that runs one node. Earlier nodes supply their pinned output or that of the displayed run
 * instead of running. A pin is an output of the first port, so a node without side effects and with several
 * ports runs again. Nodes in a body run for each item.
 */
export function nodeRunRequest(
  doc: Doc,
  catalog: Catalog,
  nodeId: string,
  run: DisplayedRun | null,
  pinned: ReadonlyMap<string, unknown>,
): NodeRunRequest {
  const { bodyPositions } = getGraphIndex(doc, catalog);
  const container = bodyPositions.get(nodeId)?.container;
  const pins = new Map<string, unknown>();
  for (const id of listEarlierNodes(doc, catalog, nodeId)) {
    const type = catalog.get(doc.nodes.get(id)?.type ?? '');
    const isKept =
      id !== container &&
      !bodyPositions.has(id) &&
      type !== undefined &&
      type.category !== 'trigger' &&
      (type.outputs.length === 1 || type.effects === 'external');
    const newest = isKept ? run?.findNewest(id) : undefined;
    if (newest?.status === 'completed') pins.set(id, newest.output);
  }
  for (const [id, output] of pinned) pins.set(id, output);
  pins.delete(nodeId);
  if (container !== undefined) pins.delete(container);
  const input = run?.execution.input;
  return {
    until: nodeId,
    input:
      typeof input === 'object' && input !== null && !Array.isArray(input)
        ? (input as Record<string, unknown>)
        : {},
    pins: Object.fromEntries(pins),
  };
}
