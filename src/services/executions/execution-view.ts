import type { LogEntry } from '../../contract/execution.ts';
import type { CallAmounts } from '../../contract/ai/usage.ts';
import type { Pagination } from '../../contract/paging.ts';
import type { NodeRunView } from '../../engine/engine-api.ts';
import type { Json } from '../../lib/json/json.ts';
import type { ExecutionRetry } from '../../ports/store/execution-reads.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';

export type NodeRun = NodeRunView;

/** An execution as the APIs return it, with secrets redacted. Times in epoch ms. */
export type ExecutionResult = { row: ExecutionRow; input: Json; output: Json };
/**
 * `nodes` contains the first 1,000 node runs, or fewer if they are large, of `nodesTotal`; `usage` the calls
 * of models of all, null without any.
 */
export type ExecutionDetail = ExecutionResult & {
  nodes: NodeRun[];
  nodesTotal: number;
  usage: CallAmounts | null;
  retries: ExecutionRetry[];
};
export type ExecutionListItem = { row: ExecutionRow; retries: ExecutionRetry[] };
/** `searchedFrom`: a search stopped at its limit and did not cover executions created earlier. */
export type ExecutionList = {
  rows: ExecutionRow[];
  pagination: Pagination;
  searchedFrom: number | null;
};
export type NodeRunList = { nodes: NodeRun[]; pagination: Pagination };
export type LogList = { entries: LogEntry[]; pagination: Pagination };

/** The contents of an execution, redacted on access. List inputs are validated as in the list operations. */
export type ExecutionDetails = {
  input(): Json | Promise<Json>;
  output(): Json | Promise<Json>;
  usage(): CallAmounts | null | Promise<CallAmounts | null>;
  nodes(input: unknown): NodeRunList | Promise<NodeRunList>;
  logs(input: unknown): LogList | Promise<LogList>;
};
