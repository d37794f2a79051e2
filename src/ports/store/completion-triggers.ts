/**
 * What is to start because an execution ended. `nodeId` is the trigger that it enters by; null: the one that fits, of a workflow
 * that a setting names.
 */
export type Follower = { workflowId: string; nodeId: string | null; kind: 'event' | 'error' };

/** One that was written with the end of `executionId`, and has not been started yet. */
export type PendingFollower = Follower & { ownerId: string; executionId: string };

/** An outbox: what an end set off is kept until it was started. */
export type ExecutionFollowers = {
  /** What is to start, in a fixed order, from behind `after`; null: from the first. */
  pendingFollowers(after: PendingFollower | null, limit: number): Promise<PendingFollower[]>;
  /** It has been started, or never will be. */
  followed(follower: PendingFollower): Promise<void>;
};
