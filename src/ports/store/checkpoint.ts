import type { ExecutionStatus, NodeError } from '../../contract/execution.ts';
import type { ExecutionRow } from './execution-row.ts';
import type { NewFile } from './files.ts';
import type { CompletionStart } from './completion-triggers.ts';
import type { TickClaim } from './active-triggers.ts';
import type { NewThreadTurn } from './ai/threads.ts';
import type { PolledItem } from './polling.ts';
import type { UsageRecord } from './ai/model-usage.ts';

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
  /** Retention (ms), counted from the end of the execution. */
  retention: number;
  dedupe: DedupeKey | null;
  tick: TickClaim | null;
  polled?: PolledItem;
  /**
   * Files of its input. Their rows are written together with the execution; their contents are in the file
   * store already.
   */
  files?: readonly NewFile[];
};

/** The engine's state as text. `version`: of its contents; another one is ignored. */
export type StateSnapshot = { version: number; data: string };

/** A node run of an execution, by its path. */
export type Wake = { executionId: string; path: string };

/** One journal row with its consequences for the projection, written atomically. */
export type Checkpoint = {
  executionId: string;
  /**
   * Present in the first checkpoint of an execution: creates its row, owned by `worker` with fence 1 unless
   * queued.
   */
  create: NewExecution | null;
  worker: string;
  /**
   * Set in the first checkpoint of a worker that started an execution without a claim (`unclaimed`). The
   * checkpoint takes the execution; its fence grows by one, to `fence`.
   */
  isFirstClaim?: true;
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
  /** Calls of models that these events record. */
  usage?: readonly UsageRecord[];
  /** The state after this row, which replaces the execution's earlier snapshot. */
  snapshot?: StateSnapshot;
  /**
   * With an end: the node run of another execution that waits for it. Its timer becomes due in the same
   * transaction.
   */
  wake?: Wake;
  /** Turns that node runs add to threads. */
  turns?: readonly NewThreadTurn[];
  /** With an end: executions to start, stored in the same transaction until `followed`. */
  completionStarts?: readonly CompletionStart[];
};

/**
 * - `written`.
 * - `stale`: the fence is not current (taken over, stopped or deleted), or the status cannot follow the
 *   stored one: the worker evicts the execution.
 * - `duplicate`: the dedupe key exists; the result has its execution and fingerprint. Nothing was written.
 * - `tick_taken`: another caller consumed the tick, holds the poll, or took the item. Nothing was written.
 * - `workflow_gone`: the workflow was deleted before the execution was created. Nothing was written.
 */
export type CheckpointResult =
  | { kind: 'written' }
  | { kind: 'stale' }
  | { kind: 'duplicate'; executionId: string; fingerprint: string }
  | { kind: 'tick_taken' }
  | { kind: 'workflow_gone' };
