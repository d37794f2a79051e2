import type { ExecutionTrigger, SettledStatus } from '../contract/execution.ts';
import type { CompletionStart } from './store/completion-triggers.ts';

export type EndedExecution = {
  ownerId: string;
  workflowId: string;
  status: SettledStatus;
  trigger: ExecutionTrigger;
};

/**
 * Executions that start when another one ends. Called for every end, so it must be fast when nothing starts.
 */
export type CompletionTriggers = {
  /** Rows to write together with the end; null: nothing starts. */
  findStarts(ended: EndedExecution): readonly CompletionStart[] | null;
  /** Called when the rows that `of` returned are on disk. */
  startPending(): void;
};
