import { computeBoxes, type Box } from './boxes.ts';
import type { Catalog } from '../catalog.ts';
import type { Doc, Point } from '../document.ts';
import { getHandles, PORT_RADIUS } from './geometry.ts';
import { getGraphIndex, getRegionKey, type Edge } from '../graph-index.ts';

/** The path of an edge around cards. `from` and `to` are the ends it was computed for. */
export type Route = {
  readonly path: string;
  readonly label: Point;
  readonly from: Point;
  readonly to: Point;
};

/** A segment of a route from left to right: straight if both ends have the same height, else a curve. */
type Part = { readonly x1: number; readonly y1: number; readonly x2: number; readonly y2: number };

/** Width of a curve beside a card; columns are further apart. */
const CURVE_WIDTH_PX = 64;
/** The distance between a card and an edge that passes it. */
const CLEARANCE_PX = 14;
/** An edge nearer than this counts as touching a card. */
const TOUCH_DISTANCE_PX = 4;
/** The maximum number of heights and columns that are tried for one edge. */
const MAX_TRIES = 40;
/** The number of pieces in which a curve is tested for overlap. */
const CURVE_SEGMENTS = 8;

const cache = new WeakMap<ReadonlyMap<string, Box>, ReadonlyMap<string, Route>>();

/** The routes of the edges whose plain curve would cross a card, by edge id. */
export function computeRoutes(doc: Doc, catalog: Catalog): ReadonlyMap<string, Route> {
  const boxes = computeBoxes(doc, catalog);
  let routes = cache.get(boxes);
  if (routes === undefined) cache.set(boxes, (routes = findRoutes(doc, catalog, boxes)));
  return routes;
}

function findRoutes(doc: Doc, catalog: Catalog, boxes: ReadonlyMap<string, Box>): Map<string, Route> {
  const index = getGraphIndex(doc, catalog);
  const regions = new Map<string, Region>();
  for (const [id, box] of boxes) {
    const name = getRegionKey(index, id);
    const region = regions.get(name);
    if (region === undefined) regions.set(name, new Region(box));
    else region.add(box);
  }
  for (const region of regions.values()) region.sort();
  const routes = new Map<string, Route>();
  for (const edge of index.edges) {
    const [source, target] = [boxes.get(edge.from)!, boxes.get(edge.to)!];
    const from = computeEnd(doc, catalog, edge, 'from', source);
    const to = computeEnd(doc, catalog, edge, 'to', target);
    if (to.x - from.x < CURVE_WIDTH_PX) continue;
    const between = regions.get(getRegionKey(index, edge.from))!.between(from.x, to.x, source, target);
    if (between.length === 0 || isFree({ x1: from.x, y1: from.y, x2: to.x, y2: to.y }, between)) continue;
    const parts = findRoute(from, to, between);
    if (parts !== null)
      routes.set(edge.id, { path: toSvgPath(from, parts), label: placeLabel(parts), from, to });
  }
  return routes;
}

/** The start or end point of an edge, outside of the port. */
function computeEnd(doc: Doc, catalog: Catalog, edge: Edge, side: 'from' | 'to', box: Box): Point {
  const isOut = side === 'from';
  const handles = getHandles(doc.nodes.get(edge[side])!, catalog, box).filter(
    (handle) => (handle.side !== 'in') === isOut,
  );
  const port = isOut ? edge.port : edge.toPort;
  const handle = handles.find((one) => one.port === port) ?? handles[0];
  return {
    x: box.x + (handle?.x ?? 0) + (isOut ? PORT_RADIUS : -PORT_RADIUS),
    y: box.y + (handle?.y ?? 0),
  };
}

/** The cards of one region, sorted by x. */
class Region {
  readonly #boxes: Box[];
  #widest: number;

  constructor(first: Box) {
    this.#boxes = [first];
    this.#widest = first.width;
  }

  add(box: Box): void {
    this.#boxes.push(box);
    this.#widest = Math.max(this.#widest, box.width);
  }

  sort(): void {
    this.#boxes.sort((a, b) => a.x - b.x);
  }

  /** The cards between two x positions, except the two ends. */
  between(left: number, right: number, source: Box, target: Box): Box[] {
    const found: Box[] = [];
    for (let index = this.#firstFrom(left - this.#widest); index < this.#boxes.length; index++) {
      const box = this.#boxes[index]!;
      if (box.x > right) break;
      if (box.x + box.width > left && box !== source && box !== target) found.push(box);
    }
    return found;
  }

