import type { Catalog } from '../catalog.ts';
import type { Doc, Point } from '../document.ts';
import { computeBoxes, type Box } from '../layout/boxes.ts';
import { changeNodes } from './edit-nodes.ts';
import { changeNote } from './edit-notes.ts';
import { GRID } from '../layout/geometry.ts';
import { getGraphIndex } from '../graph-index.ts';

export const alignments = ['left', 'center', 'right', 'top', 'middle', 'bottom', 'row', 'column'] as const;
export type Alignment = (typeof alignments)[number];

/** Moves nodes and comments to positions. Nodes in a body are positioned by the layout of the body. */
export function moveTo(
  doc: Doc,
  catalog: Catalog,
  nodes: ReadonlyMap<string, Point>,
  notes: ReadonlyMap<string, Point> = new Map(),
): Doc {
  const { bodyPositions } = getGraphIndex(doc, catalog);
  let next = changeNodes(doc, nodes.keys(), (entry) => {
    const to = nodes.get(entry.id)!;
    const is = entry.position;
    const isInPlace = is !== undefined && is.x === to.x && is.y === to.y;
    return isInPlace || bodyPositions.has(entry.id) ? entry : { ...entry, position: to };
  });
  for (const [id, { x, y }] of notes) next = changeNote(next, id, { x, y });
  return next;
}

/** Moves by a distance. */
export function moveBy(
  doc: Doc,
  catalog: Catalog,
  nodes: Iterable<string>,
  notes: Iterable<string>,
  { x, y }: Point,
): Doc {
  const to = new Map<string, Point>();
  for (const id of nodes) {
    const { position = { x: 0, y: 0 } } = doc.nodes.get(id) ?? {};
    to.set(id, { x: position.x + x, y: position.y + y });
  }
  const notesTo = new Map<string, Point>();
  for (const id of notes) {
    const note = doc.notes.get(id);
    if (note !== undefined) notesTo.set(id, { x: note.x + x, y: note.y + y });
  }
  return moveTo(doc, catalog, to, notesTo);
}

/** Aligns nodes of the whole graph, or spreads them evenly in a row or a column. */
export function align(doc: Doc, catalog: Catalog, ids: Iterable<string>, how: Alignment): Doc {
  const { bodyPositions } = getGraphIndex(doc, catalog);
  const boxes = computeBoxes(doc, catalog);
  const selected = [...ids].flatMap((id) => {
    const box = boxes.get(id);
    return box === undefined || bodyPositions.has(id) ? [] : [{ id, box }];
  });
  if (selected.length < 2) return doc;
  return moveTo(doc, catalog, aligned(selected, how));
}

type SelectedNode = { readonly id: string; readonly box: Box };

function aligned(selected: readonly SelectedNode[], how: Alignment): Map<string, Point> {
  const left = Math.min(...selected.map(({ box }) => box.x));
  const right = Math.max(...selected.map(({ box }) => box.x + box.width));
  const top = Math.min(...selected.map(({ box }) => box.y));
  const bottom = Math.max(...selected.map(({ box }) => box.y + box.height));
  if (how === 'row' || how === 'column') return spaceEvenly(selected, how);
  const placeAt = ({ x, y, width, height }: Box): Point => {
    switch (how) {
      case 'left':
        return { x: left, y };
      case 'right':
        return { x: right - width, y };
      case 'center':
        return { x: (left + right - width) / 2, y };
      case 'top':
        return { x, y: top };
      case 'bottom':
        return { x, y: bottom - height };
      case 'middle':
        return { x, y: (top + bottom - height) / 2 };
    }
  };
  return new Map(selected.map(({ id, box }) => [id, placeAt(box)]));
}

/** The first and the last stay; those between are spaced evenly, at least one grid step apart. */
function spaceEvenly(selected: readonly SelectedNode[], how: 'row' | 'column'): Map<string, Point> {
  const along = how === 'row' ? ('x' as const) : ('y' as const);
  const length = how === 'row' ? ('width' as const) : ('height' as const);
  const sorted = selected.toSorted((a, b) => a.box[along] - b.box[along]);
  const first = sorted[0]!.box;
  const last = sorted.at(-1)!.box;
  const used = sorted.reduce((sum, { box }) => sum + box[length], 0);
  const freeSpace = last[along] + last[length] - first[along] - used;
  const gap = Math.max(2 * GRID, freeSpace / (sorted.length - 1));
  let offset = first[along];
  return new Map(
    sorted.map(({ id, box }) => {
      const point = how === 'row' ? { x: offset, y: first.y } : { x: first.x, y: offset };
      offset += box[length] + gap;
      return [id, point];
    }),
  );
}

/** The nearest free position at or below a point for a box of this size. */
export function findFreePosition(doc: Doc, catalog: Catalog, preferred: Box): Point {
  const { bodyPositions } = getGraphIndex(doc, catalog);
  const taken: Box[] = [];
  for (const [id, box] of computeBoxes(doc, catalog)) if (!bodyPositions.has(id)) taken.push(box);
  let { x, y } = preferred;
  x = Math.round(x / GRID) * GRID;
  y = Math.round(y / GRID) * GRID;
  // Moves down past each overlapping box; each step leaves at least one box behind.
  for (let step = 0; step <= taken.length; step++) {
    const hit = taken.find(
      (box) =>
        x < box.x + box.width + GRID &&
        x + preferred.width + GRID > box.x &&
        y < box.y + box.height + GRID &&
        y + preferred.height + GRID > box.y,
    );
    if (hit === undefined) break;
    y = Math.ceil((hit.y + hit.height + 2 * GRID) / GRID) * GRID;
  }
  return { x, y };
}
