import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createRandomDefinition, toGraph } from '../../../test/engine/random-bodies.ts';
import { chooseSeed, createSeededRandom, type SeededRandom } from '../../../test/support/seeded-random.ts';
import type { Json } from '../../lib/json/json.ts';
import type { ExecutionView, RetryPlan } from '../engine-api.ts';
import type { Graph } from '../graph/graph.ts';
import type { JournalEvent, Outputs } from '../journal/journal.ts';
import { ExecutionState } from '../state/execution-state.ts';
import type { NodeRun } from '../state/frame.ts';
import { buildExecutionView } from './execution-view.ts';
import { planRetry } from './retry-plan.ts';

const identity = { id: 'ex_1', workflowId: 'wf_1', workflowVersion: 1, trigger: { type: 'manual' as const } };
const input = { items: [{ a: 1 }, { a: 2 }, 0], more: true };
/** Events after which an execution is given up: bodies can repeat their bodies. */
const MAX_EVENTS = 600;

type Execution = {
  /** Paths of the node runs that ran, in order. */
  ran: string[];
  events: JournalEvent[];
  settled: NonNullable<ExecutionState['settled']> | null;
};

/**
 * A value as text, without what tells which of several nodes failed first: that depends on the order in which
 * they run.
 */
const toText = (value: unknown): string =>
  JSON.stringify(value, (key, part: unknown) =>
    ['node_id', 'message', 'type', 'error', 'attempt'].includes(key) ? undefined : part,
  );

/** The outcome of a node depends on its input alone; null: it fails. */
function computeOutputs(seed: number, run: NodeRun): Outputs | null {
  const text = `${seed} ${run.node.id} ${toText(run.input)}`;
  const random = createSeededRandom(createHash('sha256').update(text).digest().readUInt32BE());
  if (run.node.region.name === 'model') {
    const calls = Array.from({ length: random.int(3) }, (_, i) => ({
      type: 'tool_call',
      id: `${run.path} ${i}`,
      name: random.is(0.9) ? 'look' : 'unknown',
      arguments: { number: random.int(100) },
    }));
    const usage = { input_tokens: 1, output_tokens: 1 };
    const content = [{ type: 'text', text: 'said' }, ...calls];
    return { out: { text: 'said', content, finish_reason: 'stop', usage, cost: 0.5, model: 'm' } };
  }
  const isTool = run.node.region.owner?.type.type === 'agent';
  if (random.is(isTool ? 0.4 : 0.05)) return null;
  return {
    out: random.pick<Json>([run.input, { more: random.is(0.7), was: run.input }, random.int(99), null]),
  };
}

/** Runs the nodes that are ready in a random order. `stopAfter`: node runs after which it is stopped. */
function execute(
  graph: Graph,
  random: SeededRandom,
  seed: number,
  kept: Omit<RetryPlan, 'again'> | null,
  stopAfter = Infinity,
): Execution {
  const state = new ExecutionState(graph, identity, null);
  const events: JournalEvent[] = [];
  const ran: string[] = [];
  let at = 1;
  const apply = (event: JournalEvent): void => {
    events.push(structuredClone(event));
    state.apply(event);
  };
  apply({ e: 'begin', at, entry: 'start', input: { v: input }, ...structuredClone(kept) });
  while (state.settled === null && events.length < MAX_EVENTS) {
    state.ready = state.ready.filter((run) => run.frame.alive && run.status === 'pending');
    at++;
    if (ran.length >= stopAfter || state.ready.length === 0) {
      apply({ e: 'stop', at });
      continue;
    }
    const run = random.pick(state.ready);
    ran.push(run.path);
    const outputs = computeOutputs(seed, run);
    const event = { p: run.path, n: 1, at, s: at };
    apply(
      outputs === null
        ? { ...event, e: 'fail', err: { type: 'server_error', message: 'no' } }
        : { ...event, e: 'end', o: { v: outputs } },
    );
  }
  return { ran, events, settled: state.settled };
}

const pathsOf = ({ given, failures }: RetryPlan): Set<string> =>
  new Set([...Object.keys(given), ...Object.keys(failures)]);

test(
  'a retry from any point of random bodies gives the result of the undisturbed run, and repeats nothing that it keeps',
  { timeout: 120_000 },
  () => {
    const seed = chooseSeed('FUZZ_SEED');
    const random = createSeededRandom(seed);
    const seen = { fromPoint: 0, fromFailed: 0, keptInBodies: 0, failuresKept: 0, saved: 0 };
    for (let graphs = 0; graphs < 400; graphs++) {
      const definition = createRandomDefinition(random, true);
      const graph = toGraph(definition);
      const whole = execute(graph, random, seed, null);
      if (whole.settled === null || whole.settled.status === 'stopped') continue;
      const stopped = execute(graph, random, seed, null, random.int(whole.ran.length));
      for (const [ended, isStopped] of [
        [whole, false],
        [stopped, true],
      ] as const) {
        const view: ExecutionView = buildExecutionView(graph, identity, ended.events);
        const points = view.nodes.filter(({ startTime, path }) => startTime !== null && path !== 'start');
        if (points.length === 0) continue;
        const from = isStopped ? 'failed' : random.pick(points).path;
        const plan = planRetry(graph, 1, view, from);
        const again = execute(graph, random, seed, plan);
        const about = JSON.stringify({ from, definition, ran: again.ran, plan });
        const kept = pathsOf(plan);
        expect(
          again.ran.filter((path) => kept.has(path)),
          about,
        ).toEqual([]);
        if (isStopped) seen.fromFailed++;
        else seen.fromPoint++;
        seen.keptInBodies += [...kept].filter((path) => path.includes('[')).length;
        seen.failuresKept += Object.keys(plan.failures).length;
        seen.saved += whole.ran.length - again.ran.length;
        expect(again.settled?.status, about).toBe(whole.settled.status);
        if (whole.settled.status === 'completed')
          expect(JSON.parse(toText(again.settled?.output)), about).toEqual(
            JSON.parse(toText(whole.settled.output)),
          );
      }
    }
    console.log(JSON.stringify({ seed, ...seen }));
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(20);
  },
);