  #firstFrom(x: number): number {
    let [low, high] = [0, this.#boxes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#boxes[middle]!.x < x) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The route with the least detour: at the height of an end, between two rows of cards, or around all. */
function findRoute(from: Point, to: Point, boxes: readonly Box[]): readonly Part[] | null {
  const heights = boxes.flatMap(({ y, height }) => [y - CLEARANCE_PX, y + height + CLEARANCE_PX]);
  const detour = (y: number): number => Math.abs(y - from.y) + Math.abs(y - to.y);
  const nearest = heights.toSorted((a, b) => detour(a) - detour(b) || b - a);
  const tries = [from.y, to.y, ...nearest.slice(0, MAX_TRIES), Math.max(...heights), Math.min(...heights)];
  for (const y of tries) {
    const parts = partsAt(y, from, to, boxes);
    if (parts !== null) return parts;
  }
  return null;
}

/** The route at a height: it reaches the height as early as possible and leaves it as late as possible. */
function partsAt(y: number, from: Point, to: Point, boxes: readonly Box[]): readonly Part[] | null {
  const start = y === from.y ? [] : turn(from, y, from.x, to.x, boxes, 1);
  const end = y === to.y ? [] : turn(to, y, from.x, to.x, boxes, -1);
  if (start === null || end === null) return null;
  const x1 = start.at(-1)?.x2 ?? from.x;
  const x2 = end[0]?.x1 ?? to.x;
  if (x1 > x2) return null;
  const parts = [...start, { x1, y1: y, x2, y2: y }, ...end].filter((part) => part.x2 > part.x1);
  return parts.every((part) => isFree(part, boxes)) ? parts : null;
}

/** From an end to a height, in the first gap between columns. `direction`: 1 right of the end, -1 left. */
function turn(
  end: Point,
  y: number,
  left: number,
  right: number,
  boxes: readonly Box[],
  direction: 1 | -1,
): Part[] | null {
  const edges = boxes.map((box) =>
    direction === 1 ? box.x + box.width + TOUCH_DISTANCE_PX : box.x - TOUCH_DISTANCE_PX,
  );
  const starts = [
    end.x,
    ...edges.filter((x) => (x - end.x) * direction > 0).toSorted((a, b) => (a - b) * direction),
  ];
  for (const x of new Set(starts.slice(0, MAX_TRIES))) {
    const other = x + direction * CURVE_WIDTH_PX;
    if (other > right || other < left) return null;
    const straight = createPart(end.x, end.y, x, end.y);
    // Columns further away are blocked as well.
    if (!isFree(straight, boxes)) return null;
    const curve = createPart(x, end.y, other, y);
    if (!isFree(curve, boxes)) continue;
    const parts = straight.x1 === straight.x2 ? [curve] : [straight, curve];
    return direction === 1 ? parts : parts.toReversed();
  }
  return null;
}

function createPart(x1: number, y1: number, x2: number, y2: number): Part {
  return x1 <= x2 ? { x1, y1, x2, y2 } : { x1: x2, y1: y2, x2: x1, y2: y1 };
}

/** Whether a segment touches no card. A curve is monotonic, so each piece lies between its ends. */
function isFree(part: Part, boxes: readonly Box[]): boolean {
  const { x1, y1, x2, y2 } = part;
  const [top, bottom] = y1 < y2 ? [y1, y2] : [y2, y1];
  const near = boxes.filter((box) => isMet(box, x1, top, x2, bottom));
  if (near.length === 0) return true;
  if (y1 === y2) return false;
  let last = { x: x1, y: y1 };
  for (let piece = 1; piece <= CURVE_SEGMENTS; piece++) {
    const next = pointOn(part, piece / CURVE_SEGMENTS);
    if (near.some((box) => isMet(box, last.x, Math.min(last.y, next.y), next.x, Math.max(last.y, next.y))))
      return false;
    last = next;
  }
  return true;
}

function isMet(
  { x, y, width, height }: Box,
  left: number,
  top: number,
  right: number,
  bottom: number,
): boolean {
  return (
    x - TOUCH_DISTANCE_PX < right &&
    x + width + TOUCH_DISTANCE_PX > left &&
    y - TOUCH_DISTANCE_PX < bottom &&
    y + height + TOUCH_DISTANCE_PX > top
  );
}

/** A point of the curve of `toSvgPath`, whose control points are in the middle. */
function pointOn({ x1, y1, x2, y2 }: Part, t: number): Point {
  const u = 1 - t;
  const middle = 3 * u * t;
  return {
    x: x1 + (x2 - x1) * (middle / 2 + t ** 3),
    y: y1 + (y2 - y1) * (middle * t + t ** 3),
  };
}

function toSvgPath({ x, y }: Point, parts: readonly Part[]): string {
  const drawn = parts.map(({ x1, y1, x2, y2 }) => {
    const middle = (x1 + x2) / 2;
    return y1 === y2 ? `L${x2} ${y2}` : `C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
  });
  return `M${x} ${y}${drawn.join('')}`;
}

/** In the middle of the longest straight part. */
function placeLabel(parts: readonly Part[]): Point {
  const length = (part: Part): number => (part.y1 === part.y2 ? part.x2 - part.x1 : 0);
  const { x1, y1, x2, y2 } = parts.reduce((longest, part) =>
    length(part) > length(longest) ? part : longest,
  );
  return { x: (x1 + x2) / 2, y: (y1 + y2) / 2 };
}
