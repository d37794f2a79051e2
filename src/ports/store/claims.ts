import type { WorkflowSettings } from '../../contract/definition.ts';
import type { JournalRow } from './execution-reads.ts';
import type { ExecutionRow } from './execution-row.ts';

/**
 * What a worker needs to go on with an execution that it has just claimed. `settings` are the workflow's of now; `due` are the
 * paths of its timers that are due; `journal` is the whole journal when it is short, else null. `takes`: it is not its own yet,
 * and its first checkpoint says so.
 */
export type ClaimedExecution = ExecutionRow & {
  fence: number;
  nextSeq: number;
  settings: WorkflowSettings;
  due: string[];
  journal: JournalRow[] | null;
  takes?: true;
};

export type Claim = ({ kind: 'claimed' } & ClaimedExecution) | { kind: 'full'; workflowId: string };

/** A process that lives on this store, as far as its lease says. */
export type LiveProcess = { id: string; leaseUntil: number };

/** Who works on what: leases that a worker holds and extends, and fences that grow with each claim. */
export type ExecutionClaims = {
  /** Ids that could be claimed now: queued (but for those of some workflows), or running under a lease that is over. Oldest first. */
  runnable(
    now: number,
    limit: number,
    excludeWorkflows: readonly string[],
  ): Promise<{ id: string; workflowId: string }[]>;
  /**
   * Takes an execution for `worker`: its fence grows by one. Null when it is settled, gone or under another worker's
   * live lease. An execution that is queued becomes running only with its next checkpoint. `full` names its workflow: it is
   * queued, and as many executions of that as `max_concurrency` says are at work already, whoever works on them.
   */
  claim(id: string, worker: string, now: number): Promise<Claim | null>;
  /** The same for several, in one transaction; the answers stand in the order of `ids`. */
  claimMany(ids: readonly string[], worker: string, now: number): Promise<(Claim | null)[]>;
  /**
   * What a worker needs to begin queued executions without claiming them, in the order of `ids`: the fence is the one that they
   * have once its first checkpoint takes them, if nobody was before it. Null: it must be claimed, if it is to be had at all. That
   * is so of all that is not queued, has a worker, a due timer, or a long journal, and where the workflow has a
   * `max_concurrency`.
   */
  unclaimed(ids: readonly string[], now: number): Promise<(ClaimedExecution | null)[]>;
  /** Extends the lease of all that `worker` holds. */
  heartbeat(worker: string, until: number): Promise<void>;
  /** All whose lease is not over at `now`, by their ids. */
  processes(now: number): Promise<LiveProcess[]>;
  /** Gives up all that `worker` holds, so that others may claim it at once. */
  release(worker: string): Promise<void>;
};
