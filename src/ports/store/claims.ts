import type { WorkflowSettings } from '../../contract/definition.ts';
import type { JournalRow } from './execution-reads.ts';
import type { ExecutionRow } from './execution-row.ts';

/**
 * What a worker needs to go on with an execution that it has just claimed. `settings` are the workflow's of now; `due` are the
 * paths of its timers that are due; `journal` is the whole journal when it is short, else null.
 */
export type ClaimedExecution = ExecutionRow & {
  fence: number;
  nextSeq: number;
  settings: WorkflowSettings;
  due: string[];
  journal: JournalRow[] | null;
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
  /** Extends the lease of all that `worker` holds. */
  heartbeat(worker: string, until: number): Promise<void>;
  /** All whose lease is not over at `now`, by their ids. */
  processes(now: number): Promise<LiveProcess[]>;
  /** Gives up all that `worker` holds, so that others may claim it at once. */
  release(worker: string): Promise<void>;
};
