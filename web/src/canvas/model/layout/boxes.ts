import type { Catalog } from '../catalog.ts';
import type { Doc, Point } from '../document.ts';
import { measureCard, type Size } from './geometry.ts';
import { getGraphIndex, type GraphIndex } from '../graph-index.ts';

export type Box = Point & Size;
/** The part of a container in which one list of its body is drawn, from the corner of the container. */
export type Lane = Box & { readonly body: string };
export type PlacedBox = Box & { readonly lanes?: readonly Lane[] };

export const CONTAINER_HEAD = 60;
export const LANE_LABEL = 26;
const LANE_PADDING = 16;
const LANE_GAP = 10;
const CONTAINER_PADDING = 12;
const EMPTY_LANE = { width: 300, height: 76 };
/** Wide enough for an edge that changes its height, and for the name of a port. */
const COLUMN_GAP = 80;
const ROW_GAP = 28;

type ContainerLayout = { size: Size; lanes: Lane[]; positions: Map<string, Point> };

const cache = new WeakMap<Doc, { catalog: Catalog; boxes: ReadonlyMap<string, PlacedBox> }>();

/**
 * The box of every node. Top-level nodes are at their position in the document. A body is arranged
 * automatically, in the order in which its nodes run, and determines the size of its container.
 */
export function computeBoxes(doc: Doc, catalog: Catalog): ReadonlyMap<string, PlacedBox> {
  const cached = cache.get(doc);
  if (cached?.catalog === catalog) return cached.boxes;
  const boxes = placeAll(doc, catalog);
  cache.set(doc, { catalog, boxes });
  return boxes;
}

function placeAll(doc: Doc, catalog: Catalog): Map<string, PlacedBox> {
  const index = getGraphIndex(doc, catalog);
  const insides = new Map<string, ContainerLayout>();
  const getSize = (id: string): Size => insides.get(id)?.size ?? measureCard(doc.nodes.get(id)!, catalog);
  for (const id of index.containers) insides.set(id, arrange(id, index, getSize));

  const boxes = new Map<string, PlacedBox>();
  for (const entry of doc.nodes.values()) {
    if (index.bodyPositions.has(entry.id)) continue;
    const { x, y } = entry.position ?? { x: 0, y: 0 };
    boxes.set(entry.id, { x, y, ...getSize(entry.id) });
  }
  for (const id of index.containers.toReversed()) {
    const { lanes, positions } = insides.get(id)!;
    const box = boxes.get(id)!;
    boxes.set(id, { ...box, lanes });
    for (const [member, { x, y }] of positions)
      boxes.set(member, { x: box.x + x, y: box.y + y, ...getSize(member) });
  }
  return boxes;
}

function arrange(id: string, index: GraphIndex, getSize: (id: string) => Size): ContainerLayout {
  const lanes: Lane[] = [];
  const positions = new Map<string, Point>();
  let y = CONTAINER_HEAD;
  let width = EMPTY_LANE.width;
  for (const [body, nodes] of index.bodyNodes.get(id)!) {
    const rows = arrangeBody(nodes, index, getSize);
    const inner = nodes.length === 0 ? EMPTY_LANE : rows.size;
    for (const [node, point] of rows.positions)
      positions.set(node, {
        x: CONTAINER_PADDING + LANE_PADDING + point.x,
        y: y + LANE_LABEL + point.y,
      });
    const height = LANE_LABEL + inner.height + LANE_PADDING;
    lanes.push({ body, x: CONTAINER_PADDING, y, width: 0, height });
    width = Math.max(width, inner.width);
    y += height + LANE_GAP;
  }
  const laneWidth = width + 2 * LANE_PADDING;
  const height = lanes.length === 0 ? CONTAINER_HEAD : y - LANE_GAP + CONTAINER_PADDING;
  return {
    size: { width: laneWidth + 2 * CONTAINER_PADDING, height },
    lanes: lanes.map((lane) => ({ ...lane, width: laneWidth })),
    positions,
  };
}

/** Columns by how many steps lead to a node; within a column in the order of the body. */
function arrangeBody(
  nodes: readonly string[],
  index: GraphIndex,
  getSize: (id: string) => Size,
): { size: Size; positions: Map<string, Point> } {
  const columns: string[][] = [];
  const column = new Map<string, number>();
  const open = new Map(nodes.map((id) => [id, (index.in.get(id) ?? []).length]));
  const ready = nodes.filter((id) => open.get(id) === 0);
  for (const id of ready) {
    for (const { to } of index.out.get(id) ?? []) {
      column.set(to, Math.max(column.get(to) ?? 0, (column.get(id) ?? 0) + 1));
      const left = (open.get(to) ?? 0) - 1;
      open.set(to, left);
      if (left === 0) ready.push(to);
    }
  }
  for (const id of nodes) (columns[column.get(id) ?? 0] ??= []).push(id);

  const positions = new Map<string, Point>();
  let x = 0;
  let height = 0;
  for (const ids of columns) {
    let y = 0;
    let widest = 0;
    for (const id of ids ?? []) {
      const size = getSize(id);
      positions.set(id, { x, y });
      y += size.height + ROW_GAP;
      widest = Math.max(widest, size.width);
    }
    height = Math.max(height, y - ROW_GAP);
    x += widest + COLUMN_GAP;
  }
  return { size: { width: x - COLUMN_GAP, height }, positions };
}

export function computeBounds(boxes: Iterable<Box>): Box | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return left === Infinity ? null : { x: left, y: top, width: right - left, height: bottom - top };
}

/** The position in the innermost body at a point; null outside of bodies. `without`: dragged nodes. */
export function findBodyAt(
  doc: Doc,
  catalog: Catalog,
  point: Point,
  without: ReadonlySet<string> = new Set(),
): { container: string; body: string; index: number } | null {
  const index = getGraphIndex(doc, catalog);
  const boxes = computeBoxes(doc, catalog);
  for (const id of index.containers) {
    if (without.has(id)) continue;
    const box = boxes.get(id)!;
    for (const lane of box.lanes ?? []) {
      const x = point.x - box.x;
      const y = point.y - box.y;
      if (x < lane.x || x > lane.x + lane.width || y < lane.y || y > lane.y + lane.height) continue;
      const nodes = index.bodyNodes.get(id)!.get(lane.body)!;
      const next = nodes.findIndex((node) => {
        const { x: left, width } = boxes.get(node)!;
        return !without.has(node) && point.x < left + width / 2;
      });
      return { container: id, body: lane.body, index: next === -1 ? nodes.length : next };
    }
  }
  return null;
}
