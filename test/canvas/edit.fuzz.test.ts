import { expect, test } from 'vitest';
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts';
import { createNodeTypes } from '../../src/nodes/catalog.ts';
import { builtinNodes } from '../../src/nodes/registry.ts';
import { buildGraph } from '../../src/engine/graph/graph-builder.ts';
import { runToEnd } from '../../src/lib/async/time-slice.ts';
import type { Definition } from '../../src/contract/definition.ts';
import { computeLayout } from '../../web/src/canvas/model/layout/auto-layout.ts';
import { computeBoxes } from '../../web/src/canvas/model/layout/boxes.ts';
import { paste, copySelection } from '../../web/src/canvas/model/edit/clipboard.ts';
import { compareDocs, isEmptyDiff } from '../../web/src/canvas/model/diff.ts';
import { toDefinition, toDoc, type Doc } from '../../web/src/canvas/model/document.ts';
import { moveIntoBody, moveOut } from '../../web/src/canvas/model/edit/edit-bodies.ts';
import {
  connect,
  disconnect,
  findDisconnectError,
} from '../../web/src/canvas/model/edit/edit-connections.ts';
import { addNode, changeNodes, removeNodes, renameNode } from '../../web/src/canvas/model/edit/edit-nodes.ts';
import { getGraphIndex, type BodyPosition } from '../../web/src/canvas/model/graph-index.ts';
import { apply, createHistory, redo, undo } from '../../web/src/canvas/model/edit/history.ts';
import { mergeDocs } from '../../web/src/canvas/model/merge.ts';
import { withNamedConnection } from '../../web/src/canvas/model/structure.ts';
import { builtinCatalog as cat } from './support/builtin-catalog.ts';
import { readThreadTime } from '../support/time/thread-time.ts';

const SEED = chooseSeed('FUZZ_SEED');
const types = createNodeTypes(builtinNodes);

function createRandomEdit(doc: Doc, below: (n: number) => number): Doc {
  const ids = [...doc.nodes.keys()];
  const one = (): string => ids[below(ids.length)] ?? '';
  const index = getGraphIndex(doc, cat);
  const pickBodyPosition = (): BodyPosition | null => {
    const container = [...index.bodyNodes][below(index.bodyNodes.size)];
    const body = container === undefined ? undefined : [...container[1]][below(container[1].size)];
    return body === undefined
      ? null
      : { container: container![0], body: body[0], index: below(body[1].length + 1) };
  };
  const kinds = ['set', 'condition', 'parallel', 'for_each', 'while', 'switch', 'http_request', 'trigger'];
  switch (below(12)) {
    case 0:
    case 1: {
      const at = below(2) === 0 ? null : pickBodyPosition();
      const where =
        at === null ? { position: { x: below(50) * 20, y: below(50) * 20 } } : { bodyPosition: at };
      return addNode(doc, cat, kinds[below(kinds.length)]!, where).doc;
    }
    case 2:
    case 3:
    case 4:
      return connect(doc, cat, { from: one(), to: one(), port: [undefined, 'error', 'true'][below(3)] });
    case 5: {
      const edge = index.edges[below(index.edges.length)];
      return edge === undefined || findDisconnectError(doc, cat, edge.id) !== null
        ? doc
        : disconnect(doc, cat, [edge.id]);
    }
    case 6:
      return below(3) === 0 ? removeNodes(doc, cat, [one()]) : doc;
    case 7: {
      const at = pickBodyPosition();
      return at === null || ids.length === 0 ? doc : moveIntoBody(doc, cat, [...new Set([one(), one()])], at);
    }
    case 8:
      return ids.length === 0 ? doc : moveOut(doc, cat, new Map([[one(), { x: 0, y: 0 }]]));
    case 9:
      return renameNode(doc, one(), `n${below(1_000)}`);
    case 10:
      return ids.length > 60
        ? doc
        : paste(doc, cat, copySelection(doc, cat, [one(), one()]), { x: 0, y: 0 }).doc;
    default: {
      const [from, to] = [one(), one()];
      const isFine =
        connect(doc, cat, { from, port: 'true', to }) !== doc && index.bodyPositions.get(from) === undefined;
      return isFine ? changeNodes(doc, [from], (entry) => withNamedConnection(entry, 'true', to)) : doc;
    }
  }
}

