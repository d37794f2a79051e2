import { describe, expect, test } from 'vitest';
import type { Definition } from '../../contract/definition.ts';
import { createNodeTypes } from '../../nodes/catalog.ts';
import { builtinNodes } from '../../nodes/registry.ts';
import type { BeginEvent } from '../journal/journal.ts';
import { buildGraph } from '../graph/graph-builder.ts';
import { runToEnd } from '../../lib/async/time-slice.ts';
import { ExecutionState } from './execution-state.ts';
import { ValueRetention } from './value-retention.ts';

const types = createNodeTypes(builtinNodes);
const set = (id: string) => ({ id, type: 'set', config: { fields: { from: id } } });
const definition: Definition = {
  nodes: [
    { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
    { id: 'outer', type: 'for_each', config: { items: '{{ input.missing }}', nodes: ['a', 'inner'] } },
    set('a'),
    { id: 'inner', type: 'while', config: { condition: 'true', maxIterations: 9, nodes: ['b', 'c', 'd'] } },
    set('b'),
    set('c'),
    set('d'),
    set('last'),
  ],
  connections: [
    { from: 'start', to: 'outer' },
    { from: 'outer', to: 'last' },
  ],
};

function createState(begin: Partial<BeginEvent> | null): ExecutionState {
  const { graph, form, issues } = runToEnd(buildGraph(definition, types));
  if (graph === null) throw new Error(JSON.stringify({ form, issues }));
  const state = new ExecutionState(
    graph,
    { id: 'ex_1', workflowId: 'wf_1', workflowVersion: 1, trigger: { type: 'manual' } },
    new ValueRetention(Infinity, null),
  );
  if (begin !== null) state.apply({ e: 'begin', at: 1, entry: 'start', input: { v: {} }, ...begin });
  return state;
}

const statuses = (state: ExecutionState) =>
  Object.fromEntries([...state.runs.all()].map((run) => [run.path, run.status]));
const readyPaths = (state: ExecutionState) =>
  state.ready.filter(({ status }) => status === 'pending').map(({ path }) => path);

const begin: Partial<BeginEvent> = {
  until: 'c',
  given: { a: { out: 'of a' }, b: { out: 'of b' } },
  iterations: [
    { input: { item: 'x', index: 3 }, item: 'x', index: 3 },
    { input: 'round', index: 7 },
  ],
};

describe('a single iteration', () => {
  test('runs only the node, with the given values, in each container once', () => {
    const state = createState(begin);
    expect(readyPaths(state)).toEqual(['outer[3]/inner[7]/c']);
    const run = state.runs.get('outer[3]/inner[7]/c')!;
    expect([run.input, run.frame.item, run.frame.index]).toEqual(['of b', 'x', 7]);
    state.apply({ e: 'end', p: run.path, n: 1, at: 2, s: 1, o: { v: { out: 'of c' } } });
    expect(state.settled?.status).toBe('completed');
    expect(statuses(state)).toEqual({
      start: 'completed',
      outer: 'completed',
      last: 'skipped',
      'outer[3]/a': 'completed',
      'outer[3]/inner': 'completed',
      'outer[3]/inner[7]/b': 'completed',
      'outer[3]/inner[7]/c': 'completed',
      'outer[3]/inner[7]/d': 'skipped',
    });
  });

  test('fails with the node', () => {
    const state = createState(begin);
    const err = { type: 'network', message: 'no' } as const;
    state.apply({ e: 'fail', p: 'outer[3]/inner[7]/c', n: 1, at: 2, s: 1, err });
    expect(state.settled?.status).toBe('failed');
    expect(state.settled?.error).toMatchObject({ type: 'network', message: 'no', node_id: 'c' });
  });

  test('continues from a saved state', () => {
    const saved = structuredClone(createState(begin).save());
    const state = createState(null);
    state.restore(saved);
    expect(readyPaths(state)).toEqual(['outer[3]/inner[7]/c']);
    state.apply({ e: 'end', p: 'outer[3]/inner[7]/c', n: 1, at: 2, s: 1, o: { v: { out: 'of c' } } });
    expect(state.settled?.status).toBe('completed');
  });

  test('without iterations, the container runs as a whole', () => {
    expect(createState({ until: 'c' }).settled?.status).toBe('failed');
  });
});
