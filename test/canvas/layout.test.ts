import { describe, expect, test } from 'vitest';
import { align, findFreePosition } from '../../web/src/canvas/model/edit/arrange.ts';
import { computeLayout, placeUnplaced } from '../../web/src/canvas/model/layout/auto-layout.ts';
import { findBodyAt, computeBoxes, type Box } from '../../web/src/canvas/model/layout/boxes.ts';
import { toDoc, type Doc } from '../../web/src/canvas/model/document.ts';
import { getGraphIndex } from '../../web/src/canvas/model/graph-index.ts';
import { findNeighbor } from '../../web/src/canvas/model/neighbors.ts';
import { findIn } from '../../web/src/canvas/model/find.ts';
import { listGalleryFiles } from '../templates/template.ts';
import { builtinCatalog as cat } from './support/builtin-catalog.ts';
import { parseDocument } from './support/doc.ts';

const doc = parseDocument(
  {
    t: 'trigger',
    p: [
      'parallel',
      {
        branches: [
          { name: 'one', nodes: ['a', 'loop'] },
          { name: 'two', nodes: [] },
        ],
      },
    ],
    a: 'set',
    loop: ['for_each', { nodes: ['x', 'y'] }],
    x: 'set',
    y: ['http_request', { url: 'https://example.com/orders' }],
    end: 'respond',
  },
  ['t → p', 'p → end'],
);

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function overlaps(given: Doc): string[] {
  const { bodyPositions } = getGraphIndex(given, cat);
  const boxes = [...computeBoxes(given, cat)];
  const region = (id: string): string =>
    `${bodyPositions.get(id)?.container ?? ''}/${bodyPositions.get(id)?.body ?? ''}`;
  return boxes.flatMap(([a, boxA], i) =>
    boxes
      .slice(i + 1)
      .flatMap(([b, boxB]) => (region(a) === region(b) && overlap(boxA, boxB) ? [`${a} ${b}`] : [])),
  );
}

describe('boxes', () => {
  test('a body is inside its container at any depth, and boxes do not overlap', () => {
    const boxes = computeBoxes(doc, cat);
    const { bodyPositions } = getGraphIndex(doc, cat);
    for (const [id, { container, body }] of bodyPositions) {
      const inner = boxes.get(id)!;
      const outer = boxes.get(container)!;
      const lane = outer.lanes!.find((one) => one.body === body)!;
      expect(inner.x).toBeGreaterThanOrEqual(outer.x + lane.x);
      expect(inner.y).toBeGreaterThanOrEqual(outer.y + lane.y);
      expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + lane.x + lane.width);
      expect(inner.y + inner.height).toBeLessThanOrEqual(outer.y + lane.y + lane.height);
    }
    expect(overlaps(computeLayout(doc, cat))).toEqual([]);
  });

  test.each(listGalleryFiles().map(({ file, template }) => [file, template.workflow.definition] as const))(
    'the nodes of %s do not overlap',
    (_file, definition) => {
      expect(overlaps(toDoc(definition))).toEqual([]);
    },
  );

  test('a point is in the innermost body, before the node that is right of it', () => {
    const boxes = computeBoxes(doc, cat);
    const y = boxes.get('y')!;
    expect(findBodyAt(doc, cat, { x: y.x + 10, y: y.y + 10 })).toEqual({
      container: 'loop',
      body: 'body',
      index: 1,
    });
    const p = boxes.get('p')!;
    const empty = p.lanes!.find(({ body }) => body === 'two')!;
    expect(findBodyAt(doc, cat, { x: p.x + empty.x + 20, y: p.y + empty.y + 20 })).toEqual({
      container: 'p',
      body: 'two',
      index: 0,
    });
    expect(findBodyAt(doc, cat, { x: -100, y: -100 })).toBeNull();
  });
});

describe('auto-layout', () => {
  test('arranges from left to right, and moves only the given nodes', () => {
    const boxes = computeBoxes(computeLayout(doc, cat), cat);
    expect(boxes.get('t')!.x + boxes.get('t')!.width).toBeLessThan(boxes.get('p')!.x);
    expect(boxes.get('p')!.x + boxes.get('p')!.width).toBeLessThan(boxes.get('end')!.x);
    const some = computeLayout(doc, cat, new Set(['t', 'end']));
    expect(some.nodes.get('p')).toBe(doc.nodes.get('p'));
  });

  test('places nodes without a position, without moving the others', () => {
    const bare = toDoc({
      nodes: [...doc.nodes.values()].map(({ position: _position, ...rest }) => rest),
      connections: doc.connections,
    });
    expect(overlaps(placeUnplaced(bare, cat))).toEqual([]);
    const half = toDoc({
      nodes: [...doc.nodes.values()].map(({ position, ...rest }) =>
        rest.id === 'end' ? rest : { ...rest, ...(position && { position }) },
      ),
      connections: doc.connections,
    });
    const placed = placeUnplaced(half, cat);
    expect(placed.nodes.get('t')).toBe(half.nodes.get('t'));
    expect(placed.nodes.get('end')?.position!.y).toBeGreaterThan(computeBoxes(half, cat).get('p')!.height);
  });

  test('a free position does not overlap any box', () => {
    const at = findFreePosition(doc, cat, { x: 0, y: 0, width: 220, height: 60 });
    for (const [id, box] of computeBoxes(doc, cat))
      if (!getGraphIndex(doc, cat).bodyPositions.has(id))
        expect(overlap(box, { ...at, width: 220, height: 60 })).toBe(false);
  });
});

test('aligning and spreading', () => {
  const three = toDoc({
    nodes: [
      { id: 'a', type: 'set', position: { x: 0, y: 0 } },
      { id: 'b', type: 'set', position: { x: 300, y: 50 } },
      { id: 'c', type: 'set', position: { x: 900, y: 90 } },
    ],
  });
  const at = (how: Parameters<typeof align>[3]): unknown[] =>
    [...align(three, cat, ['a', 'b', 'c'], how).nodes.values()].map(({ position }) => [
      position!.x,
      position!.y,
    ]);
  expect(at('top')).toEqual([
    [0, 0],
    [300, 0],
    [900, 0],
  ]);
  expect(at('right')).toEqual([
    [900, 0],
    [900, 50],
    [900, 90],
  ]);
  expect(at('row')).toEqual([
    [0, 0],
    [450, 0],
    [900, 0],
  ]);
  expect(align(three, cat, ['a'], 'top')).toBe(three);
});

test('arrow keys follow connections and go into bodies and out again', () => {
  const laid = computeLayout(doc, cat);
  const go = (id: string, ...ways: Parameters<typeof findNeighbor>[3][]): string | null =>
    ways.reduce<string | null>((at, way) => (at === null ? null : findNeighbor(laid, cat, at, way)), id);
  expect(go('t', 'right')).toBe('p');
  expect(go('t', 'right', 'right')).toBe('end');
  expect(go('p', 'down')).toBe('a');
  expect(go('p', 'down', 'right', 'down', 'right')).toBe('y');
  expect(go('x', 'left', 'left', 'left')).toBe('p');
  expect(go('t', 'left')).toBeNull();
});

test('finding', () => {
  const found = findIn(doc, cat, 'ORDERS');
  expect(found).toEqual([
    { kind: 'node', id: 'y', title: 'Y', where: 'url', excerpt: 'https://example.com/orders' },
  ]);
  expect(findIn(doc, cat, 'for each').map(({ id }) => id)).toEqual(['loop']);
  expect(findIn(doc, cat, '  ')).toEqual([]);
});
