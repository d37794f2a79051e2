import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { chooseSeed, createSeededRandom, type SeededRandom } from '../../../test/support/seeded-random.ts';
import {
  createPassNode,
  createRandomDefinition,
  start,
  toGraph,
} from '../../../test/engine/random-bodies.ts';
import type { Json } from '../../lib/json/json.ts';
import { countBytes } from '../../lib/limits/value-limits.ts';
import type { JournalEvent, Outputs } from '../journal/journal.ts';
import { decodeSnapshot, encodeSnapshot } from '../journal/snapshot-codec.ts';
import { ExecutionState, type SavedState } from './execution-state.ts';
import type { NodeRun } from './frame.ts';
import { SNAPSHOT_VERSION } from './saved-state.ts';

const identity = { id: 'ex_1', workflowId: 'wf_1', workflowVersion: 1, trigger: { type: 'manual' as const } };
const usage = { input_tokens: 1, output_tokens: 1 };

/** A new value, the input, or a part of it: the same object in several places. */
function randomOutputs(run: NodeRun, random: SeededRandom, at: number): Outputs {
  if (run.node.region.name === 'model') {
    const calls = Array.from({ length: random.is(0.1) ? 20 : random.int(3) }, (_, i) => ({
      type: 'tool_call',
      id: `c${at}.${i}`,
      name: random.is(0.9) ? 'look' : 'unknown',
      arguments: { at },
    }));
    const content = [{ type: 'text', text: 'said' }, ...calls];
    return { out: { text: 'said', content, finish_reason: 'stop', usage, cost: 0.5, model: 'm' } };
  }
  const { input } = run;
  const values: Json[] = [
    input,
    { more: random.is(0.7), at, was: input },
    random.int(3),
    null,
    random.text(9),
  ];
  return { out: random.pick(values) };
}

function randomEvent(state: ExecutionState, random: SeededRandom, at: number): JournalEvent {
  if (random.is(0.04)) return { e: random.pick(['take', 'release', 'clear', 'run'] as const), at };
  const able = state.runs.all().filter((run) => run.frame.alive && run.body === null && isAble(run, state));
  const run = able.length === 0 ? null : random.pick(able);
  if (run === null || random.is(0.001)) return { e: random.pick(['stop', 'expire'] as const), at };
  const n = run.status === 'running' ? run.attempt : run.attempt + 1;
  const event = { p: run.path, n, at };
  const used = random.is(0.3) ? { u: [{ m: random.pick(['a', 'b']), i: 3, x: 1, d: at }] } : {};
  const err = { type: 'server_error' as const, message: 'no', status: 500 };
  const kind = random.int(20);
  if (kind < 4) return { ...event, e: 'start' };
  if (kind === 4) return { ...event, e: 'retry', due: at + 9, err, ...(random.is(0.5) && { by: 'h/0' }) };
  if (kind === 5) return { ...event, e: 'wait', due: at + 9, ...(random.is(0.5) && { ev: true }) };
  if (kind === 6) return { e: 'log', p: run.path, at, l: 'info', m: 'said' };
  if (kind === 7 && random.is(0.3)) return { ...event, e: 'fail', err, ...used };
  if (kind === 8) return { ...event, e: 'end', same: 'out' };
  const respond = random.is(0.05) ? { respond: { status: 200, headers: {}, body: { at } } } : {};
  return {
    ...event,
    e: 'end',
    s: at,
    o: { v: randomOutputs(run, random, at) },
    ...used,
    ...respond,
  } as JournalEvent;
}

function isAble(run: NodeRun, state: ExecutionState): boolean {
  return run.status === 'running' || run.status === 'waiting' || state.ready.includes(run);
}

/** Everything that a state contains, as far as later events can depend on it. */
function dump(state: ExecutionState): unknown {
  const {
    at,
    input,
    triggerScope,
    response,
    startTime,
    settled,
    steps,
    beginEvent,
    progress,
    usage,
    logCount,
  } = state;
  const runs = state.runs.all().filter((run) => run.frame.alive);
  return {
    whole: {
      at,
      input,
      triggerScope,
      response,
      startTime,
      settled,
      steps,
      beginEvent,
      progress,
      usage: [...usage],
      logCount,
      countInBodies: state.runs.countInBodies,
    },
    suspects: state.suspects().map((run) => run.path),
    ready: state.ready.filter((run) => run.frame.alive).map((run) => run.path),
    runs: runs.map(({ node, frame, body, ...fields }) => ({
      ...fields,
      frame: { ...frame, region: frame.region.name, parent: frame.parent?.path, runs: frame.runs.length },
      body:
        body === null
          ? null
          : {
              frames: [...body.frames].filter(([, each]) => each.alive).map(([key]) => key),
              saved: body.control.save(),
              held: body.control.countRetainedBytes(countBytes),
              config: body.config,
              loaded: body.loaded,
            },
      nodeId: node.id,
    })),
  };
}

async function restored(state: ExecutionState): Promise<ExecutionState> {
  const copy = new ExecutionState(state.graph, identity, null);
  copy.restore((await decodeSnapshot(await encodeSnapshot(state.save()))) as SavedState);
  return copy;
}

