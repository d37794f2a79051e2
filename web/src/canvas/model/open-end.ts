import type { Catalog } from './catalog.ts';
import type { Doc } from './document.ts';
import { getGraphIndex } from './graph-index.ts';
import { getPorts } from './ports.ts';

/** The only top-level node with an output and no successor; null if there is none, or more than one. */
export function findOnlyOpenEnd(doc: Doc, catalog: Catalog): string | null {
  const { out, bodyPositions } = getGraphIndex(doc, catalog);
  const ends = [...doc.nodes.values()].filter(
    (node) =>
      !bodyPositions.has(node.id) &&
      (out.get(node.id) ?? []).length === 0 &&
      getPorts(node, catalog).outputs.length > 0,
  );
  return ends.length === 1 ? ends[0]!.id : null;
}
