import type { ExecutionStatus, TriggerType } from '../../contract/execution.ts';
import type { StateSnapshot } from './checkpoint.ts';
import type { ExecutionRow } from './execution-row.ts';

export type ExecutionFilter = {
  workflowId?: string;
  status?: ExecutionStatus;
  /** Range of createdAt: from inclusive, to exclusive. */
  from?: number;
  to?: number;
};

/** Conditions of a search; at least one is given. */
export type ExecutionSearch = {
  idPrefix?: string;
  /**
   * The message of the error contains all of them, or the values do: the input and the outputs of nodes. Case
   * does not matter.
   */
  words?: string[];
  /** The node that the error names. */
  failedNode?: string;
  trigger?: TriggerType;
};
/** An execution found by a search, with the texts that match; without words, its error message. */
export type SearchHit = { id: string; texts: string[] };

/** An execution that retries another. */
export type ExecutionRetry = {
  id: string;
  retryOf: string;
  status: ExecutionStatus;
  startTime: number | null;
};

/** The newest execution of a workflow. */
export type LastExecution = {
  id: string;
  workflowId: string;
  status: ExecutionStatus;
  startTime: number | null;
};

export type JournalRow = { seq: number; events: string };

/** The first rows of one execution's journal, in order. */
export type JournalOf = { executionId: string; rows: JournalRow[] };

/** Queries on executions and their journals. */
export type ExecutionReads = {
  /** The execution of a live dedupe key, to answer a repeated request without running anything. */
  findDedupe(
    ownerId: string,
    scope: string,
    key: string,
    now: number,
  ): Promise<{ executionId: string; fingerprint: string } | null>;
  /** Returns null for another owner's execution. */
  get(ownerId: string, id: string): Promise<ExecutionRow | null>;
  /** Filters ids of executions that have ended, of any owner, in one statement. */
  listSettled(ids: readonly string[]): Promise<string[]>;
  /** Newest first. */
  list(
    ownerId: string,
    filter: ExecutionFilter,
    offset: number,
    limit: number,
  ): Promise<{ rows: ExecutionRow[]; total: number }>;
  /**
   * Searches the newest executions of a filter, newest first, within bounds of rows, bytes and hits. For the
   * values of an execution, it reads the first and the last rows of the journal that are at most 512 KiB
   * long. `searchedFrom`: null when the search was complete; otherwise executions created earlier were not
   * searched.
   */
  search(
    ownerId: string,
    filter: ExecutionFilter,
    search: ExecutionSearch,
  ): Promise<{ hits: SearchHit[]; searchedFrom: number | null }>;
  /** The existing ones of these executions, unordered, in one statement. */
  many(ownerId: string, ids: readonly string[]): Promise<ExecutionRow[]>;
  /** The retries of these executions, newest first, at most 1,000, in one statement. */
  listRetries(ownerId: string, ids: readonly string[]): Promise<ExecutionRetry[]>;
  /**
   * The newest `limit` executions of each of these workflows, newest first within one, in a fixed number of
   * statements.
   */
  listNewest(ownerId: string, workflowIds: readonly string[], limit: number): Promise<ExecutionRow[]>;
  /** The newest execution of each of these workflows, unordered, in two statements. */
  listLast(ownerId: string, workflowIds: readonly string[]): Promise<LastExecution[]>;
  /** Unsettled child executions of an execution. */
  listChildren(ownerId: string, id: string, limit: number): Promise<string[]>;
  /** Unsettled executions of a workflow, to stop them before it is deleted. */
  listUnsettled(ownerId: string, workflowId: string, limit: number): Promise<string[]>;
  /** Executions per status, over all owners. */
  statusCounts(): Promise<Record<ExecutionStatus, number>>;
  /** The journal of an execution from `fromSeq`, in order. */
  journal(ownerId: string, id: string, fromSeq: number, limit: number): Promise<JournalRow[]>;
  /** The snapshot of the state before the journal row `nextSeq`; null: the execution has none. */
  snapshot(ownerId: string, id: string): Promise<(StateSnapshot & { nextSeq: number }) | null>;
  /** The first `limit` rows of each of these executions' journals, in a fixed number of statements. */
  journals(ownerId: string, ids: readonly string[], limit: number): Promise<JournalOf[]>;
};
