import type { ExecutionStatus, NodeError } from '../../contract/execution.ts';
import type { ExecutionRow } from './execution-row.ts';
import type { NewFile } from './files.ts';
import type { Follower } from './completion-triggers.ts';
import type { TickClaim } from './active-triggers.ts';
import type { PolledItem } from './polling.ts';

/** A key that must be new for the execution to be created: an Idempotency-Key, a webhook's delivery id. */
export type DedupeKey = {
  /** `execute:<workflow id>` or `webhook:<workflow id>:<node id>`; keys of other scopes do not collide. */
  scope: string;
  key: string;
  /** Fingerprint of the request; the caller compares it when the key was used before. */
  fingerprint: string;
  expiresAt: number;
};

/** The fields of an execution that are fixed at its creation. */
export type NewExecution = Pick<
  ExecutionRow,
  'id' | 'ownerId' | 'workflowId' | 'workflowVersion' | 'trigger' | 'createdAt' | 'parentId' | 'retryOf'
> & {
  /** When it may be deleted, counted from its end: ms. */
  retention: number;
  dedupe: DedupeKey | null;
  tick: TickClaim | null;
  polled?: PolledItem;
  /** What came with its input: the rows are written with the execution or not at all. Their contents are in the file store. */
  files?: readonly NewFile[];
};

/** A node run of an execution, by its path. */
export type Wake = { executionId: string; path: string };

/** One row of the journal with its consequences for the projection: written together or not at all. */
export type Checkpoint = {
  executionId: string;
  /** Present in the first checkpoint of an execution: creates its row, owned by `worker` with fence 1 unless queued. */
  create: NewExecution | null;
  worker: string;
  /**
   * In the first checkpoint of a worker that began an execution without having claimed it (`unclaimed`): this takes it. Its fence
   * grows by one, to `fence`.
   */
  takes?: true;
  /** Must be the execution's current fence, else nothing is written and the result is `stale`. */
  fence: number;
  /** The journal row's number, 0 for the first; the events as JSON text. */
  seq: number;
  events: string;
  /** The projection after this checkpoint. Status `queued` and `waiting` release the lease. */
  status: ExecutionStatus;
  error: NodeError | null;
  progress: number;
  currentNode: string | null;
  startTime: number | null;
  endTime: number | null;
  /** Timers of this execution by node path: set (replacing one of the same path) and cleared. */
  setTimers: { path: string; dueAt: number }[];
  clearTimers: string[];
  /** Contents (hashes) in the file store that this row's events refer to. */
  blobs: string[];
  /** With an end: the node run of another execution that waits for it. Its timer becomes due in the same transaction. */
  wake?: Wake;
  /** With an end: what is to start, kept in the same transaction until `followed`. */
  follow?: readonly Follower[];
};

/**
 * - `written`.
 * - `stale`: the fence is not current (taken over, stopped or deleted), or the status cannot follow on the stored one: the
 *   worker drops the execution.
 * - `duplicate`: the dedupe key exists; the execution that holds it, and its fingerprint. Nothing was written.
 * - `tick_taken`: someone else consumed the tick, has the poll, or took the item. Nothing was written.
 * - `workflow_gone`: the workflow was deleted before its execution could be created. Nothing was written.
 */
export type CheckpointResult =
  | { kind: 'written' }
  | { kind: 'stale' }
  | { kind: 'duplicate'; executionId: string; fingerprint: string }
  | { kind: 'tick_taken' }
  | { kind: 'workflow_gone' };
