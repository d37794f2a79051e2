import { expect, test } from 'vitest';
import { chooseSeed, createSeededRandom, type SeededRandom } from '../../../test/support/seeded-random.ts';
import type { NodeEntry } from '../../contract/definition.ts';
import { runToEnd } from '../../lib/async/time-slice.ts';
import { createNodeTypes } from '../../nodes/catalog.ts';
import { builtinNodes } from '../../nodes/registry.ts';
import type { JournalRow } from '../../ports/store/execution-reads.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type { ListRange } from '../engine-api.ts';
import { buildGraph } from '../graph/graph-builder.ts';
import { encodeEvent, parseEvents, type JournalEvent } from '../journal/journal.ts';
import { replayJournal } from '../journal/replay.ts';
import { encodeSnapshot } from '../journal/snapshot-codec.ts';
import { ExecutionState } from '../state/execution-state.ts';
import type { StoredSnapshot } from '../state/load-state.ts';
import { SNAPSHOT_VERSION } from '../state/saved-state.ts';
import { buildExecutionView } from './execution-view.ts';
import { readExecutionPage, readLogRange } from './long-execution.ts';

const pass = (id: string): NodeEntry => ({ id, type: 'data_transformer', config: { operations: [] } });
const loop = (id: string, nodes: string[], concurrency: number): NodeEntry => ({
  id,
  type: 'for_each',
  config: { items: '{{ trigger.items }}', nodes, concurrency, onError: 'continue' },
});
/** Two loops, the first with a loop in it. The values of `between` are in no snapshot of the second loop. */
const { graph } = runToEnd(
  buildGraph(
    {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        pass('first'),
        loop('outer', ['p', 'inner'], 3),
        pass('p'),
        loop('inner', ['copy'], 2),
        pass('copy'),
        pass('between'),
        loop('second', ['q'], 1),
        pass('q'),
        pass('beside'),
        pass('last'),
      ],
      connections: [
        { from: 'start', to: 'first' },
        { from: 'first', to: 'outer' },
        { from: 'outer', to: 'between' },
        { from: 'between', to: 'second' },
        { from: 'start', to: 'beside' },
        { from: 'second', to: 'last' },
        { from: 'second', sourcePort: 'error', to: 'last' },
      ],
    },
    createNodeTypes(builtinNodes),
  ),
);
const execution: ExecutionRow = {
  id: 'ex_1',
  ownerId: 'usr_1',
  workflowId: 'wf_1',
  workflowVersion: 1,
  status: 'running',
  trigger: { type: 'manual' },
  error: null,
  progress: 0,
  currentNode: null,
  createdAt: 1,
  startTime: 1,
  endTime: null,
  parentId: null,
  retryOf: null,
};

function nextEvent(state: ExecutionState, random: SeededRandom, at: number): JournalEvent {
  const able = state.runs.all().filter((run) => {
    if (!run.frame.alive || run.body !== null) return false;
    return run.status === 'running' || (run.status === 'pending' && state.ready.includes(run));
  });
  const run = able[random.int(able.length)]!;
  const n = run.status === 'running' ? run.attempt : run.attempt + 1;
  const event = { p: run.path, n, at };
  const kind = random.int(12);
  if (kind < 2 && run.status === 'pending') return { ...event, e: 'start' };
  if (kind === 2) return { e: 'log', p: run.path, at, l: 'info', m: `said at ${at}` };
  if (kind === 3 && run.node.id === 'copy')
    return { ...event, e: 'fail', err: { type: 'validation', message: 'no' } };
  if (kind === 4) return { ...event, e: 'end', same: 'out' };
  return { ...event, e: 'end', s: at, o: { v: { out: { at, by: run.node.id } } } };
}

/** The journal of a random run, ended or not, with a snapshot of a random position. */
async function createRun(random: SeededRandom, items: number) {
  const state = new ExecutionState(graph!, execution, null);
  const rows: JournalRow[] = [];
  let written: JournalEvent[] = [];
  let snapshot: StoredSnapshot | null = null;
  const flush = (): void => {
    let before = 0;
    const texts = written.map((event) => {
      const text = encodeEvent(event, before);
      before = event.at;
      return text;
    });
    rows.push({ seq: rows.length, events: `[${texts.join(',')}]` });
    written = [];
  };
  const apply = (event: JournalEvent): void => {
    written.push(structuredClone(event));
    state.apply(event);
    state.ready = state.ready.filter((run) => run.status === 'pending' && run.frame.alive);
  };
  apply({
    e: 'begin',
    at: 1,
    entry: 'start',
    input: { v: { items: Array.from({ length: items }, (_, i) => i) } },
  });
  apply({ e: 'run', at: 1 });
  const length = random.is(0.5) ? Infinity : 20 + random.int(items * 7);
  for (let at = 2; at < length && state.settled === null; at++) {
    apply(nextEvent(state, random, at));
    if (random.is(0.7)) continue;
    flush();
    if (state.settled === null && random.is(0.1))
      snapshot = {
        nextSeq: rows.length,
        version: SNAPSHOT_VERSION,
        data: await encodeSnapshot({ state: state.save(), orphanedPaths: [] }),
      };
  }
  flush();
  return { rows, snapshot, isEnded: state.settled !== null };
}

