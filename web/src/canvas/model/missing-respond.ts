import type { Catalog } from './catalog.ts';
import type { Doc } from './document.ts';
import { getGraphIndex, listDescendants } from './graph-index.ts';
import { errorPort, getPorts } from './ports.ts';
import { getNodeTitle } from './title.ts';

/** Types that deliver on exactly one port: a branch ends at each unconnected port. */
const BRANCHING_TYPES = new Set(['condition', 'switch']);
/** Types that end a branch. */
const ENDING_TYPES = new Set(['respond', 'stop']);

/**
 * The titles of the nodes that end a branch of a trigger without a `respond` node, with the unconnected port.
 * Requests that take such a branch receive the output of the execution.
 */
export function listEndsWithoutRespond(doc: Doc, catalog: Catalog, triggerId: string): string[] {
  const index = getGraphIndex(doc, catalog);
  const responds = (id: string): boolean =>
    [id, ...listDescendants(index, [id])].some((one) => ENDING_TYPES.has(doc.nodes.get(one)?.type ?? ''));
  const ends: string[] = [];
  const found = new Set([triggerId]);
  // A set is iterated in the order of insertion, including what is added meanwhile.
  for (const id of found) {
    const node = doc.nodes.get(id);
    if (node === undefined || responds(id)) continue;
    const edges = (index.out.get(id) ?? []).filter(({ kind }) => kind !== 'order');
    const used = new Set(edges.map(({ port }) => port));
    used.delete(errorPort.name);
    const title = getNodeTitle(node, catalog);
    if (BRANCHING_TYPES.has(node.type)) {
      for (const { name } of getPorts(node, catalog).outputs)
        if (!used.has(name)) ends.push(`${title} (${name})`);
    } else if (used.size === 0) ends.push(title);
    for (const { to } of edges) found.add(to);
  }
  return ends;
}
