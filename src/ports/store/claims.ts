import type { WorkflowSettings } from '../../contract/definition.ts';
import type { JournalRow } from './execution-reads.ts';
import type { ExecutionRow } from './execution-row.ts';

/**
 * An execution that a worker has just claimed. `settings` are the workflow's current ones; `due` are the
 * paths of due timers; `journal` is the whole journal when it is short, else null. `takes`: the worker does
 * not own the execution yet; its first checkpoint takes it.
 */
export type ClaimedExecution = ExecutionRow & {
  fence: number;
  nextSeq: number;
  settings: WorkflowSettings;
  due: string[];
  journal: JournalRow[] | null;
  isFirstClaim?: true;
};

export type Claim = ({ kind: 'claimed' } & ClaimedExecution) | { kind: 'full'; workflowId: string };

/** A process that uses this store and whose lease is current. */
export type LiveProcess = { id: string; leaseUntil: number };

/**
 * Claims of executions: leases that workers hold and extend, and fences that grow with each claim.
 * `leasesAt`, by default `now`: the time with which leases are compared.
 */
export type ExecutionClaims = {
  /**
   * Ids that can be claimed: queued (except in the excluded workflows), or running with an expired lease.
   * Oldest first.
   */
  runnable(
    leasesAt: number,
    limit: number,
    excludeWorkflows: readonly string[],
  ): Promise<{ id: string; workflowId: string }[]>;
  /**
   * Takes an execution for `worker`; its fence grows by one. Null when it is settled, does not exist, or is
   * under the current lease of another worker. A queued execution becomes running only with its next
   * checkpoint. `full`: it is queued, and its workflow has reached `max_concurrency` over all workers.
   */
  claim(id: string, worker: string, now: number, leasesAt?: number): Promise<Claim | null>;
  /** `claim` for several executions in one transaction; results are in the order of `ids`. */
  claimMany(
    ids: readonly string[],
    worker: string,
    now: number,
    leasesAt?: number,
  ): Promise<(Claim | null)[]>;
  /**
   * Reads what a worker needs to start queued executions without claiming them, in the order of `ids`. The
   * fence is the one after the first checkpoint takes the execution, provided that no other worker takes it
   * before. Null: the execution must be claimed, because it is not queued, has a worker, a due timer or a
   * long journal, or its workflow has a `max_concurrency`.
   */
  unclaimed(ids: readonly string[], now: number): Promise<(ClaimedExecution | null)[]>;
  /** Extends the leases of all executions that `worker` holds. */
  heartbeat(worker: string, until: number): Promise<void>;
  /** All processes whose lease is current at `now`, by id. */
  processes(now: number): Promise<LiveProcess[]>;
  /** Releases all executions that `worker` holds, so that others may claim them at once. */
  release(worker: string): Promise<void>;
};
