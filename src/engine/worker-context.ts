import type { ValueRoom } from '../lib/value-room.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { FileStore } from '../ports/files.ts';
import type { Followers } from '../ports/followers.ts';
import type { NodeRunner } from '../ports/runner.ts';
import type { GroupCommitter } from './group-commit.ts';
import type { CompletionWaiters } from './completion-waiters.ts';

/** What every live execution of a worker shares. */
export type WorkerContext<Execution> = {
  worker: string;
  clock: Clock;
  runner: NodeRunner;
  committer: GroupCommitter;
  files: FileStore;
  events: Events;
  held: ValueRoom;
  watchers: Pick<CompletionWaiters, 'answered' | 'ended'>;
  followers: Followers;
  random: () => number;
  /** Whether the process is stopping. */
  isDraining(): boolean;
  /** Something failed that no caller waits for. */
  report(message: string, error: unknown): void;
  /** Where to post to whichever node of an execution waits. */
  readonly resumeUrl: (ownerId: string, executionId: string) => string;
  /** These node runs were stopped, on disk, and may have started executions that nobody waits for any more. */
  orphaned(execution: Execution, paths: readonly string[]): void;
  /** A timer row was written: the loop that fires timers may have to wake earlier. */
  timerSet(dueAt: number): void;
  /** It needs no memory any more: it ended, waits on disk, or is not ours. */
  left(execution: Execution): void;
  /** A suspect has proved itself, on disk. */
  proved(execution: Execution): void;
  /** Its fence is not current: it was taken over, stopped or deleted. */
  stale(execution: Execution): void;
};
