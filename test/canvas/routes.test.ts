import { describe, expect, test } from 'vitest';
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts';
import { computeLayout } from '../../web/src/canvas/model/layout/auto-layout.ts';
import { computeBoxes, type Box } from '../../web/src/canvas/model/layout/boxes.ts';
import type { Doc, JsonObject, Point } from '../../web/src/canvas/model/document.ts';
import { getHandles } from '../../web/src/canvas/model/layout/geometry.ts';
import { getGraphIndex, getRegionKey } from '../../web/src/canvas/model/graph-index.ts';
import { computeRoutes } from '../../web/src/canvas/model/layout/routes.ts';
import { builtinCatalog as cat } from './support/builtin-catalog.ts';
import { parseDocument } from './support/doc.ts';

/** Points along a path of straight lines and curves. */
function listPoints(path: string): Point[] {
  const points: Point[] = [];
  let at: Point = { x: 0, y: 0 };
  for (const [, command, text = ''] of path.matchAll(/([MLC])([^MLC]+)/g)) {
    const n = text
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    const end = { x: n.at(-2)!, y: n.at(-1)! };
    if (command === 'M') points.push(end);
    else
      for (let i = 1; i <= 60; i++) {
        const t = i / 60;
        const u = 1 - t;
        const c =
          command === 'C'
            ? n
            : [
                at.x + (end.x - at.x) / 3,
                at.y + (end.y - at.y) / 3,
                end.x - (end.x - at.x) / 3,
                end.y - (end.y - at.y) / 3,
              ];
        const on = (p: number, q: number, r: number, s: number): number =>
          u ** 3 * p + 3 * u * u * t * q + 3 * u * t * t * r + t ** 3 * s;
        points.push({ x: on(at.x, c[0]!, c[2]!, end.x), y: on(at.y, c[1]!, c[3]!, end.y) });
      }
    at = end;
  }
  return points;
}

/** The drawn paths, by edge id. */
function drawPaths(doc: Doc): Map<string, Point[]> {
  const boxes = computeBoxes(doc, cat);
  const routes = computeRoutes(doc, cat);
  const end = (id: string, port: string, isOut: boolean): Point => {
    const box = boxes.get(id)!;
    const { x, y } = getHandles(doc.nodes.get(id)!, cat, box).find(
      (one) => one.port === port && (one.side !== 'in') === isOut,
    )!;
    return { x: box.x + x + (isOut ? 8 : -8), y: box.y + y };
  };
  return new Map(
    getGraphIndex(doc, cat).edges.map(({ id, from, port, to, toPort }) => {
      const [a, b] = [end(from, port, true), end(to, toPort, false)];
      const middle = (a.x + b.x) / 2;
      return [
        id,
        listPoints(routes.get(id)?.path ?? `M${a.x} ${a.y}C${middle} ${a.y} ${middle} ${b.y} ${b.x} ${b.y}`),
      ];
    }),
  );
}

/** Edges that cross a card that is neither of their ends. */
function hidden(doc: Doc): string[] {
  const index = getGraphIndex(doc, cat);
  const boxes = computeBoxes(doc, cat);
  const paths = drawPaths(doc);
  const holds = ({ x, y, width, height }: Box, point: Point): boolean =>
    point.x > x && point.x < x + width && point.y > y && point.y < y + height;
  return index.edges.flatMap((edge) =>
    [...boxes]
      .filter(
        ([id]) =>
          id !== edge.from && id !== edge.to && getRegionKey(index, id) === getRegionKey(index, edge.from),
      )
      .filter(([, box]) => paths.get(edge.id)!.some((point) => holds(box, point)))
      .map(([id]) => `${edge.from}.${edge.port} → ${edge.to} behind ${id}`),
  );
}

function overlaps(doc: Doc): string[] {
  const index = getGraphIndex(doc, cat);
  const boxes = [...computeBoxes(doc, cat)];
  return boxes.flatMap(([a, one], i) =>
    boxes
      .slice(i + 1)
      .filter(
        ([b, other]) =>
          getRegionKey(index, a) === getRegionKey(index, b) &&
          one.x < other.x + other.width &&
          other.x < one.x + one.width &&
          one.y < other.y + other.height &&
          other.y < one.y + one.height,
      )
      .map(([b]) => `${a} on ${b}`),
  );
}

