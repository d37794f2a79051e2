import type { MemoryBudget } from '../../lib/limits/memory-budget.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { FileStore } from '../../ports/files.ts';
import type { CompletionTriggers } from '../../ports/completion-triggers.ts';
import type { NodeRunner } from '../../ports/runner.ts';
import type { CompletionWaiters } from './completion-waiters.ts';
import type { GroupCommitter } from './group-commit.ts';

/** What all executions of a worker share. */
export type WorkerContext<Execution> = {
  readonly worker: string;
  readonly clock: Clock;
  readonly runner: NodeRunner;
  readonly committer: GroupCommitter;
  readonly files: FileStore;
  readonly events: Events;
  readonly memory: MemoryBudget;
  readonly completions: Pick<CompletionWaiters, 'responded' | 'ended'>;
  readonly completionTriggers: CompletionTriggers;
  readonly random: () => number;
  /** Events of a journal after which the state is stored as a snapshot. */
  readonly snapshotEvents: number;
  /** Whether the process is stopping. */
  isDraining(): boolean;
  /** Reports a failure that no caller waits for. */
  report(message: string, error: unknown): void;
  /** The URL that resumes any waiting node of an execution. */
  resumeUrl(ownerId: string, executionId: string): string;
  /** These node runs were stopped, on disk: stops the child executions that they started. */
  stopChildren(execution: Execution, paths: readonly string[]): void;
  /** A timer row was written: the timer loop may have to wake earlier. */
  timerSet(dueAt: number): void;
  /** An execution left memory: it ended, waits on disk, or belongs to another worker. */
  evicted(execution: Execution): void;
  /** A suspect passed its probation, on disk. */
  probationPassed(execution: Execution): void;
  /** The fence of an execution is not current: the execution was taken over, stopped or deleted. */
  stale(execution: Execution): void;
};
