import { describe, expect, test } from 'vitest';
import type { Definition, NodeEntry } from '../../contract/definition.ts';
import type { Json } from '../../lib/json/json.ts';
import { createNodeTypes } from '../../nodes/catalog.ts';
import { builtinNodes } from '../../nodes/registry.ts';
import type { Outputs } from '../journal/journal.ts';
import { buildGraph } from '../graph/graph-builder.ts';
import { ValueRetention } from './value-retention.ts';
import { runToEnd } from '../../lib/async/time-slice.ts';
import { ExecutionState } from './execution-state.ts';

const types = createNodeTypes(builtinNodes);
const manual: NodeEntry = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };
const pass = (id: string, more: Partial<NodeEntry> = {}): NodeEntry => ({
  id,
  type: 'data_transformer',
  config: { operations: [] },
  ...more,
});
const branch = (id: string, config: Record<string, Json> = {}): NodeEntry => ({
  id,
  type: 'condition',
  config: { condition: { field: 'v', operator: 'equals', value: 1 }, ...config },
});
const edge = (text: string) => {
  const [from, port, to] = text.split(' ') as [string, string, string];
  return port === '>' ? { from, to } : { from, sourcePort: port, to };
};

function createState(
  definition: Definition,
  begin: Partial<{ input: Json; until: string; given: Record<string, Outputs> }> = {},
) {
  const { graph, form, issues } = runToEnd(buildGraph(definition, types));
  if (graph === null) throw new Error(JSON.stringify({ form, issues }));
  const state = new ExecutionState(
    graph,
    { id: 'ex_1', workflowId: 'wf_1', workflowVersion: 1, trigger: { type: 'manual' } },
    new ValueRetention(Infinity, null),
  );
  const { input = { v: 1 }, ...rest } = begin;
  const entry = graph.root.nodes.find((n) => n.type.isTrigger)?.id ?? null;
  state.apply({ e: 'begin', at: 1, entry, input: { v: input }, ...rest });
  return state;
}

/** Ends a node with these outputs, as an attempt would. */
function end(state: ExecutionState, path: string, outputs: Outputs): void {
  state.apply({ e: 'end', p: path, n: 1, at: 2, s: 1, o: { v: outputs } });
}

const statuses = (state: ExecutionState) =>
  Object.fromEntries([...state.runs.all()].map((r) => [r.path, r.status]));
const ready = (state: ExecutionState) => state.ready.filter((r) => r.status === 'pending').map((r) => r.path);

describe('a graph runs by its edges', () => {
  const diamond: Definition = {
    nodes: [manual, branch('if'), pass('a'), pass('b'), pass('join')],
    connections: ['start > if', 'if true a', 'if false b', 'a > join', 'b > join'].map(edge),
  };

  test('a join does not wait for a skipped branch', () => {
    const state = createState(diamond);
    expect(ready(state)).toEqual(['if']);
    end(state, 'if', { true: { v: 1 } });
    expect(statuses(state)).toMatchObject({ a: 'pending', b: 'skipped', join: 'pending' });
    end(state, 'a', { out: { from: 'a' } });
    expect(ready(state)).toEqual(['join']);
    expect(state.runs.get('join')!.input).toEqual({ from: 'a' });
    end(state, 'join', { out: 7 });
    expect(state.settled).toMatchObject({ status: 'completed', output: 7, error: null });
    expect(state.progress).toBe(1);
  });

  test('a node with several deliveries receives an object by source node', () => {
    const state = createState({
      nodes: [manual, pass('a'), pass('b'), pass('join')],
      connections: ['start > a', 'start > b', 'b > join', 'a > join'].map(edge),
    });
    end(state, 'a', { out: 1 });
    expect(ready(state)).not.toContain('join');
    end(state, 'b', { out: 2 });
    expect(state.runs.get('join')!.input).toEqual({ b: 2, a: 1 });
  });

  test('with several end nodes the output is an object by node id', () => {
    const state = createState({
      nodes: [manual, pass('a'), pass('b')],
      connections: ['start > a', 'start > b'].map(edge),
    });
    end(state, 'a', { out: 1 });
    end(state, 'b', { out: 2 });
    expect(state.settled!.output).toEqual({ a: 1, b: 2 });
  });

  test('trueAction and falseAction are connections', () => {
    const state = createState({
      nodes: [manual, branch('if', { trueAction: 'a', falseAction: 'b' }), pass('a'), pass('b')],
      connections: [edge('start > if')],
    });
    end(state, 'if', { false: { v: 2 } });
    expect(ready(state)).toEqual(['b']);
    expect(statuses(state)).toMatchObject({ a: 'skipped' });
  });

  test('a disabled node passes its input through, also in a chain of thousands', () => {
    const n = 5_000;
    const nodes = [manual, ...Array.from({ length: n }, (_, i) => pass(`n${i}`, { disabled: true }))];
    const state = createState({
      nodes,
      connections: nodes.slice(1).map((node, i) => ({ from: nodes[i]!.id, to: node.id })),
    });
    expect(state.settled).toMatchObject({ status: 'completed', output: { v: 1 } });
  });
});

