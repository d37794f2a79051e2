import { describe, expect, test } from 'vitest';
import type { NodeRun } from 'weft-client';
import type { Edge } from '../canvas/model/graph-index.ts';
import { LoopProgress, countLoopItems } from './timeline/loop-progress.ts';
import { computeCounts, LogStates, computeStates } from './run-states.ts';

function run(path: string, more: Partial<NodeRun> = {}): NodeRun {
  return {
    node_id: path.slice(path.lastIndexOf('/') + 1),
    path,
    type: 'set',
    status: 'completed',
    attempt: 1,
    start_time: '2026-01-01T00:00:00.000Z',
    end_time: '2026-01-01T00:00:01.000Z',
    duration: 1_000,
    input: null,
    output: null,
    output_ports: ['out'],
    error: null,
    ...more,
  };
}

test('a node in a loop counts its failed runs', () => {
  const failed = { status: 'failed', error: null } as const;
  const nodes = [run('l[0]/a'), run('l[1]/a', failed), run('l[2]/a'), run('l[3]/a', failed), run('b')];
  const states = computeStates({ nodes });
  expect(states.get('a')).toMatchObject({ status: 'failed', count: 4, failed: 2 });
  expect(states.get('b')).not.toHaveProperty('failed');
});

describe('the counts of an edge', () => {
  const edge = (from: string, port: string, to: string): Edge => ({
    id: `${from}.${port}`,
    kind: 'connection',
    from,
    port,
    to,
    toPort: 'in',
  });
  const passed = (nodes: NodeRun[], given: Edge): unknown =>
    computeCounts({ nodes }, (id) => (id === given.to ? [given] : [])).get(given.id);
  test.each([
    ['a list counts its items', [run('a', { output: [1, 2, 3] }), run('b')], 'out', { count: 1, items: 3 }],
    ['an empty list too', [run('a', { output: [] }), run('b')], 'out', { count: 1, items: 0 }],
    ['anything else counts once', [run('a', { output: { list: [1] } }), run('b')], 'out', { count: 1 }],
    [
      'one of several ports',
      [run('a', { output: { kept: [1, 2], rest: [3] }, output_ports: ['kept', 'rest'] }), run('b')],
      'kept',
      { count: 1, items: 2 },
    ],
    [
      'in a loop, how often',
      [run('l[0]/a', { output: [1] }), run('l[0]/b'), run('l[1]/a', { output: [1] }), run('l[1]/b')],
      'out',
      { count: 2 },
    ],
    [
      'nothing on a branch that was not taken, although the other one leads to the same node',
      [run('a', { output_ports: ['true'] }), run('b')],
      'false',
      undefined,
    ],
    [
      'the rounds of a loop that took the branch',
      [
        run('l[0]/a', { output_ports: ['true'] }),
        run('l[0]/b'),
        run('l[1]/a', { output_ports: ['false'] }),
        run('l[1]/b'),
      ],
      'true',
      { count: 1 },
    ],
    ['nothing before the source has ended', [run('a', { status: 'running' }), run('b')], 'out', undefined],
  ] as const)('%s', (_, nodes, port, expected) => {
    expect(passed([...nodes], edge('a', port, 'b'))).toEqual(expected);
  });
});

describe('loops', () => {
  test('iterations are done when none of their nodes runs', () => {
    const progress = new LoopProgress();
    const read = (path: string, isRunning: boolean): unknown => progress.read(path, isRunning)?.done;
    expect(read('each[0]/a', true)).toBe(0);
    expect(read('each[1]/a', true)).toBe(0);
    expect(read('each[0]/a', false)).toBe(1);
    expect(read('each[0]/b', true)).toBe(0);
    expect(read('each[0]/b', false)).toBe(1);
    // Another attempt of the same run.
    expect(read('each[1]/a', true)).toBe(1);
    expect(read('each[1]/a', false)).toBe(2);
    expect(progress.read('outer[3]/each[0]/x', true)).toEqual({ id: 'each', done: 0 });
    expect(progress.read('both[price]/x', true)).toBeNull();
    expect(progress.read('plain', true)).toBeNull();
  });

  test.each([
    ['its results', '{{ input.other }}', { output: { results: [1, 2] } }, 2],
    ['a list of its own', [1, 2, 3], {}, 3],
    ['the input', '{{ input.rows }}', { input: { rows: [1] } }, 1],
    ['the whole input', '{{input}}', { input: [1, 2] }, 2],
    ['another node', '{{ nodes.fetch.body.items }}', {}, 4],
    ['nothing where a filter is applied', '{{ input.rows | sort }}', { input: { rows: [1] } }, undefined],
    [
      'nothing where the path leads nowhere',
      '{{ input.rows.constructor }}',
      { input: { rows: 1 } },
      undefined,
    ],
    ['nothing without a list', undefined, {}, undefined],
  ] as const)('the number of items is known from %s', (_, items, more, total) => {
    const nodes = [run('fetch', { output: { body: { items: [1, 2, 3, 4] } } })];
    expect(countLoopItems(items, run('each', more as Partial<NodeRun>), nodes)).toBe(total);
  });

  test('the state of a stored run has the progress of its loops and the tries of its nodes', () => {
    const nodes = [
      run('each', { type: 'for_each', status: 'running', end_time: null }),
      run('each[0]/a', { attempt: 3 }),
      run('each[1]/a', { status: 'running', end_time: null }),
    ];
    const states = computeStates({ nodes }, false, new Map([['each', 50]]));
    expect(states.get('each')).toEqual({ status: 'running', count: 1, done: 1, total: 50 });
    expect(states.get('a')).toEqual({ status: 'running', count: 2, tries: 3 });
  });
});

test('attempts in the log are tries of one run', () => {
  const states = new LogStates();
  const read = (message: string, level: 'info' | 'warning' | 'error', attempt: number): unknown =>
    states.read({ node_id: 'call', message, level, data: { path: 'call', attempt } })?.[1];
  expect(read('Started', 'info', 1)).toEqual({ status: 'running', count: 1 });
  expect(read('Attempt 1 failed: no response', 'warning', 1)).toMatchObject({ status: 'waiting', count: 1 });
  expect(read('Started', 'info', 2)).toEqual({ status: 'running', count: 1, tries: 2 });
  expect(read('Completed', 'info', 2)).toEqual({ status: 'completed', count: 1, tries: 2 });
});