test(`every edit can be saved, undone and redone (seed ${SEED})`, () => {
  const below = createSeededRandom(SEED).int;
  for (let round = 0; round < 25; round++) {
    let history = createHistory(toDoc({}));
    const seen: Doc[] = [history.doc];
    for (let step = 0; step < 60; step++) {
      const doc = createRandomEdit(history.doc, below);
      history = apply(history, { doc, label: 'edit' });
      if (history.doc !== seen.at(-1)) seen.push(history.doc);
      const definition = JSON.parse(JSON.stringify(toDefinition(history.doc))) as Definition;
      // The service is the judge: no edit may make what it would refuse to store.
      expect(runToEnd(buildGraph(definition, types)).form, JSON.stringify(definition)).toEqual([]);
      const boxes = computeBoxes(history.doc, cat);
      expect(boxes.size).toBe(history.doc.nodes.size);
      for (const box of boxes.values())
        expect(Number.isFinite(box.x + box.y + box.width + box.height)).toBe(true);
    }
    for (const doc of seen.slice(0, -1).toReversed()) {
      history = undo(history)!.history;
      expect(history.doc).toBe(doc);
    }
    for (const doc of seen.slice(1)) {
      history = redo(history)!.history;
      expect(history.doc).toBe(doc);
    }
    const last = history.doc;
    expect(
      isEmptyDiff(compareDocs(last, toDoc(JSON.parse(JSON.stringify(toDefinition(last))) as object))),
    ).toBe(true);
    expect(compareDocs(last, computeLayout(last, cat)).changed).toEqual([]);
    expect(isEmptyDiff(compareDocs(last, mergeDocs(seen[0]!, last, seen[0]!).doc))).toBe(true);
  }
});

test(`what two sides make of one base, put together, can be saved unless it is a conflict (seed ${SEED})`, () => {
  const below = createSeededRandom(SEED + 1).int;
  let merged = 0;
  for (let round = 0; round < 150; round++) {
    let base = toDoc({});
    for (let i = 0; i < 25; i++) base = createRandomEdit(base, below);
    const side = (): Doc => {
      let doc = base;
      for (let i = 0; i < 2; i++) doc = createRandomEdit(doc, below);
      return doc;
    };
    const { doc, conflicts } = mergeDocs(base, side(), side());
    if (conflicts.length > 0) continue;
    merged++;
    const { form } = runToEnd(buildGraph(JSON.parse(JSON.stringify(toDefinition(doc))) as Definition, types));
    // A circle or a crossing that only both sides together make is for the service to refuse: it names it.
    const known = form.filter(({ issue }) => !/cycle|not in the same body|own body/.test(issue));
    expect(known).toEqual([]);
  }
  expect(merged).toBeGreaterThan(20);
});

test('1,000 nodes are indexed, placed, compared and changed in little time', () => {
  const nodes = Array.from({ length: 1_000 }, (_, i) => ({
    id: `n${i}`,
    type: i % 10 === 0 ? 'switch' : 'set',
    config: { fields: { value: `{{ nodes.n${Math.max(0, i - 1)}.x }}` } },
    position: { x: (i % 40) * 300, y: Math.floor(i / 40) * 120 },
  }));
  const connections = nodes.slice(1).map(({ id }, i) => ({ from: `n${i}`, to: id }));
  let doc = toDoc({ nodes, connections });
  // What is compiled on the first call is no part of the question.
  computeBoxes(doc, cat);
  const start = readThreadTime();
  for (let i = 0; i < 20; i++) {
    doc = changeNodes(doc, [`n${i}`], (entry) => ({ ...entry, position: { x: i, y: i } }));
    computeBoxes(doc, cat);
    compareDocs(toDoc({ nodes, connections }), doc);
  }
  const each = (readThreadTime() - start) / 20;
  expect(each).toBeLessThan(100);
});
