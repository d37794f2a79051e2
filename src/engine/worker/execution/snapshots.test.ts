import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { start, toGraph } from '../../../../test/engine/random-bodies.ts';
import { ExecutionState } from '../../state/execution-state.ts';
import { Snapshots } from './snapshots.ts';

const identity = { id: 'ex_1', workflowId: 'wf_1', workflowVersion: 1, trigger: { type: 'manual' as const } };

/** The snapshots of an execution whose state takes about 12,000 characters. */
function create(): Snapshots {
  const loop = { id: 'each', type: 'for_each', config: { items: [1], nodes: ['wait'] } };
  const graph = toGraph({
    nodes: [start, loop, { id: 'wait', type: 'delay', config: { duration: '1h' } }],
    connections: [{ from: 'start', to: 'each' }],
  });
  const state = new ExecutionState(graph, identity, null);
  const input = { text: randomBytes(9_000).toString('latin1') };
  state.apply({ e: 'begin', at: 1, entry: 'start', input: { v: input } });
  return new Snapshots(
    state,
    { allOrphanedPaths: [], stopChildren: () => {} },
    { snapshotEvents: 100, report: (message, error) => expect.fail(`${message}: ${String(error)}`) },
  );
}

test('while it runs, a snapshot is at most as long as the part of the journal that it replaces', async () => {
  const snapshots = create();
  snapshots.add({ count: 100, size: 5_000 });
  expect(await snapshots.take(false)).toBeNull();
  snapshots.add({ count: 100, size: 4_000 });
  // It is not tried again before that part has grown.
  expect(snapshots.take(false)).toBeNull();
  snapshots.add({ count: 100, size: 10_000 });
  expect((await snapshots.take(false))!.data.length).toBeGreaterThan(9_000);
  expect(snapshots.take(false)).toBeNull();
});

test('when it waits, a snapshot may be 16 times as long', async () => {
  const snapshots = create();
  snapshots.add({ count: 100, size: 500 });
  expect(await snapshots.take(true)).toBeNull();
  snapshots.add({ count: 100, size: 1_000 });
  expect(await snapshots.take(true)).not.toBeNull();
  // A wait with few events needs none.
  snapshots.add({ count: 99, size: 90_000 });
  expect(snapshots.take(true)).toBeNull();
});
