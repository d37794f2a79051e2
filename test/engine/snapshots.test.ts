import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NodeEntry } from '../../src/contract/definition.ts';
import { decodeSnapshot, encodeSnapshot } from '../../src/engine/journal/snapshot-codec.ts';
import type { SavedExecution } from '../../src/engine/state/execution-state.ts';
import { SNAPSHOT_VERSION } from '../../src/engine/state/saved-state.ts';
import type { Json } from '../../src/lib/json/json.ts';
import { limits } from '../../src/ports/limits.ts';
import type { Store } from '../../src/ports/store.ts';
import { EngineFixture, owner } from '../support/engine-fixture.ts';

/** Items of a loop that the execution has completed when it waits. */
const DONE = 600;
const items: Json = Array.from({ length: DONE + 3 }, (_, i) => i);

/** The data of a snapshot that names a node run which does not exist. */
const FOREIGN = await encodeSnapshot({
  state: { beginEvent: null, frames: [], ready: ['none'], progress: { outside: 0, inBodies: [] } },
  orphanedPaths: [],
});

let fixture: EngineFixture;
beforeEach(async () => {
  fixture = new EngineFixture();
  fixture.snapshotEvents = 500;
  await fixture.open();
});
afterEach(() => fixture.close());

const probe = (id: string): NodeEntry => ({ id, type: 'probe', config: {} });
const loop: NodeEntry[] = [
  { id: 'loop', type: 'for_each', config: { items: '{{ input.items }}', nodes: ['p', 'q'] } },
  probe('p'),
  probe('q'),
];

/** A store whose journal reads are recorded: the first row of each. */
function watched(reads: number[], change: Partial<Store['executions']> = {}): Store {
  const { store } = fixture;
  const executions: Store['executions'] = {
    ...store.executions,
    ...change,
    journal(ownerId, id, from, limit) {
      reads.push(from);
      return store.executions.journal(ownerId, id, from, limit);
    },
  };
  return { ...store, executions };
}

/** Starts the loop, and ends the worker while item `DONE` waits for its second node. */
async function interruptedLoop(): Promise<string> {
  const workflow = await fixture.save(loop, ['start > loop']);
  fixture.probes.set('q', ({ input }) =>
    JSON.stringify(input).includes(`"item":${DONE}`)
      ? new Promise(() => {})
      : { kind: 'done', outputs: { out: input } },
  );
  const { id } = await fixture.start(workflow, { items });
  await fixture.until('the item is reached', () => fixture.calls.length === 2 * DONE + 2);
  fixture.clock.forget();
  fixture.clock.advance(limits.leaseMs + 1);
  fixture.probes.delete('q');
  return id;
}

async function expectCompletion(id: string): Promise<void> {
  await fixture.until('the end', async () => (await fixture.status(id)) === 'completed');
  const { output } = await fixture.view(id);
  expect((output as { results: Json[] }).results).toHaveLength(DONE + 3);
  // Each node ran once for each item; only the interrupted one ran again.
  expect(fixture.calls).toHaveLength(2 * (DONE + 3) + 1);
}

test('a long execution continues from its snapshot and the rows after it', async () => {
  const id = await interruptedLoop();
  const snapshot = (await fixture.store.executions.snapshot(owner, id))!;
  expect(snapshot.nextSeq).toBeGreaterThan(500);
  const reads: number[] = [];
  fixture.engine = await fixture.makeEngine(null, watched(reads));
  await fixture.until('the continuation', () => fixture.calls.length > 2 * DONE + 2);
  expect(reads[0]).toBe(snapshot.nextSeq);
  await expectCompletion(id);
  expect(fixture.reports).toEqual([]);
});

