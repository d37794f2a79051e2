import { Graph, layout } from '@dagrejs/dagre';
import type { Catalogue } from './catalogue.ts';
import type { Doc, Point } from './document.ts';
import { moveTo } from './arrange.ts';
import { boundsOf, boxesOf } from './boxes.ts';
import { GRID } from './geometry.ts';
import { indexOf, type GraphIndex } from './graph-index.ts';

/**
 * Arranges the nodes of the whole graph from left to right; a container is one large node, its body arranges itself. With `only`,
 * just these, and they stay in their corner of the canvas.
 */
export function autoLayout(doc: Doc, catalogue: Catalogue, only?: ReadonlySet<string>): Doc {
  const index = indexOf(doc, catalogue);
  const boxes = boxesOf(doc, catalogue);
  const chosen = [...doc.nodes.keys()].filter((id) => !index.places.has(id) && (only?.has(id) ?? true));
  if (chosen.length === 0) return doc;

  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: 'LR', nodesep: 40, ranksep: 90, edgesep: 20, ranker: ranker(chosen.length) });
  for (const id of chosen) {
    const { width, height } = boxes.get(id)!;
    graph.setNode(id, { width, height });
  }
  const inside = new Set(chosen);
  for (const { from, to } of index.edges) if (inside.has(from) && inside.has(to)) graph.setEdge(from, to, {});
  layout(graph);

  const was = only === undefined ? null : boundsOf(chosen.map((id) => boxes.get(id)!));
  const corner = cornerOf(chosen, graph);
  const origin = was ?? { x: 0, y: 0 };
  const to = new Map<string, Point>();
  for (const id of chosen) {
    const { x, y, width, height } = graph.node(id) as { x: number; y: number; width: number; height: number };
    to.set(id, {
      x: snap(origin.x + x - width / 2 - corner.x),
      y: snap(origin.y + y - height / 2 - corner.y),
    });
  }
  return moveTo(doc, catalogue, to);
}

/** The best arrangement takes much longer than a good one. */
function ranker(nodes: number): 'network-simplex' | 'longest-path' {
  return nodes <= 150 ? 'network-simplex' : 'longest-path';
}

function cornerOf(ids: readonly string[], graph: Graph): Point {
  const boxes = ids.map((id) => {
    const { x, y, width, height } = graph.node(id) as { x: number; y: number; width: number; height: number };
    return { x: x - width / 2, y: y - height / 2, width, height };
  });
  return boundsOf(boxes) ?? { x: 0, y: 0 };
}

function snap(value: number): number {
  return Math.round(value / GRID) * GRID;
}

/** Whether the nodes of the whole graph have places; those of definitions that were written by hand often have none. */
export function unplaced(doc: Doc, index: GraphIndex): string[] {
  return [...doc.nodes.values()]
    .filter((entry) => entry.position === undefined && !index.places.has(entry.id))
    .map(({ id }) => id);
}

/** Gives places to nodes that have none: all of them are arranged when none has one, else the new ones below the others. */
export function placeUnplaced(doc: Doc, catalogue: Catalogue): Doc {
  const index = indexOf(doc, catalogue);
  const missing = unplaced(doc, index);
  if (missing.length === 0) return doc;
  const all = [...doc.nodes.keys()].filter((id) => !index.places.has(id));
  if (missing.length === all.length) return autoLayout(doc, catalogue);
  const boxes = boxesOf(doc, catalogue);
  const there = new Set(missing);
  const bounds = boundsOf(all.filter((id) => !there.has(id)).map((id) => boxes.get(id)!))!;
  const start = { x: snap(bounds.x), y: snap(bounds.y + bounds.height + 4 * GRID) };
  const at = moveTo(doc, catalogue, new Map(missing.map((id) => [id, start])));
  return autoLayout(at, catalogue, there);
}