function createDeps(rows: readonly JournalRow[]) {
  const reads = { rows: 0 };
  const journal = (_owner: string, _id: string, from: number, limit: number): Promise<JournalRow[]> => {
    const found = rows.slice(from, from + limit);
    reads.rows += found.length;
    return Promise.resolve(found);
  };
  const deps = {
    store: { executions: { journal } },
    files: {},
    clock: { now: () => 0, soon: (run: () => void) => run() },
    memory: { mostOfOne: Infinity },
  } as unknown as Parameters<typeof readExecutionPage>[0];
  return { deps, reads };
}

const viewOf = (rows: readonly JournalRow[]) =>
  buildExecutionView(
    graph!,
    execution,
    rows.flatMap(({ events }) => parseEvents(events)),
  );

test('the parts of a long execution equal those of its whole replay', { timeout: 120_000 }, async () => {
  const random = createSeededRandom(chooseSeed('FUZZ_SEED'));
  const seen = { compared: 0, ended: 0, open: 0 };
  for (let runs = 0; runs < 40; runs++) {
    const { rows, snapshot, isEnded } = await createRun(random, 1 + random.int(14));
    if (snapshot === null) continue;
    seen[isEnded ? 'ended' : 'open']++;
    const { deps } = createDeps(rows);
    const { nodes, logs, input, output, usage, response } = viewOf(rows);
    const whole = { input, output, usage, response, total: nodes.length, leftOut: new Set<string>() };
    const choose = (total: number): ListRange => ({
      offset: random.int(total + 5),
      limit: random.int(random.is(0.5) ? 10 : 200),
    });
    const ranges = [
      { offset: 0, limit: 0 },
      { offset: 0, limit: 1_000 },
      { offset: nodes.length - 3, limit: 3 },
    ];
    for (let i = 0; i < 20; i++) ranges.push(choose(nodes.length));
    for (const range of ranges) {
      const page = await readExecutionPage(deps, graph!, execution, snapshot, range, null);
      const expected = nodes.slice(range.offset, range.offset + range.limit);
      expect(page, JSON.stringify(range)).toEqual({ ...whole, nodes: expected });
      seen.compared++;
    }
    for (let i = 0; i < 15; i++) {
      const range = choose(logs.length);
      const entries = logs.slice(range.offset, range.offset + range.limit);
      const found = await readLogRange(deps, graph!, execution, snapshot, range);
      expect(found, JSON.stringify(range)).toEqual({ entries, total: logs.length });
    }
  }
  console.log(JSON.stringify(seen));
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);
});

test('the first and the last parts do not read the rows between them', async () => {
  const random = createSeededRandom(chooseSeed('FUZZ_SEED'));
  let run = await createRun(random, 40);
  while (!run.isEnded || run.snapshot === null || run.snapshot.nextSeq < run.rows.length - 30)
    run = await createRun(random, 40);
  const { rows, snapshot } = run;
  const { deps, reads } = createDeps(rows);
  const total = viewOf(rows).nodes.length;
  const readRows = async (read: () => Promise<unknown>): Promise<number> => {
    reads.rows = 0;
    await read();
    return reads.rows;
  };
  expect(rows.length).toBeGreaterThan(200);
  const once = () =>
    replayJournal(
      deps,
      { ownerId: '', id: '' },
      0,
      () => {},
      () => true,
    );
  expect(await readRows(once)).toBe(4);
  expect(await readRows(() => replayJournal(deps, { ownerId: '', id: '' }, 0, () => {}))).toBe(rows.length);
  // A page of the journal has up to 100 rows.
  const page = (offset: number, limit: number) => () =>
    readExecutionPage(deps, graph!, execution, snapshot!, { offset, limit }, null);
  expect(await readRows(page(total - 2, 2))).toBeLessThan(40);
  expect(await readRows(page(11, 20))).toBeLessThan(140);
  const logs = () => readLogRange(deps, graph!, execution, snapshot!, { offset: 0, limit: 50 });
  expect(await readRows(logs)).toBeLessThan(140);
});