test.for([
  ['of another version', (data: string) => ({ data, version: 0 }), 0],
  ['that is damaged', (data: string) => ({ data: data.slice(0, 500), version: null }), 1],
  ['of another graph', () => ({ data: FOREIGN, version: null }), 1],
] as const)('a snapshot %s is not used: the whole journal is replayed', async ([, change, reports]) => {
  const id = await interruptedLoop();
  const reads: number[] = [];
  const store = watched(reads, {
    async snapshot(ownerId, executionId) {
      const stored = (await fixture.store.executions.snapshot(ownerId, executionId))!;
      const { data, version } = change(stored.data);
      return { ...stored, data, version: version ?? stored.version };
    },
  });
  fixture.engine = await fixture.makeEngine(null, store);
  await fixture.until('the continuation', () => fixture.calls.length > 2 * DONE + 2);
  expect(reads[0]).toBe(0);
  // Before the end, which is read from the same snapshot and reports it again.
  expect(fixture.reports).toHaveLength(reports);
  await expectCompletion(id);
});

/** A store whose snapshot of an execution is another one, and of another version. */
function withSnapshot(change: (saved: SavedExecution) => void, version: number, reads: number[]): Store {
  return watched(reads, {
    async snapshot(ownerId, id) {
      const stored = (await fixture.store.executions.snapshot(ownerId, id))!;
      const saved = (await decodeSnapshot(stored.data)) as SavedExecution;
      change(saved);
      return { ...stored, data: await encodeSnapshot(saved), version };
    },
  });
}

test('a snapshot of version 2 is used: the results of a loop are a list', async () => {
  const id = await interruptedLoop();
  const reads: number[] = [];
  const store = withSnapshot(
    ({ state }) => {
      const control = state.frames[0]!.runs.find(({ nodeId }) => nodeId === 'loop')!.body!.control as {
        results: unknown;
      };
      const { parts } = control.results as { parts: { values: Json[] }[] };
      control.results = parts.flatMap(({ values }) => values);
    },
    2,
    reads,
  );
  fixture.engine = await fixture.makeEngine(null, store);
  await fixture.until('the continuation', () => fixture.calls.length > 2 * DONE + 2);
  expect(reads[0]).toBeGreaterThan(0);
  await expectCompletion(id);
  expect(fixture.reports).toEqual([]);
});

test.for([
  ['at the limit of node runs completes', 0, 'completed'],
  ['above the limit of node runs fails', 1, 'failed'],
] as const)('an execution %s', async ([, above, status]) => {
  const id = await interruptedLoop();
  const store = withSnapshot(
    ({ state }) => {
      // The trigger, two for each item, and the loop, which is not started but ends with its last item.
      const wanted = 1 + 2 * (DONE + 3);
      state.steps += limits.steps - wanted + above;
    },
    SNAPSHOT_VERSION,
    [],
  );
  fixture.engine = await fixture.makeEngine(null, store);
  await fixture.until('the end', async () => (await fixture.status(id)) === status);
  const { error } = (await fixture.store.executions.get(owner, id))!;
  if (status === 'failed')
    expect(error).toMatchObject({
      type: 'limit',
      message: expect.stringContaining('at most 10000000 nodes') as string,
    });
});

test('an execution with too many node runs for the memory is not read as a whole', async () => {
  const id = await interruptedLoop();
  const row = (await fixture.store.executions.get(owner, id))!;
  const { total } = await fixture.engine.page(row, { offset: 0, limit: 0 });
  const engine = (above: number) => {
    const change = ({ state }: SavedExecution): void => {
      state.countInBodies += limits.inspectedNodeRuns - total + above;
    };
    return fixture.makeEngine(null, withSnapshot(change, SNAPSHOT_VERSION, []));
  };
  expect((await (await engine(0)).inspect(row)).nodes).toHaveLength(total);
  await expect((await engine(1)).inspect(row)).rejects.toMatchObject({
    code: 'CONFLICT',
    details: { field: 'from' },
  });
});

test('a short execution writes no snapshot', async () => {
  const workflow = await fixture.save(loop, ['start > loop']);
  let written = 0;
  const { store } = fixture;
  fixture.engine = await fixture.makeEngine(null, {
    ...store,
    executions: {
      ...store.executions,
      commit(batch) {
        written += batch.filter(({ snapshot }) => snapshot !== undefined).length;
        return store.executions.commit(batch);
      },
    },
  });
  const { id } = await fixture.start(workflow, { items: Array.from({ length: 100 }, (_, i) => i) });
  await fixture.until('the end', async () => (await fixture.status(id)) === 'completed');
  expect(written).toBe(0);
});
