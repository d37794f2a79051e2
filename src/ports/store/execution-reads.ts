import type { ExecutionStatus } from '../../contract/execution.ts';
import type { ExecutionRow } from './execution-row.ts';

export type ExecutionFilter = {
  workflowId?: string;
  status?: ExecutionStatus;
  /** On createdAt: from inclusive, to exclusive. */
  from?: number;
  to?: number;
};

export type JournalRow = { seq: number; events: string };

/** The first rows of one execution's journal, in order. */
export type JournalOf = { executionId: string; rows: JournalRow[] };

/** What is known of executions and their journals. */
export type ExecutionReads = {
  /** A live dedupe key's execution, to answer a repeat without running anything. */
  findDedupe(
    ownerId: string,
    scope: string,
    key: string,
    now: number,
  ): Promise<{ executionId: string; fingerprint: string } | null>;
  /** For doors. */
  get(ownerId: string, id: string): Promise<ExecutionRow | null>;
  /** Those of these that have ended, in one statement. For who waits for ends, whoever owns them. */
  settledOf(ids: readonly string[]): Promise<string[]>;
  /** Newest first. */
  list(
    ownerId: string,
    filter: ExecutionFilter,
    offset: number,
    limit: number,
  ): Promise<{ rows: ExecutionRow[]; total: number }>;
  /** The newest `limit` executions of each of these workflows, newest first within one, in a fixed number of statements. */
  newestOf(ownerId: string, workflowIds: readonly string[], limit: number): Promise<ExecutionRow[]>;
  /** Unsettled executions whose parent this is. */
  childrenOf(ownerId: string, id: string, limit: number): Promise<string[]>;
  /** Unsettled executions of a workflow, to stop them before it is deleted. */
  unsettled(ownerId: string, workflowId: string, limit: number): Promise<string[]>;
  /** Executions per status, over all owners. */
  statusCounts(): Promise<Record<ExecutionStatus, number>>;
  /** The journal of an execution from `fromSeq` on, in order. */
  journal(ownerId: string, id: string, fromSeq: number, limit: number): Promise<JournalRow[]>;
  /** The first `limit` rows of each of these executions' journals, in a fixed number of statements. */
  journals(ownerId: string, ids: readonly string[], limit: number): Promise<JournalOf[]>;
};
