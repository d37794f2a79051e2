import { findWaitingParent, type ExecutionResponse } from '../../../contract/execution.ts';
import type { Checkpoint } from '../../../ports/store/checkpoint.ts';
import type { NewThreadTurn } from '../../../ports/store/ai/threads.ts';
import type { UsageRecord } from '../../../ports/store/ai/model-usage.ts';
import type { CheckpointContent } from './checkpoint-writer.ts';
import type { CheckpointEffects } from './deferred-effects.ts';
import type { BufferedEvents } from './event-buffer.ts';
import type { ExecutionData } from '../../state/execution-data.ts';
import type { TimerChanges } from '../timer-changes.ts';
import type { WorkerContext } from '../worker-context.ts';

/** A checkpoint in flight, with the effects that wait for it. */
export type PendingCheckpoint = {
  readonly content: CheckpointContent;
  readonly effects: CheckpointEffects;
  readonly notifications: BufferedEvents;
  readonly response: ExecutionResponse | null;
  readonly passesProbation: boolean;
};

type CheckpointSource = {
  readonly ownerId: string;
  readonly state: ExecutionData;
  readonly status: Checkpoint['status'];
  readonly currentNode: string | null;
  readonly timers: TimerChanges;
  readonly turns: readonly NewThreadTurn[];
  readonly usage: readonly UsageRecord[];
};

/**
 * The content of the next checkpoint. Only the last one, whose status is final, contains the end and its
 * consequences.
 */
export function buildCheckpointContent(
  { ownerId, state, status, currentNode, timers, turns, usage }: CheckpointSource,
  { worker, completionTriggers }: Pick<WorkerContext<never>, 'worker' | 'completionTriggers'>,
): CheckpointContent {
  const { id, workflowId, trigger } = state.identity;
  const end = state.settled?.status === status ? state.settled : null;
  const content: CheckpointContent = {
    executionId: id,
    worker,
    status,
    error: end?.error ?? null,
    progress: state.progress,
    currentNode: end === null ? currentNode : null,
    startTime: state.startTime,
    endTime: end?.at ?? null,
    ...timers.take(),
  };
  if (turns.length > 0) content.turns = turns;
  if (usage.length > 0) content.usage = usage;
  if (end === null) return content;
  const wake = findWaitingParent(trigger);
  if (wake !== null) content.wake = wake;
  const follow = completionTriggers.findStarts({ ownerId, workflowId, status: end.status, trigger });
  if (follow !== null) content.completionStarts = follow;
  return content;
}

/**
 * After a commit, notifies the timer loop, the parent execution, and the triggers that start when this one
 * ends.
 */
export function wakeDependents(
  { setTimers, wake, completionStarts }: CheckpointContent,
  context: Pick<WorkerContext<never>, 'timerSet' | 'completionTriggers'>,
): void {
  for (const { dueAt } of setTimers) context.timerSet(dueAt);
  if (wake !== undefined) context.timerSet(0);
  if (completionStarts !== undefined) context.completionTriggers.startPending();
}
