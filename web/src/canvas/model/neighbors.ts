import type { Catalog } from './catalog.ts';
import { computeBoxes, type Box } from './layout/boxes.ts';
import type { Doc } from './document.ts';
import { getGraphIndex } from './graph-index.ts';

export const directions = ['left', 'right', 'up', 'down'] as const;
export type Direction = (typeof directions)[number];

/**
 * The node that an arrow key selects; null: none. Left and right follow edges. Up and down select a node with
 * the same source or target, otherwise the nearest one. Down enters the body of a container, and left from
 * its first node returns to the container.
 */
export function findNeighbor(doc: Doc, catalog: Catalog, id: string, direction: Direction): string | null {
  const index = getGraphIndex(doc, catalog);
  const boxes = computeBoxes(doc, catalog);
  const box = boxes.get(id);
  if (box === undefined) return null;
  if (direction === 'right' || direction === 'left') {
    const edges = (direction === 'right' ? index.out : index.in).get(id) ?? [];
    const ends = edges.map((edge) => (direction === 'right' ? edge.to : edge.from));
    const straight = nearest(box, ends, boxes);
    if (straight !== null) return straight;
    if (direction === 'left') return index.bodyPositions.get(id)?.container ?? null;
    return null;
  }
  if (direction === 'down') {
    const first = [...(index.bodyNodes.get(id)?.values() ?? [])].find((nodes) => nodes.length > 0);
    if (first !== undefined) return first[0]!;
  }
  const adjacent = new Set<string>();
  for (const { from } of index.in.get(id) ?? [])
    for (const { to } of index.out.get(from) ?? []) adjacent.add(to);
  for (const { to } of index.out.get(id) ?? [])
    for (const { from } of index.in.get(to) ?? []) adjacent.add(from);
  adjacent.delete(id);
  const isInDirection = (other: string): boolean => {
    const otherBox = boxes.get(other)!;
    return direction === 'up' ? middle(otherBox).y < middle(box).y : middle(otherBox).y > middle(box).y;
  };
  const sibling = nearest(box, [...adjacent].filter(isInDirection), boxes);
  if (sibling !== null) return sibling;
  const region = (other: string): string => JSON.stringify(index.bodyPositions.get(other)?.container ?? null);
  const own = region(id);
  const others = [...boxes.keys()].filter(
    (other) => other !== id && region(other) === own && isInDirection(other),
  );
  const next = nearest(box, others, boxes);
  return next ?? (direction === 'up' ? (index.bodyPositions.get(id)?.container ?? null) : null);
}

function nearest(box: Box, ids: readonly string[], boxes: ReadonlyMap<string, Box>): string | null {
  let found: string | null = null;
  let best = Infinity;
  const from = middle(box);
  for (const id of ids) {
    const to = middle(boxes.get(id)!);
    const distance = (to.x - from.x) ** 2 + (to.y - from.y) ** 2;
    if (distance < best) [found, best] = [id, distance];
  }
  return found;
}

function middle({ x, y, width, height }: Box): { x: number; y: number } {
  return { x: x + width / 2, y: y + height / 2 };
}
