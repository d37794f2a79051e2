import { executionStatuses, type ExecutionStatus, type NodeRunStatus } from './execution.ts';

/**
 * All transitions of an execution. `fenced`: the writer must hold the current fencing token; an unfenced
 * transition invalidates the token of its holder. docs/state-machine.md is generated from this table.
 */
export const executionTransitions = {
  begin: { from: ['queued'], to: 'running', fenced: true },
  park: { from: ['running'], to: 'waiting', fenced: true },
  wake: { from: ['waiting'], to: 'running', fenced: true },
  complete: { from: ['running'], to: 'completed', fenced: true },
  fail: { from: ['running', 'waiting'], to: 'failed', fenced: true },
  stop: { from: ['queued', 'running', 'waiting'], to: 'stopped', fenced: false },
} as const satisfies Record<
  string,
  { from: readonly ExecutionStatus[]; to: ExecutionStatus; fenced: boolean }
>;

/** All transitions of a node run. */
export const nodeRunTransitions = {
  start: { from: ['pending', 'waiting'], to: 'running' },
  wait: { from: ['pending', 'running', 'waiting'], to: 'waiting' },
  interrupt: { from: ['running'], to: 'pending' },
  complete: { from: ['pending', 'running', 'waiting'], to: 'completed' },
  fail: { from: ['pending', 'running', 'waiting'], to: 'failed' },
  skip: { from: ['pending'], to: 'skipped' },
  stop: { from: ['running', 'waiting'], to: 'stopped' },
} as const satisfies Record<string, { from: readonly NodeRunStatus[]; to: NodeRunStatus }>;

export type NodeRunTransition = keyof typeof nodeRunTransitions;

/**
 * Applies a transition to a node run, or returns false when its status does not allow it, so that a late or
 * duplicate result changes nothing.
 */
export function transitionNodeRun(run: { status: NodeRunStatus }, transition: NodeRunTransition): boolean {
  const { from, to } = nodeRunTransitions[transition];
  if (!(from as readonly NodeRunStatus[]).includes(run.status)) return false;
  run.status = to;
  return true;
}

/**
 * Whether an execution can get from one status to another by these transitions, or stay in it. One checkpoint
 * may contain several: an execution that wakes, runs and ends in one turn is written once.
 */
export function mayBecome(from: ExecutionStatus, to: ExecutionStatus): boolean {
  return reachable[from].has(to);
}

const reachable = Object.fromEntries(
  executionStatuses.map((start) => {
    const seen = new Set<ExecutionStatus>([start]);
    for (const status of seen)
      for (const move of Object.values(executionTransitions))
        if ((move.from as readonly ExecutionStatus[]).includes(status)) seen.add(move.to);
    return [start, seen];
  }),
) as unknown as Readonly<Record<ExecutionStatus, ReadonlySet<ExecutionStatus>>>;
