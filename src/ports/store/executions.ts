import type { ExecutionStatus } from '../../contract/execution.ts';
import type { Checkpoint, CheckpointResult } from './checkpoint.ts';
import type { ExecutionClaims } from './claims.ts';
import type { ExecutionReads } from './execution-reads.ts';
import type { ExecutionRow } from './execution-row.ts';
import type { CompletionStartStore } from './completion-triggers.ts';
import type { ExecutionSignals } from './signals.ts';
import type { ExecutionTimers } from './timers.ts';

/** Executions by concern. Only `commit` advances an execution; only `stop` changes one without its worker. */
export type ExecutionStore = ExecutionClaims &
  ExecutionTimers &
  ExecutionSignals &
  CompletionStartStore &
  ExecutionReads & {
    /**
     * Writes a batch in one transaction with one fsync, in the given order. Each checkpoint succeeds or fails
     * independently (a stale one does not affect the others). The totals of lists change in the same
     * transaction.
     */
    commit(batch: readonly Checkpoint[]): Promise<CheckpointResult[]>;
    /**
     * Settles an execution as stopped, regardless of its worker: the fence grows, so later writes of the
     * worker are stale; a journal row with `events` is added; timers are removed. `missing`: not found for
     * this owner. `settled`: it had ended.
     */
    stop(
      ownerId: string,
      id: string,
      at: number,
      events: string,
    ): Promise<
      | { kind: 'stopped'; row: ExecutionRow }
      | { kind: 'settled'; status: ExecutionStatus }
      | { kind: 'missing' }
    >;
  };
