/**
 * An execution to start because another one ended. `nodeId` is the trigger to enter by; null: the matching
 * trigger of a workflow that a setting names.
 */
export type CompletionStart = { workflowId: string; nodeId: string | null; kind: 'event' | 'error' };

/** A start that was written with the end of `executionId` and is not done yet. */
export type PendingCompletionStart = CompletionStart & { ownerId: string; executionId: string };

/** An outbox: starts are stored with the end of an execution until they are done. */
export type CompletionStartStore = {
  /** Pending starts in a fixed order, after `after`; null: from the first. */
  listPendingStarts(after: PendingCompletionStart | null, limit: number): Promise<PendingCompletionStart[]>;
  /** Removes a start that is done or can never be done. */
  removePendingStart(start: PendingCompletionStart): Promise<void>;
};
