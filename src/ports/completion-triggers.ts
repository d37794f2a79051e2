import type { ExecutionTrigger, SettledStatus } from '../contract/execution.ts';
import type { Follower } from './store/completion-triggers.ts';

export type EndedExecution = {
  ownerId: string;
  workflowId: string;
  status: SettledStatus;
  trigger: ExecutionTrigger;
};

/** What starts when an execution ends. Asked for every one of them: must cost next to nothing where nothing starts. */
export type CompletionTriggers = {
  /** To be written with the end; null: nothing starts. */
  of(ended: EndedExecution): readonly Follower[] | null;
  /** What `of` said is on disk. */
  written(): void;
};
