import type { Definition } from '../../src/contract/definition.ts';
import { isSettled } from '../../src/contract/execution.ts';
import { parseOptionalDuration } from '../../src/lib/time/duration.ts';
import { buildGraph } from '../../src/engine/graph/graph-builder.ts';
import { ValueRetention } from '../../src/engine/state/value-retention.ts';
import { runToEnd } from '../../src/lib/async/time-slice.ts';
import { ExecutionState } from '../../src/engine/state/execution-state.ts';
import { limits } from '../../src/ports/limits.ts';
import type { WorkflowRow } from '../../src/ports/store/workflows.ts';
import type { SimulatedExecution } from './memory-store.ts';
import { simulatedTypes } from './node-types.ts';

/** A call that arrived at the upstream, at this happening. */
export type Call = { key: string; execution: string; path: string; attempt: number; step: number };

/** The first crash, and those that make the group of suspects small enough. */
const CRASHES_BEFORE_ISOLATION = 3;

export type SimulationConditions = {
  /** One worker at a time. */
  isAlone: boolean;
  /** Workers crash, also of nodes that kill them. */
  dies: boolean;
  mayInterrupt: boolean;
  clocksAreRight: boolean;
  seen: { takes: number; expired: number };
};

/** At the end: the journal contains an execution's whole history, and the stored state follows from it. */
export function checkHistory(
  execution: SimulatedExecution,
  workflow: { row: WorkflowRow; definition: Definition },
  calls: readonly Call[],
  circumstances: SimulationConditions,
  report: (text: string) => void,
): void {
  const { row, events, timers, worker } = execution;
  const wrong = (text: string): void => report(`${row.id} (${row.status}): ${text}`);
  if (!isSettled(row.status)) wrong('has not ended');
  if (worker !== null) wrong(`is still held by ${worker}`);
  if (timers.size > 0) wrong(`still has timers: ${[...timers.keys()].join()}`);
  const { graph } = runToEnd(buildGraph(workflow.definition, simulatedTypes));
  const state = new ExecutionState(graph!, row, new ValueRetention(Infinity, null));
  for (const event of events) state.apply(event);
  if (state.settled?.status !== row.status) wrong(`folds to ${state.settled?.status}`);
  const [folded, stored] = [JSON.stringify(state.settled?.error ?? null), JSON.stringify(row.error)];
  if (folded !== stored) wrong(`folds to the error ${folded} and has ${stored}`);
  const end = events.findIndex((event) => event.e === 'done' || event.e === 'stop');
  if (end >= 0 && end !== events.length - 1) wrong('its journal continues after its end');
  checkEnds(execution, state, calls, circumstances, wrong);

  const takes = events.filter((event) => event.e === 'take').length;
  circumstances.seen.takes += takes;
  for (const run of state.runs.all()) {
    const crashes = run.suspicion?.crashes ?? 0;
    if (crashes > takes) wrong(`counts ${crashes} crashes of ${takes} takeovers`);
    if (crashes > 0 && !circumstances.mayInterrupt) wrong('counts a crash, and nothing crashed');
    if (run.node.config['kills'] !== true || !circumstances.dies) continue;
    // Each of these calls ended its process: after three of them in isolation it is given up.
    const deadly = calls.filter((call) => call.path === run.path).length;
    if (deadly > CRASHES_BEFORE_ISOLATION + limits.crashesAsOnlySuspect + (circumstances.isAlone ? 0 : 1))
      wrong(`${run.path} killed ${deadly} processes`);
    if (run.status === 'completed') wrong(`${run.path} kills its process and completed`);
  }
  const { error } = row;
  if (error === null) return;
  const isExpected =
    error.type === 'server_error' ||
    (error.type === 'interrupted' && isDeadly(state, calls)) ||
    (error.type === 'timeout' && (error.node_id !== '' || mayExpire(execution, workflow.row, circumstances)));
  if (!isExpected) wrong(`failed without reason: ${JSON.stringify(error)}`);
}

/** Only what kills processes may fail for it, however often they crashed. */
function isDeadly(state: ExecutionState, calls: readonly Call[]): boolean {
  return [...state.runs.all()].some(
    (run) => run.node.config['kills'] === true && calls.some((call) => call.path === run.path),
  );
}

function checkEnds(
  { events, steps }: SimulatedExecution,
  state: ExecutionState,
  calls: readonly Call[],
  { isAlone }: SimulationConditions,
  wrong: (text: string) => void,
): void {
  const ended = new Set<string>();
  for (const [i, event] of events.entries()) {
    if (event.e !== 'end') continue;
    if (ended.has(event.p)) wrong(`${event.p} ended twice`);
    ended.add(event.p);
    if (state.runs.get(event.p)?.node.type.effects !== 'external') continue;
    const own = calls.filter((call) => call.path === event.p);
    if (own.length === 0) wrong(`${event.p} ended without a call`);
    // With several workers one that stalled may still send what it had begun, with the same key.
    if (isAlone && own.some((call) => call.step > steps[i]!))
      wrong(`${event.p} was called after its end was on disk`);
  }
}

/** It had a time, and that was over. */
function mayExpire(
  { row, events }: SimulatedExecution,
  { settings }: WorkflowRow,
  { clocksAreRight, seen }: SimulationConditions,
): boolean {
  seen.expired++;
  const given = parseOptionalDuration(settings.timeout);
  const at = events.find((event) => event.e === 'expire')?.at ?? 0;
  return given !== null && (!clocksAreRight || at >= row.createdAt + given);
}
