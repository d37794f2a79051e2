import { Graph, layout } from '@dagrejs/dagre';
import type { Point } from '../document.ts';
import { GRID, type Size } from './geometry.ts';

/** An edge. `isMain`: of the first port, drawn straight if possible. */
export type LayerEdge = { readonly from: string; readonly to: string; readonly isMain: boolean };

/** The gap between two columns, in which edges change their height. */
const COLUMN_GAP = 100;
const ROW_GAP = 40;
/** The best arrangement takes much longer than a good one. */
const MAX_EXACT_NODES = 150;

type Slot = { readonly id: string; readonly column: number; readonly row: number };

/**
 * Arranges nodes in columns from left to right. The first ports of all nodes have the same distance from the
 * top, so nodes in a row have the same top: edges of first ports are straight, and branches lie below them.
 */
export function arrangeInLayers(
  sizes: ReadonlyMap<string, Size>,
  edges: readonly LayerEdge[],
): Map<string, Point> {
  const slots = createSlots(sizes, edges);
  const columns: Slot[][] = [];
  for (const slot of slots.values()) (columns[slot.column] ??= []).push(slot);
  for (const column of columns) column.sort((a, b) => a.row - b.row);
  const rowById = groupIntoRows(slots, edges);
  const tops = computeTops(columns, rowById, sizes);

  const positions = new Map<string, Point>();
  let x = 0;
  for (const column of columns) {
    let widest = 0;
    for (const { id } of column) {
      positions.set(id, { x, y: tops.get(rowById.get(id)!)! });
      widest = Math.max(widest, sizes.get(id)!.width);
    }
    x += onGrid(widest) + COLUMN_GAP;
  }
  return positions;
}

/** The column of each node, and its position in it: by port order, or by the order with fewer crossings. */
function createSlots(sizes: ReadonlyMap<string, Size>, edges: readonly LayerEdge[]): Map<string, Slot> {
  const columns = assignColumns([...sizes.keys()], edges);
  const forward = edges.filter(({ from, to }) => columns.get(from)! < columns.get(to)!);
  if (sizes.size > MAX_EXACT_NODES) return orderLayers(sizes, columns, forward, false);
  const natural = orderLayers(sizes, columns, forward, true);
  const best = orderLayers(sizes, columns, forward, false);
  return countCrossings(best, forward) < countCrossings(natural, forward) ? best : natural;
}

/** Columns from the left: nodes after their predecessors, first nodes directly before their successors. */
function assignColumns(ids: readonly string[], edges: readonly LayerEdge[]): Map<string, number> {
  const columns = new Map(ids.map((id) => [id, 0]));
  const open = new Map(ids.map((id) => [id, 0]));
  const next = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of edges) {
    next.get(from)!.push(to);
    open.set(to, open.get(to)! + 1);
  }
  const first = ids.filter((id) => open.get(id) === 0);
  const ready = [...first];
  for (const id of ready)
    for (const to of next.get(id)!) {
      columns.set(to, Math.max(columns.get(to)!, columns.get(id)! + 1));
      open.set(to, open.get(to)! - 1);
      if (open.get(to) === 0) ready.push(to);
    }
  for (const id of first) {
    const after = next.get(id)!.map((to) => columns.get(to)!);
    if (after.length > 0) columns.set(id, Math.max(0, Math.min(...after) - 1));
  }
  return columns;
}

function orderLayers(
  sizes: ReadonlyMap<string, Size>,
  columns: ReadonlyMap<string, number>,
  edges: readonly LayerEdge[],
  isNatural: boolean,
): Map<string, Slot> {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: 'LR', nodesep: ROW_GAP, ranker: 'none' });
  // The layout counts two ranks for each column.
  for (const [id, { width, height }] of sizes)
    graph.setNode(id, { width, height, rank: 2 * columns.get(id)! });
  for (const { from, to } of edges) graph.setEdge(from, to, {});
  layout(graph, { disableOptimalOrderHeuristic: isNatural });
  return new Map(
    [...columns].map(([id, column]) => [id, { id, column, row: (graph.node(id) as { y: number }).y }]),
  );
}

function countCrossings(slots: ReadonlyMap<string, Slot>, edges: readonly LayerEdge[]): number {
  let count = 0;
  edges.forEach(({ from, to }, i) => {
    const [a, b] = [slots.get(from)!, slots.get(to)!];
    for (const other of edges.slice(i + 1)) {
      const [c, d] = [slots.get(other.from)!, slots.get(other.to)!];
      if (a.column === c.column && b.column === d.column && (a.row - c.row) * (b.row - d.row) < 0) count++;
    }
  });
  return count;
}

/** The row of each node, identified by its first node. Nodes of a row get the same top. Rows do not cross. */
function groupIntoRows(slots: ReadonlyMap<string, Slot>, edges: readonly LayerEdge[]): Map<string, string> {
  const next = new Map<string, string>();
  const before = new Map<string, string>();
  const joined = new Map<number, [Slot, Slot][]>();
  const ordered = edges
    .filter(({ from, to }) => slots.get(to)!.column === slots.get(from)!.column + 1)
    .toSorted(
      (a, b) => Number(b.isMain) - Number(a.isMain) || slots.get(a.from)!.row - slots.get(b.from)!.row,
    );
  for (const { from, to } of ordered) {
    if (next.has(from) || before.has(to)) continue;
    const [a, b] = [slots.get(from)!, slots.get(to)!];
    let others = joined.get(a.column);
    if (others === undefined) joined.set(a.column, (others = []));
    if (others.some(([c, d]) => (a.row - c.row) * (b.row - d.row) <= 0)) continue;
    others.push([a, b]);
    next.set(from, to);
    before.set(to, from);
  }
  const rowById = new Map<string, string>();
  for (const first of slots.keys()) {
    if (before.has(first)) continue;
    for (let id: string | undefined = first; id !== undefined; id = next.get(id)) rowById.set(id, first);
  }
  return rowById;
}

/** The top of each row: as high as the rows above it allow. */
function computeTops(
  columns: readonly (readonly Slot[])[],
  rowById: ReadonlyMap<string, string>,
  sizes: ReadonlyMap<string, Size>,
): Map<string, number> {
  const tops = new Map<string, number>();
  const below = new Map<string, { row: string; distance: number }[]>();
  const open = new Map<string, number>();
  for (const row of rowById.values()) tops.set(row, 0);
  for (const column of columns)
    column.slice(1).forEach(({ id }, i) => {
      const above = column[i]!.id;
      const [upper, row] = [rowById.get(above)!, rowById.get(id)!];
      const distance = onGrid(sizes.get(above)!.height + ROW_GAP);
      const list = below.get(upper);
      if (list === undefined) below.set(upper, [{ row, distance }]);
      else list.push({ row, distance });
      open.set(row, (open.get(row) ?? 0) + 1);
    });
  const ready = [...tops.keys()].filter((row) => !open.has(row));
  for (const upper of ready)
    for (const { row, distance } of below.get(upper) ?? []) {
      tops.set(row, Math.max(tops.get(row)!, tops.get(upper)! + distance));
      const left = open.get(row)! - 1;
      open.set(row, left);
      if (left === 0) ready.push(row);
    }
  return tops;
}

function onGrid(length: number): number {
  return Math.ceil(length / GRID) * GRID;
}
