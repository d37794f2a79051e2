import { describe, expect, test } from 'vitest';
import type { ExecutionDetail, NodeRun } from 'weft-client';
import { toDoc, type Definition } from '../../web/src/canvas/model/document.ts';
import { buildNodeScope } from '../../web/src/node-panel/template-scope-for-node.ts';
import { createDisplayedRun, type DisplayedRun } from '../../web/src/runs/displayed-run.ts';
import { createNodeRunRequest } from '../../web/src/runs/node-run-request.ts';
import { builtinCatalog } from '../canvas/support/builtin-catalog.ts';

const catalog = builtinCatalog;
const doc = toDoc({
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    { id: 'call', type: 'http_request', config: { url: 'https://example.com' } },
    { id: 'check', type: 'condition', config: { condition: { field: 'a', operator: 'exists' } } },
    { id: 'each', type: 'for_each', config: { items: '{{ input.items }}', nodes: ['first', 'second'] } },
    { id: 'first', type: 'set', config: { fields: { a: 1 } } },
    { id: 'second', type: 'set', config: { fields: { b: 1 } } },
    { id: 'last', type: 'set', config: { fields: { c: 1 } } },
  ],
  connections: [
    { from: 'start', to: 'call' },
    { from: 'call', to: 'check' },
    { from: 'check', to: 'each', sourcePort: 'true' },
    { from: 'each', to: 'last' },
  ],
} as unknown as Definition);

const nodeRun = (path: string, output: unknown, input: unknown = null): NodeRun => ({
  node_id: path.slice(path.lastIndexOf('/') + 1),
  path,
  type: 'set',
  status: 'completed',
  attempt: 1,
  start_time: '2026-11-24T12:00:00.000Z',
  end_time: '2026-11-24T12:00:00.000Z',
  duration: 0,
  output_ports: [path === 'check' ? 'true' : 'out'],
  input,
  output,
  error: null,
});

const run: DisplayedRun = createDisplayedRun({
  id: 'ex_1',
  input: { order: 7 },
  trigger: { type: 'manual' },
  nodes: [
    nodeRun('start', { order: 7 }),
    nodeRun('call', { status: 200 }, { order: 7 }),
    nodeRun('check', { status: 200 }),
    nodeRun('each[0]/first', { a: 'of 0' }, { item: { id: 1 }, index: 0 }),
    nodeRun('each[0]/second', { b: 'of 0' }, { a: 'of 0' }),
    nodeRun('each[1]/first', { a: 'of 1' }, { item: { id: 2 }, index: 1 }),
    nodeRun('each[1]/second', { b: 'of 1' }, { a: 'of 1' }),
    nodeRun('each', { results: [] }),
  ],
} as unknown as ExecutionDetail);

const pin = (output: unknown, ports: string[] | null = null) => ({ output, ports });