test(
  'a snapshot and the events after it give the same state as all events',
  { timeout: 120_000 },
  async () => {
    const random = createSeededRandom(chooseSeed('FUZZ_SEED'));
    const seen = { snapshots: 0, bodies: 0, settled: 0, events: 0 };
    for (let graphs = 0; graphs < 300; graphs++) {
      const definition = createRandomDefinition(random);
      const graph = toGraph(definition);
      const state = new ExecutionState(graph, identity, null);
      let others: ExecutionState[] = [];
      let at = 1;
      const apply = (event: JournalEvent): void => {
        state.apply(structuredClone(event));
        for (const other of others) {
          other.apply(structuredClone(event));
          if (!isDeepStrictEqual(dump(other), dump(state)))
            expect(dump(other), JSON.stringify({ definition, event })).toEqual(dump(state));
        }
      };
      const items = [{ a: 1 }, { a: 2 }, 0];
      apply({ e: 'begin', at, entry: 'start', input: { v: { items, more: true } } });
      for (let left = 400; left > 0 && state.settled === null; left--) {
        if (random.is(0.15)) {
          if (others.length > 2) others = others.slice(1);
          const copy = await restored(state);
          expect(dump(copy)).toEqual(dump(state));
          others.push(copy);
          seen.snapshots++;
          if (state.runs.all().some((run) => run.body !== null)) seen.bodies++;
        }
        apply(randomEvent(state, random, at++));
        seen.events++;
      }
      if (state.settled !== null) seen.settled++;
    }
    console.log(JSON.stringify(seen));
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(50);
  },
);

test('a change to the state requires a new version of snapshots', () => {
  const graph = toGraph({
    nodes: [
      start,
      { id: 'each', type: 'for_each', config: { items: [1], nodes: ['again'] } },
      {
        id: 'again',
        type: 'while',
        config: { condition: { field: 'x', operator: 'not_exists' }, nodes: ['both'] },
      },
      { id: 'both', type: 'parallel', config: { branches: [{ name: 'a', nodes: ['agent'] }] } },
      { id: 'agent', type: 'agent', config: { prompt: 'Do it.', model: ['model'], tools: [] } },
      createPassNode('model'),
    ],
    connections: [{ from: 'start', to: 'each' }],
  });
  const state = new ExecutionState(graph, identity, null);
  state.apply({ e: 'begin', at: 1, entry: 'start', input: { v: {} } });
  const saved = state.save();
  const controls = saved.frames.flatMap(({ runs }) =>
    runs.flatMap(({ nodeId, body }) =>
      body === null ? [] : [[nodeId, Object.keys(body.control as object)]],
    ),
  );
  // When this fails: increase SNAPSHOT_VERSION, then update the snapshot below.
  expect({
    version: SNAPSHOT_VERSION,
    state: Object.keys(state).toSorted(),
    run: Object.keys(state.root.runs[0]!).toSorted(),
    frame: Object.keys(state.root).toSorted(),
    saved: Object.keys(saved).toSorted(),
    savedFrame: Object.keys(saved.frames[0]!).toSorted(),
    controls: Object.fromEntries(controls) as unknown,
  }).toMatchInlineSnapshot(`
    {
      "controls": {
        "again": [
          "value",
          "round",
        ],
        "agent": [
          "messages",
          "queue",
          "running",
          "calls",
          "firstNew",
          "startedAt",
          "turns",
          "repairs",
          "toolCalls",
          "failedToolCalls",
          "usage",
          "cost",
          "last",
        ],
        "both": [
          "open",
          "outputs",
          "firstFailure",
        ],
        "each": [
          "results",
          "errors",
          "open",
          "next",
        ],
      },
      "frame": [
        "alive",
        "ends",
        "index",
        "item",
        "key",
        "number",
        "open",
        "parent",
        "region",
        "runs",
        "used",
      ],
      "run": [
        "attempt",
        "body",
        "cutOff",
        "deliveries",
        "endTime",
        "error",
        "frame",
        "handlerRetries",
        "input",
        "node",
        "outputs",
        "path",
        "startTime",
        "status",
        "suspicion",
        "unresolved",
        "wait",
      ],
      "saved": [
        "at",
        "beginEvent",
        "countInBodies",
        "frames",
        "isReleased",
        "logCount",
        "progress",
        "ready",
        "response",
        "startTime",
        "steps",
        "usage",
      ],
      "savedFrame": [
        "ends",
        "index",
        "isOpen",
        "item",
        "key",
        "number",
        "open",
        "parent",
        "region",
        "runs",
        "used",
      ],
      "state": [
        "at",
        "beginEvent",
        "endedNodes",
        "graph",
        "identity",
        "input",
        "isReleased",
        "logCount",
        "observer",
        "propagation",
        "ready",
        "response",
        "resumeUrl",
        "retention",
        "root",
        "runs",
        "settled",
        "startTime",
        "steps",
        "triggerScope",
        "usage",
      ],
      "version": 4,
    }
  `);
});