/** Up to 24 nodes, some with bodies whose nodes are connected too; connections lead only forward. */
function createRandomDocument(next: () => number): Doc {
  const pick = (count: number): number => Math.floor(next() * count);
  const nodes: Record<string, string | readonly [string, JsonObject]> = {};
  const connections: string[] = [];
  const outputs = new Map<string, string[]>();
  const connect = (ids: readonly string[], density: number): void => {
    ids.forEach((to, at) => {
      for (const from of ids.slice(0, at))
        if (next() < density) {
          const ports = outputs.get(from)!;
          connections.push(`${from}.${ports[pick(ports.length)]!} → ${to}`);
        }
    });
  };
  const add = (id: string, depth: number): void => {
    const kind = pick(depth === 0 ? 6 : 4);
    outputs.set(id, ['out', 'error']);
    if (kind <= 1) nodes[id] = 'set';
    else if (kind === 2) {
      nodes[id] = 'condition';
      outputs.set(id, ['true', 'false', 'error']);
    } else if (kind === 3) {
      const cases = Array.from({ length: 1 + pick(5) }, (_, at) => ({ name: `c${at}`, condition: {} }));
      nodes[id] = ['switch', { cases }];
      outputs.set(id, ['default', ...cases.map(({ name }) => name), 'error']);
    } else {
      const inner = Array.from({ length: pick(6) }, (_, at) => `${id}_${at}`);
      nodes[id] = ['for_each', { items: [], nodes: inner }];
      for (const one of inner) add(one, depth + 1);
      if (next() < 0.5) connect(inner, 0.5);
    }
  };
  const ids = Array.from({ length: 2 + pick(11) }, (_, at) => `n${at}`);
  for (const id of ids) add(id, 0);
  connect(ids, next() * 0.5);
  return parseDocument(nodes, connections);
}

describe('an arranged graph', () => {
  test('has no edge behind a card and no card on another, for random graphs', () => {
    const seed = chooseSeed('FUZZ_SEED');
    const { next } = createSeededRandom(seed);
    for (let round = 0; round < 300; round++) {
      const doc = computeLayout(createRandomDocument(next), cat);
      expect({ seed, round, hidden: hidden(doc), overlaps: overlaps(doc) }).toEqual({
        seed,
        round,
        hidden: [],
        overlaps: [],
      });
    }
  });

  test('draws edges of first ports straight, with branches below', () => {
    const doc = computeLayout(
      parseDocument(
        {
          t: 'trigger',
          check: 'condition',
          loop: ['for_each', { nodes: ['a', 'b'] }],
          a: 'set',
          b: 'set',
          end: 'respond',
          no: 'stop',
          fail: 'notify',
        },
        ['t → check', 'check.true → loop', 'check.false → no', 'loop → end', 'loop.error → fail'],
      ),
      cat,
    );
    const y = (id: string): number => computeBoxes(doc, cat).get(id)!.y;
    expect(['t', 'check', 'loop', 'end'].map(y)).toEqual([0, 0, 0, 0]);
    expect(y('no')).toBeGreaterThan(0);
    expect(y('fail')).toBeGreaterThan(0);
    expect(y('a')).toBe(y('b'));
    const straight = [...drawPaths(doc)].filter(
      ([, points]) => new Set(points.map((point) => Math.round(point.y))).size === 1,
    );
    expect(straight.length).toBe(4);
  });

  test('routes an edge around a card in its way, and straight again without the card', () => {
    const at = (y: number): Doc => {
      const doc = parseDocument({ a: 'set', b: 'set', c: 'set' }, ['a → c']);
      return {
        ...doc,
        nodes: new Map(
          [...doc.nodes].map(([id, entry]) => [
            id,
            id === 'b' ? { ...entry, position: { x: 300, y } } : entry,
          ]),
        ),
      };
    };
    expect([...computeRoutes(at(0), cat).keys()].length).toBe(1);
    expect(hidden(at(0))).toEqual([]);
    expect([...computeRoutes(at(200), cat).keys()]).toEqual([]);
  });
});