describe('the request that runs one node', () => {
  test('earlier nodes supply their output, and the trigger gets its input', () => {
    expect(createNodeRunRequest(doc, catalog, 'last', run, new Map())).toEqual({
      until: 'last',
      input: { order: 7 },
      pins: { call: { status: 200 }, check: { status: 200 }, each: { results: [] } },
    });
  });

  test('a pin has priority over the run, but not the pin of the node itself', () => {
    const pinned = new Map([
      ['call', pin({ status: 404 })],
      ['last', pin({ c: 2 })],
      ['first', pin({ a: 3 })],
    ]);
    expect(createNodeRunRequest(doc, catalog, 'last', run, pinned).pins).toEqual({
      call: { status: 404 },
      check: { status: 200 },
      each: { results: [] },
      first: { a: 3 },
    });
  });

  test('a node in a body runs in the newest iteration, or in the chosen one', () => {
    expect(createNodeRunRequest(doc, catalog, 'second', run, new Map([['each', pin(1)]]))).toEqual({
      until: 'second',
      input: { order: 7 },
      pins: { call: { status: 200 }, check: { status: 200 }, first: { a: 'of 1' } },
      iterations: [{ input: { item: { id: 2 }, index: 1 }, item: { id: 2 }, index: 1 }],
    });
    expect(createNodeRunRequest(doc, catalog, 'second', run, new Map(), 'each[0]/second')).toMatchObject({
      pins: { first: { a: 'of 0' } },
      iterations: [{ input: { item: { id: 1 }, index: 0 }, item: { id: 1 }, index: 0 }],
    });
  });

  test('a node in a body that has not run uses an iteration of the first node; without one, its container runs', () => {
    const only = (...nodes: NodeRun[]): DisplayedRun =>
      createDisplayedRun({ ...run.execution, nodes: nodes as ExecutionDetail['nodes'] });
    const first = nodeRun('each[3]/first', { a: 3 }, { item: 'x', index: 3 });
    expect(createNodeRunRequest(doc, catalog, 'second', only(first), new Map())).toMatchObject({
      pins: { first: { a: 3 } },
      iterations: [{ input: { item: 'x', index: 3 }, item: 'x', index: 3 }],
    });
    const request = createNodeRunRequest(doc, catalog, 'second', only(nodeRun('call', 1)), new Map());
    expect(request.pins).toEqual({ call: 1 });
    expect(request).not.toHaveProperty('iterations');
  });

  test('an output on another port keeps its port, also that of a handled failure', () => {
    const failed = { ...nodeRun('call', null), status: 'failed', output_ports: ['error'] };
    const error = { type: 'network', message: 'no', node_id: 'call', attempt: 1 };
    const request = createNodeRunRequest(
      doc,
      catalog,
      'last',
      createDisplayedRun({
        ...run.execution,
        nodes: [
          { ...failed, error },
          { ...nodeRun('check', { n: 1 }), output_ports: ['false'] },
        ] as ExecutionDetail['nodes'],
      }),
      new Map(),
    );
    expect(request.pins).toEqual({ call: error, check: { n: 1 } });
    expect(request.pin_ports).toEqual({ call: ['error'], check: ['false'] });
  });

  test('a pin keeps its ports, and replaces the port of the run', () => {
    const others = createDisplayedRun({
      ...run.execution,
      nodes: [{ ...nodeRun('check', { n: 1 }), output_ports: ['false'] }] as ExecutionDetail['nodes'],
    });
    const request = (ports: string[] | null) =>
      createNodeRunRequest(doc, catalog, 'last', others, new Map([['check', pin({ n: 2 }, ports)]]));
    expect(request(['error'])).toMatchObject({
      pins: { check: { n: 2 } },
      pin_ports: { check: ['error'] },
    });
    expect(request(null)).not.toHaveProperty('pin_ports');
  });

  test('without a run there are only the pins', () => {
    expect(createNodeRunRequest(doc, catalog, 'last', null, new Map([['call', pin(1)]]))).toEqual({
      until: 'last',
      input: {},
      pins: { call: 1 },
    });
  });
});

describe('the data of a node', () => {
  const scope = (id: string, pinned: Record<string, unknown> = {}, path: string | null = null, of = run) =>
    buildNodeScope(doc, catalog, id, {
      run: of,
      pinned: new Map(Object.entries(pinned).map(([node, output]) => [node, pin(output)])),
      path,
    });

  test('is what its run received', () => {
    expect(scope('call')).toMatchObject({ source: { kind: 'run' }, scope: { input: { order: 7 } } });
  });

  test('is the output of the node before one that has not run', () => {
    expect(scope('last')).toMatchObject({
      source: { kind: 'output', nodeId: 'each' },
      scope: { input: { results: [] } },
    });
  });

  test('is pinned before all', () => {
    const { source, scope: seen } = scope('call', { start: { pinned: true } });
    expect(source).toEqual({ kind: 'pin', nodeId: 'start' });
    expect(seen.input).toEqual({ pinned: true });
    expect(seen.nodes.get('start')).toEqual({ pinned: true });
  });

  test('is the value of its port if the node before it is pinned on several', () => {
    const pinned = new Map([['check', pin({ true: 1, false: 2 }, ['true', 'false'])]]);
    const { scope: seen } = buildNodeScope(doc, catalog, 'each', { run, pinned, path: null });
    expect(seen.input).toBe(1);
    expect(seen.nodes.get('check')).toEqual({ true: 1, false: 2 });
  });

  test('is of the iteration of the chosen run', () => {
    const { scope: first } = scope('second', {}, 'each[0]/second');
    expect(first.input).toEqual({ a: 'of 0' });
    expect(first.nodes.get('first')).toEqual({ a: 'of 0' });
    expect(first.loop).toEqual({ item: { id: 1 }, index: 0, hasItem: true });
    const { scope: newest } = scope('second');
    expect(newest.nodes.get('first')).toEqual({ a: 'of 1' });
    expect(newest.loop?.item).toEqual({ id: 2 });
  });
});
