/**
 * An execution to start because another one ended. `nodeId` is the trigger to enter by; null: the matching
 * trigger of a workflow that a setting names.
 */
export type Follower = { workflowId: string; nodeId: string | null; kind: 'event' | 'error' };

/** A follower that was written with the end of `executionId` and has not been started yet. */
export type PendingFollower = Follower & { ownerId: string; executionId: string };

/** An outbox: completion triggers are stored with an end until they are started. */
export type ExecutionFollowers = {
  /** Pending completion triggers in a fixed order, after `after`; null: from the first. */
  pendingFollowers(after: PendingFollower | null, limit: number): Promise<PendingFollower[]>;
  /** Removes a follower that was started, or never will be. */
  followed(follower: PendingFollower): Promise<void>;
};