describe('failures', () => {
  const failing = {
    e: 'fail',
    p: 'a',
    n: 2,
    at: 3,
    s: 1,
    err: { type: 'network', message: 'no route' },
  } as const;

  test('a failure without a connected error port ends the execution and stops running nodes', () => {
    const state = createState({
      nodes: [manual, pass('a'), pass('b'), pass('c')],
      connections: ['start > a', 'start > b', 'b > c'].map(edge),
    });
    state.apply({ e: 'start', p: 'b', n: 1, at: 2 });
    state.apply(failing);
    expect(state.settled).toMatchObject({
      status: 'failed',
      error: { type: 'network', message: 'no route', node_id: 'a', attempt: 2 },
    });
    expect(statuses(state)).toMatchObject({ a: 'failed', b: 'stopped' });
    end(state, 'b', { out: 1 });
    expect(statuses(state)).toMatchObject({ b: 'stopped', c: 'pending' });
  });

  test('a failure leaves by a connected error port', () => {
    const state = createState({
      nodes: [manual, pass('a'), pass('b'), pass('c')],
      connections: ['start > a', 'a error b', 'a > c'].map(edge),
    });
    state.apply(failing);
    expect(state.settled).toBeNull();
    expect(state.runs.get('b')!.input).toEqual({
      type: 'network',
      message: 'no route',
      node_id: 'a',
      attempt: 2,
    });
    expect(statuses(state)).toMatchObject({ a: 'failed', c: 'skipped' });
  });
});

