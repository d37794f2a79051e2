import type { Json } from '../../lib/json/json.ts';
import type { LogEntry, NodeRunStatus } from '../../contract/execution.ts';
import type { ExecutionView, NodeRunView, ScopePosition } from '../engine-api.ts';
import { toSingleValue, type NodeRun } from '../state/frame.ts';
import { readEdgeValue, type Graph } from '../graph/graph.ts';
import { ValueRetention } from '../state/value-retention.ts';
import type { JournalEvent } from '../journal/journal.ts';
import { createFrameScope, createNodeRunScope } from '../state/expression-scope.ts';
import type { ExecutionIdentity } from '../state/execution-data.ts';
import { ExecutionState } from '../state/execution-state.ts';
import type { TemplateScope } from '../../expressions/scope.ts';

/** Builds the view of an execution by replaying its events, with all values kept. */
export function buildExecutionView(
  graph: Graph,
  identity: ExecutionIdentity,
  events: readonly JournalEvent[],
): ExecutionView {
  const builder = createExecutionViewBuilder(graph, identity, new ValueRetention(Infinity, null));
  for (const event of events) builder.apply(event);
  return builder.end();
}

/** Builds the view event by event. */
export function createExecutionViewBuilder(
  graph: Graph,
  identity: ExecutionIdentity,
  keep: ValueRetention,
): { apply: (event: JournalEvent) => void; end: () => ExecutionView } {
  const logs: LogEntry[] = [];
  const state = new ExecutionState(graph, identity, keep);
  state.observer = {
    logged: (timestamp, level, nodeId, message, data) =>
      logs.push({ timestamp, level, nodeId, message, data }),
  };
  return {
    apply: (event) => {
      state.apply(event);
      // A view starts no nodes.
      state.ready = [];
    },
    end: () => buildView(state, logs, keep.leftOut),
  };
}

function buildView(state: ExecutionState, logs: LogEntry[], leftOut: ReadonlySet<string>): ExecutionView {
  const runs = [...state.runs.all()];
  return {
    input: state.input,
    output: state.settled?.output ?? null,
    nodes: runs.map((run) => toNodeRunView(run, state)),
    logs,
    usage: [...state.usage.values()],
    completed: Object.fromEntries(
      runs
        .filter((r) => r.status === 'completed' && r.path !== state.settled?.stoppedBy)
        .map((r) => [r.path, r.outputs ?? {}]),
    ),
    loaded: Object.fromEntries(
      runs.flatMap((r) => (r.body?.loaded == null ? [] : [[r.path, r.body.loaded]])),
    ),
    response: state.response,
    leftOut,
  };
}

/** The scope of a template at a viewpoint, without secrets; null when the node run does not exist. */
export function buildScopeAt(
  graph: Graph,
  identity: ExecutionIdentity,
  events: readonly JournalEvent[],
  { nodeId, path }: ScopePosition,
  now: number,
): TemplateScope | null {
  const state = new ExecutionState(graph, identity, new ValueRetention(Infinity, null));
  for (const event of events) state.apply(event);
  if (path === undefined && nodeId === undefined)
    return createFrameScope(state, state.root, state.input, now, null);
  let found: NodeRun | undefined;
  if (path !== undefined) found = state.runs.get(path);
  else
    for (const run of state.runs.all())
      if (run.node.id === nodeId && (found === undefined || run.startTime !== null)) found = run;
  if (found === undefined || (nodeId !== undefined && found.node.id !== nodeId)) return null;
  return createNodeRunScope(state, found, now, null);
}

export function toNodeRunView(run: NodeRun, state: ExecutionState): NodeRunView {
  return {
    nodeId: run.node.id,
    path: run.path,
    type: run.node.type.type,
    status: readViewStatus(run, state),
    attempt: run.attempt || (run.startTime === null ? 0 : 1),
    startTime: run.startTime,
    endTime: run.endTime,
    input: run.input,
    output: findOutput(run),
    outputPorts: findOutputPorts(run),
    error: run.error,
  };
}

/** A node that had not started when its frame or the execution ended will never start: it was skipped. */
function readViewStatus(run: NodeRun, state: ExecutionState): NodeRunStatus {
  const over = state.settled !== null || !run.frame.alive;
  return over && run.status === 'pending' ? 'skipped' : run.status;
}

function findOutputPorts({ node, outputs }: NodeRun): string[] {
  if (outputs === null) return [];
  const delivering = node.out.filter((edge) => readEdgeValue(edge, outputs) !== undefined);
  return [...new Set([...Object.keys(outputs), ...delivering.map(({ port }) => port)])];
}

function findOutput(run: NodeRun): Json {
  return run.status === 'completed' && run.outputs !== null ? toSingleValue(run.outputs) : null;
}
