import type { ExecutionStatus } from '../../contract/execution.ts';
import type { Checkpoint, CheckpointResult } from './checkpoint.ts';
import type { ExecutionClaims } from './claims.ts';
import type { ExecutionReads } from './execution-reads.ts';
import type { ExecutionRow } from './execution-row.ts';
import type { ExecutionFollowers } from './completion-triggers.ts';
import type { ExecutionSignals } from './signals.ts';
import type { ExecutionTimers } from './timers.ts';

/** Executions by concern; `commit` is the only way by which one goes on, `stop` the only one around its worker. */
export type ExecutionStore = ExecutionClaims &
  ExecutionTimers &
  ExecutionSignals &
  ExecutionFollowers &
  ExecutionReads & {
    /**
     * Writes a batch in one transaction with one fsync; each checkpoint stands or falls alone (a stale one does not
     * hinder the others), in the order given. The totals of lists move in the same transaction.
     */
    commit(batch: readonly Checkpoint[]): Promise<CheckpointResult[]>;
    /**
     * Settles an execution as stopped whoever holds it: the fence grows, so later writes of its worker are stale; a
     * journal row with `events` is added; timers go. `missing`: not there or not the owner's. `settled`: it had ended.
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
