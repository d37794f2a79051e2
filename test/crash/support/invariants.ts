import { createHash } from 'node:crypto';
import type { Definition } from '../../../src/contract/definition.ts';
import { isSettled } from '../../../src/contract/execution.ts';
import { buildGraph } from '../../../src/engine/graph/graph-builder.ts';
import { ValueRetention } from '../../../src/engine/state/value-retention.ts';
import { runToEnd } from '../../../src/lib/async/time-slice.ts';
import type { Graph } from '../../../src/engine/graph/graph.ts';
import type { JournalEvent } from '../../../src/engine/journal/journal.ts';
import { ExecutionState } from '../../../src/engine/state/execution-state.ts';
import { createNodeTypes } from '../../../src/nodes/catalog.ts';
import { builtinNodes } from '../../../src/nodes/registry.ts';
import type { AcknowledgedRequest } from './client-record.ts';
import type { StoredState, StoredExecution } from './read-database.ts';
import type { UpstreamCall } from './upstream-record.ts';

/**
 * In ms: the maximum time of a call from the service's socket to the upstream's record, on a busy machine.
 */
const MAX_LATENCY_MS = 250;
const nodeTypes = createNodeTypes(builtinNodes);

export type InvariantReport = {
  violations: string[];
  /** Statistics of the run: a test uses these to assert that its failure occurred. */
  seen: {
    acknowledged: number;
    executions: number;
    calls: number;
    /** Keys that got more than one response with status 200. */
    repeated: number;
    takenOver: number;
    stopped: number;
    workflows: number;
    lost: number;
  };
};

/**
 * The invariants after any failure, once everything has ended: (a) everything acknowledged exists; (b) every
 * execution has ended; (c) a completed node has one end in the journal, and its key was not called
 * afterwards; (d) a key belongs to one node of one execution; (e) replaying the journal gives the stored
 * state; (f) no partial rows, no leases, exact totals; effects at the upstream are those of the completed
 * nodes.
 */
export function checkInvariants(
  stored: StoredState,
  acknowledged: readonly AcknowledgedRequest[],
  calls: readonly UpstreamCall[],
): InvariantReport {
  const violations: string[] = [];
  const byId = new Map(stored.executions.map((one) => [one.id, one]));
  if (stored.integrity !== 'ok') violations.push(`the database: ${stored.integrity}`);
  checkAcknowledged(stored, byId, acknowledged, calls, violations);
  const byKey = Map.groupBy(calls, (call) => call.key);
  const graphs = createGraphCache(stored.versions);
  const completed = new Set<string>();
  for (const execution of stored.executions) {
    const graph = graphs(`${execution.workflowId}@${execution.version}`);
    checkExecution(execution, graph, byKey, completed, violations);
  }
  checkCalls(byKey, byId, completed, violations);
  for (const [key, n] of stored.counted)
    if (stored.kept.get(key) !== n)
      violations.push(`the total ${key} is ${stored.kept.get(key)}, there are ${n}`);
  for (const [key, n] of stored.kept)
    if (!stored.counted.has(key)) violations.push(`the total ${key} is ${n}, there are none`);
  for (const [what, n] of Object.entries(stored.stray))
    if (n !== 0) violations.push(`${n} rows of ${what} belong to nothing`);
  return {
    violations,
    seen: {
      acknowledged: acknowledged.filter((one) => one.t === 'execution').length,
      executions: stored.executions.length,
      calls: calls.length,
      repeated: [...byKey.values()].filter((all) => all.filter((call) => call.status === 200).length > 1)
        .length,
      takenOver: stored.executions.filter((one) => one.events.some((event) => event.e === 'take')).length,
      stopped: acknowledged.filter((one) => one.t === 'stopped').length,
      workflows: acknowledged.filter((one) => one.t === 'workflow').length,
      lost: acknowledged.filter((one) => one.t === 'lost').length,
    },
  };
}

function checkAcknowledged(
  stored: StoredState,
  byId: ReadonlyMap<string, StoredExecution>,
  acknowledged: readonly AcknowledgedRequest[],
  calls: readonly UpstreamCall[],
  violations: string[],
): void {
  const idOfKey = new Map<string, string>();
  for (const one of acknowledged) {
    if (one.t === 'odd') violations.push(`an odd answer to "${one.what}": ${one.status} ${one.body}`);
    else if (one.t === 'workflow') {
      const row = stored.workflows.get(one.id);
      if (row === undefined || row.version < one.version || !stored.versions.has(`${one.id}@${one.version}`))
        violations.push(`workflow ${one.id} version ${one.version} was acknowledged and is not there`);
      else if (row.version === one.version && row.name !== one.name)
        violations.push(`workflow ${one.id} was acknowledged as "${one.name}" and is "${row.name}"`);
    } else if (one.t === 'execution') {
      const row = byId.get(one.id);
      if (row === undefined) violations.push(`execution ${one.id} was acknowledged and is not there`);
      else if (one.ended && row.status !== 'completed')
        violations.push(`execution ${one.id} was answered as completed and is ${row.status}`);
      if (one.key === null) continue;
      const before = idOfKey.get(one.key) ?? one.id;
      idOfKey.set(one.key, before);
      if (before !== one.id)
        violations.push(`the key ${one.key} was answered with ${before} and with ${one.id}`);
    } else if (one.t === 'stopped') {
      if (byId.get(one.id)?.status !== 'stopped')
        violations.push(`execution ${one.id} was acknowledged as stopped and is ${byId.get(one.id)?.status}`);
      const late = calls.find((call) => call.execution === one.id && call.at > one.at + MAX_LATENCY_MS);
      if (late !== undefined)
        violations.push(`${late.node} of ${one.id} was called ${late.at - one.at} ms after it was stopped`);
    }
  }
}

