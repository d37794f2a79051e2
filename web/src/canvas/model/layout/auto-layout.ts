import type { Catalog } from '../catalog.ts';
import type { Doc, Entry } from '../document.ts';
import { moveTo } from '../edit/arrange.ts';
import { computeBounds, computeBoxes } from './boxes.ts';
import { GRID } from './geometry.ts';
import { getGraphIndex, type GraphIndex } from '../graph-index.ts';
import { arrangeInLayers, type LayerEdge } from './layers.ts';
import { getPorts } from '../ports.ts';

/**
 * Arranges the top-level nodes from left to right; bodies have their own layout. With `only`, arranges just
 * these nodes and keeps their top left corner.
 */
export function computeLayout(doc: Doc, catalog: Catalog, only?: ReadonlySet<string>): Doc {
  const index = getGraphIndex(doc, catalog);
  const boxes = computeBoxes(doc, catalog);
  const selected = [...doc.nodes.keys()].filter(
    (id) => !index.bodyPositions.has(id) && (only?.has(id) ?? true),
  );
  if (selected.length === 0) return doc;

  const inside = new Set(selected);
  const edges = selected.flatMap((id) =>
    listOutgoingEdges(doc.nodes.get(id)!, index, catalog).filter(({ to }) => inside.has(to)),
  );
  const positions = arrangeInLayers(new Map(selected.map((id) => [id, boxes.get(id)!])), edges);

  const { x, y } = (only === undefined ? null : computeBounds(selected.map((id) => boxes.get(id)!))) ?? {
    x: 0,
    y: 0,
  };
  const to = new Map(
    [...positions].map(([id, point]) => [id, { x: snap(x + point.x), y: snap(y + point.y) }]),
  );
  return moveTo(doc, catalog, to);
}

/** The connections of a node in the order of its ports; the port for failures is the last one. */
function listOutgoingEdges(entry: Entry, index: GraphIndex, catalog: Catalog): LayerEdge[] {
  const names = getPorts(entry, catalog).outputs.map(({ name }) => name);
  const rank = (port: string): number => (names.includes(port) ? names.indexOf(port) : names.length);
  return (index.out.get(entry.id) ?? [])
    .toSorted((a, b) => rank(a.port) - rank(b.port))
    .map(({ from, port, to }) => ({ from, to, isMain: rank(port) === 0 }));
}

function snap(value: number): number {
  return Math.round(value / GRID) * GRID;
}

/** The ids of the top-level nodes without a position. Definitions written by hand often contain none. */
export function listUnplacedNodes(doc: Doc, index: GraphIndex): string[] {
  return [...doc.nodes.values()]
    .filter((entry) => entry.position === undefined && !index.bodyPositions.has(entry.id))
    .map(({ id }) => id);
}

/** Positions the nodes without a position: below the others, or all of them if no node has a position. */
export function placeUnplaced(doc: Doc, catalog: Catalog): Doc {
  const index = getGraphIndex(doc, catalog);
  const missing = listUnplacedNodes(doc, index);
  if (missing.length === 0) return doc;
  const all = [...doc.nodes.keys()].filter((id) => !index.bodyPositions.has(id));
  if (missing.length === all.length) return computeLayout(doc, catalog);
  const boxes = computeBoxes(doc, catalog);
  const there = new Set(missing);
  const bounds = computeBounds(all.filter((id) => !there.has(id)).map((id) => boxes.get(id)!))!;
  const start = { x: snap(bounds.x), y: snap(bounds.y + bounds.height + 4 * GRID) };
  const moved = moveTo(doc, catalog, new Map(missing.map((id) => [id, start])));
  return computeLayout(moved, catalog, there);
}
