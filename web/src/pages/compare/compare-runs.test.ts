import { expect, test } from 'vitest';
import type { NodeRun } from 'weft-client';
import { listChangedParts, compareRuns, isDifferent } from './compare-runs.ts';

const run = (path: string, more: Partial<NodeRun> = {}): NodeRun => ({
  node_id: path.split('/').at(-1)!,
  path,
  type: 'set',
  status: 'completed',
  attempt: 1,
  start_time: '2026-01-01T00:00:00.000Z',
  end_time: '2026-01-01T00:00:01.000Z',
  duration: 1_000,
  input: {},
  output: {},
  output_ports: ['out'],
  error: null,
  ...more,
});

const compare = (before: NodeRun[], after: NodeRun[]) =>
  compareRuns({ nodes: before, total: before.length }, { nodes: after, total: after.length });

test('a run whose counterpart may not be loaded is left out', () => {
  const before = { nodes: ['start', 'a'].map((path) => run(path)), total: 9 };
  const after = { nodes: ['start', 'b'].map((path) => run(path)), total: 2 };
  expect(compareRuns(before, after).map(({ path }) => path)).toEqual(['start', 'a']);
  expect(compareRuns(after, before).map(({ path }) => path)).toEqual(['start', 'a']);
  expect(compareRuns(before, { ...after, total: 3 }).map(({ path }) => path)).toEqual(['start']);
});

test('runs are paired by path; those of one side are in their order', () => {
  const before = ['start', 'a', 'old', 'end'].map((path) => run(path));
  const after = ['start', 'new', 'newer', 'a', 'end', 'last'].map((path) => run(path));
  const compared = compare(before, after);
  expect(compared.map(({ path }) => path)).toEqual(['start', 'new', 'newer', 'a', 'old', 'end', 'last']);
  expect(compared.filter(isDifferent).map(({ path, before: left }) => [path, left !== undefined])).toEqual([
    ['new', false],
    ['newer', false],
    ['old', true],
    ['last', false],
  ]);
});

test('iterations of a loop are compared one by one', () => {
  const [first, second] = compare(
    [run('loop[0]/x', { output: 1 }), run('loop[1]/x', { output: 2 })],
    [run('loop[0]/x', { output: 1 }), run('loop[1]/x', { output: 3 })],
  );
  expect(isDifferent(first!)).toBe(false);
  expect(second!.output).toEqual([{ path: '', before: 2, after: 3 }]);
});

test('values differ by field and by item; durations and times do not count', () => {
  const [compared] = compare(
    [run('a', { input: { list: [1, { n: 1 }], same: true }, output: { 'a b': 1 }, duration: 5 })],
    [run('a', { input: { list: [1, { n: 2 }, 3], same: true }, output: {}, duration: 9 })],
  );
  expect(compared!.input).toEqual([
    { path: 'list[2]', before: undefined, after: 3 },
    { path: 'list[1].n', before: 1, after: 2 },
  ]);
  expect(compared!.output).toEqual([{ path: '["a b"]', before: 1, after: undefined }]);
  expect(listChangedParts(compared!)).toEqual(['input', 'output']);
});

test('another port, another status and another error differ', () => {
  const failed = { type: 'timeout', message: 'too slow', node_id: 'b', attempt: 1 } as NodeRun['error'];
  const [port, status] = compare(
    [run('a', { output_ports: ['true'], output: 1 }), run('b')],
    [run('a', { output_ports: ['false'], output: 1 }), run('b', { status: 'failed', error: failed })],
  );
  expect(listChangedParts(port!)).toEqual(['output']);
  expect(status!.error).toEqual([
    { path: '', before: undefined, after: { type: 'timeout', message: 'too slow' } },
  ]);
  expect(isDifferent(status!)).toBe(true);
});

test('a node that was skipped did not run', () => {
  const [compared] = compare([run('a', { status: 'skipped' })], [run('a')]);
  expect(compared!.before).toBeUndefined();
});