function checkExecution(
  execution: StoredExecution,
  graph: Graph,
  byKey: ReadonlyMap<string, readonly UpstreamCall[]>,
  completed: Set<string>,
  violations: string[],
): void {
  const { id, events, seqs } = execution;
  const wrong = (text: string): void => void violations.push(`${id} (${execution.status}): ${text}`);
  if (!isSettled(execution.status)) wrong('has not ended');
  if (execution.worker !== null) wrong(`is still held by ${execution.worker}`);
  if (seqs.some((seq, i) => seq !== i) || execution.nextSeq !== seqs.length)
    wrong(`its journal has the rows ${seqs.join(',')}, next ${execution.nextSeq}`);
  const last = events.findIndex((event) => event.e === 'done' || event.e === 'stop');
  if (isSettled(execution.status) && last !== events.length - 1)
    wrong(`its end is event ${last} of ${events.length}`);

  const state = new ExecutionState(
    graph,
    { id, workflowId: execution.workflowId, workflowVersion: execution.version, trigger: execution.trigger },
    new ValueRetention(Infinity, null),
  );
  for (const event of events) state.apply(event);
  if (state.settled?.status !== execution.status) wrong(`its journal folds to ${state.settled?.status}`);
  if (JSON.stringify(state.settled?.error ?? null) !== JSON.stringify(execution.error))
    wrong(
      `its journal folds to the error ${JSON.stringify(state.settled?.error)}, stored is ${JSON.stringify(execution.error)}`,
    );
  if (execution.status === 'failed') wrong(`failed without reason: ${JSON.stringify(execution.error)}`);

  const ends = Map.groupBy(
    events.filter((event): event is Extract<JournalEvent, { e: 'end' }> => event.e === 'end'),
    (event) => event.p,
  );
  for (const [path, all] of ends) {
    if (all.length > 1) wrong(`${path} ended ${all.length} times`);
    if (state.runs.get(path)?.node.type.effects !== 'external') continue;
    const key = createHash('sha256').update(`${id}/${path}`).digest('base64url');
    completed.add(key);
    const answered = (byKey.get(key) ?? []).filter((call) => call.status === 200);
    if (answered.length === 0) wrong(`${path} completed, but the upstream has no call of it`);
    const end = Math.min(...all.map((event) => event.at));
    for (const call of byKey.get(key) ?? [])
      if (call.at > end) wrong(`${path} was called ${call.at - end} ms after its end was recorded`);
  }
  for (const run of state.runs.all()) {
    const needsEnd = run.status === 'completed' && run.body === null && !run.node.type.isTrigger;
    if (needsEnd && run.node.regions === null && !ends.has(run.path))
      wrong(`${run.path} completed without an end`);
  }
}

function checkCalls(
  byKey: ReadonlyMap<string, readonly UpstreamCall[]>,
  byId: ReadonlyMap<string, StoredExecution>,
  completed: ReadonlySet<string>,
  violations: string[],
): void {
  for (const [key, calls] of byKey) {
    const owners = new Set(calls.map((call) => `${call.execution} ${call.node}`));
    if (owners.size > 1) violations.push(`the key ${key} was sent for ${[...owners].join(' and ')}`);
    const { execution, node } = calls[0]!;
    const row = byId.get(execution);
    if (row === undefined) {
      violations.push(`${node} was called for ${execution}, which is not stored`);
      continue;
    }
    // An effect without a recorded end is possible only when the execution was ended while the node was
    // running.
    const hasEffect = calls.some((call) => call.status === 200);
    if (hasEffect && !completed.has(key) && row.status === 'completed')
      violations.push(`${node} of ${execution} had its effect, the execution completed, and it has no end`);
  }
}

function createGraphCache(versions: ReadonlyMap<string, Definition>): (key: string) => Graph {
  const graphs = new Map<string, Graph>();
  return (key) => {
    const known = graphs.get(key);
    if (known !== undefined) return known;
    const definition = versions.get(key);
    if (definition === undefined) throw new Error(`There is no version ${key}.`);
    const { graph } = runToEnd(buildGraph(definition, nodeTypes));
    if (graph === null) throw new Error(`Version ${key} does not build.`);
    graphs.set(key, graph);
    return graph;
  };
}