describe('parts of a run', () => {
  const chain: Definition = {
    nodes: [manual, pass('a'), pass('b'), pass('c')],
    connections: ['start > a', 'a > b', 'b > c'].map(edge),
  };

  test('until runs the nodes that lead to the target and ends with its output', () => {
    const state = createState(chain, { until: 'b' });
    end(state, 'a', { out: 1 });
    end(state, 'b', { out: 2 });
    expect(state.settled).toMatchObject({ status: 'completed', output: 2 });
    expect(statuses(state)).toMatchObject({ c: 'skipped' });
  });

  test('pinned outputs replace nodes that do not run', () => {
    const state = createState(chain, { given: { a: { out: 'pinned' }, b: { out: 'too' } } });
    expect(ready(state)).toEqual(['c']);
    expect(state.runs.get('c')!.input).toBe('too');
  });

  test('nodes that were running when the worker was lost start again, and their crashes are counted', () => {
    const state = createState(chain);
    state.apply({ e: 'start', p: 'a', n: 1, at: 2 });
    expect(ready(state)).toEqual([]);
    state.apply({ e: 'take', at: 3 });
    expect(ready(state)).toContain('a');
    expect(state.runs.get('a')).toMatchObject({ attempt: 1, suspicion: { crashes: 1, loneCrashes: 0 } });
    state.apply({ e: 'start', p: 'a', n: 2, at: 4 });
    state.apply({ e: 'release', at: 5 });
    state.apply({ e: 'take', at: 6 });
    expect(state.runs.get('a')).toMatchObject({ attempt: 2, suspicion: { crashes: 1, loneCrashes: 0 } });
  });

  test('time never decreases, even if the clocks of workers differ', () => {
    const state = createState(chain);
    const times: number[] = [];
    state.observer = { logged: (at) => times.push(at) };
    state.apply({ e: 'start', p: 'a', n: 1, at: 50_000 });
    state.apply({ e: 'end', p: 'a', n: 1, at: 5_000, o: { v: { out: 1 } } });
    state.apply({ e: 'end', p: 'b', n: 1, at: 5_002, s: 5_001, o: { v: { out: 1 } } });
    state.apply({ e: 'end', p: 'c', n: 1, at: 60_000, s: 70_000, o: { v: { out: 1 } } });
    for (const p of ['a', 'b'])
      expect(state.runs.get(p)).toMatchObject({ startTime: 50_000, endTime: 50_000 });
    expect(state.runs.get('c')).toMatchObject({ startTime: 70_000, endTime: 70_000 });
    expect(state.settled?.at).toBe(70_000);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('only a crash in isolation is a lone one', () => {
    const state = createState(chain);
    const suspicion = () => state.runs.get('a')!.suspicion;
    state.apply({ e: 'start', p: 'a', n: 1, at: 2 });
    state.apply({ e: 'take', at: 3 });
    state.apply({ e: 'start', p: 'a', n: 2, at: 4 });
    state.apply({ e: 'take', at: 5, alone: true });
    expect(suspicion()).toEqual({ crashes: 2, loneCrashes: 0, isAlone: true });
    state.apply({ e: 'start', p: 'a', n: 3, at: 6 });
    state.apply({ e: 'take', at: 7, alone: true });
    expect(suspicion()).toEqual({ crashes: 3, loneCrashes: 1, isAlone: true });
    state.apply({ e: 'start', p: 'a', n: 4, at: 8 });
    state.apply({ e: 'clear', at: 9 });
    state.apply({ e: 'take', at: 10 });
    expect(suspicion()).toEqual({ crashes: 4, loneCrashes: 0, isAlone: false });
    state.apply({ e: 'start', p: 'a', n: 5, at: 11 });
    state.apply({ e: 'end', p: 'a', n: 5, at: 12, o: { v: { out: 1 } } });
    expect(suspicion()).toBeNull();
  });

  test('a stop settles once; later events have no effect', () => {
    const state = createState(chain);
    state.apply({ e: 'start', p: 'a', n: 1, at: 2 });
    state.apply({ e: 'stop', at: 3 });
    end(state, 'a', { out: 1 });
    state.apply({ e: 'expire', at: 4 });
    expect(state.settled).toMatchObject({ status: 'stopped', at: 3 });
    expect(statuses(state)).toMatchObject({ a: 'stopped', b: 'pending' });
  });
});

describe('errors of a definition', () => {
  const errors = (nodes: NodeEntry[], ...connections: string[]) => {
    const { form, issues } = runToEnd(buildGraph({ nodes, connections: connections.map(edge) }, types));
    return [
      ...form.map((f) => `${f.field}: ${f.issue}`),
      ...issues.map((i) => `${i.node_id}.${i.field}: ${i.issue}`),
    ].join('\n');
  };

  test.each([
    [
      'a cycle',
      [manual, pass('a'), pass('b')],
      ['start > a', 'a > b', 'b > a'],
      'definition.connections: form a cycle: ',
    ],
    [
      'a doubled id',
      [manual, pass('a'), pass('a')],
      ['start > a'],
      'definition.nodes[2].id: is used twice: "a"',
    ],
    [
      'a missing node',
      [manual],
      ['start > x'],
      'definition.connections[0].to: is not a node of this workflow: "x"',
    ],
    [
      'an unknown port',
      [manual, branch('c'), pass('a')],
      ['start > c', 'c maybe a'],
      'definition.connections[1].sourcePort: condition has no such output; it has true, false, error',
    ],
    [
      'an unknown type',
      [manual, pass('a', { type: 'telepathy' })],
      ['start > a'],
      'a.type: is not a known node type: "telepathy"',
    ],
    ['an unreachable node', [manual, pass('a')], [], 'a.connections: is not reachable from any trigger'],
    [
      'a connection into a trigger',
      [manual, pass('a')],
      ['start > a', 'a > start'],
      'is a trigger: nothing can be connected to it',
    ],
    [
      'a node that reads a missing one',
      [
        manual,
        pass('a', {
          config: { operations: [{ action: 'map', input: 'v', output: 'o', transform: '{{ nodes.zz.v }}' }] },
        }),
      ],
      ['start > a'],
      'reads the output of an unknown node: "zz"',
    ],
  ])('%s', (_name, nodes, connections, expected) => {
    expect(errors(nodes as NodeEntry[], ...(connections as string[]))).toContain(expected);
  });

  test('two branches with one name are reported by the node type, not as a structural error', () => {
    const branches = [
      { name: 'x', nodes: ['a'] },
      { name: 'x', nodes: ['b'] },
    ];
    const twice = { id: 'par', type: 'parallel', config: { branches } };
    expect(errors([manual, twice, pass('a'), pass('b')], 'start > par')).not.toContain('own body');
  });

  test('accepts 10,000 nodes and rejects one more', () => {
    const nodes = (n: number) => Array.from({ length: n }, (_, i) => pass(`n${i}`));
    expect(errors(nodes(10_000))).toBe('');
    expect(errors(nodes(10_001))).toContain('definition.nodes: must have at most 10000 nodes');
  });
});
