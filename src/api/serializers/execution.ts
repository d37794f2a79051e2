import type { LogEntry } from '../../contract/execution.ts';
import type { ExecutionRetry } from '../../ports/store/execution-reads.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type {
  ExecutionDetail,
  ExecutionListItem,
  ExecutionResult,
  NodeRun,
} from '../../services/executions/execution-view.ts';
import { presentCallAmounts } from './model-usage.ts';
import { formatIsoTimeOrNull, formatIsoTime } from '../../lib/time/iso-time.ts';

function calculateDuration(start: number | null, end: number | null): number | null {
  return start === null || end === null ? null : Math.max(0, end - start);
}

/** An execution in a list, without `input`, `output` and `error.data`. */
export function presentExecutionSummary({ row, retries }: ExecutionListItem) {
  let error: object | null = null;
  if (row.error !== null) {
    const { data: _data, ...shown } = row.error;
    error = shown;
  }
  return { ...presentCommon(row), retries: retries.map(presentRetry), error };
}

export function presentExecution({ row, input, output }: ExecutionResult) {
  return { ...presentCommon(row), input, output, error: row.error };
}

export function presentExecutionDetail(detail: ExecutionDetail) {
  return {
    ...presentExecution(detail),
    retries: detail.retries.map(presentRetry),
    usage: detail.usage === null ? null : presentCallAmounts(detail.usage),
    nodes: detail.nodes.map(presentNodeRun),
    nodes_total: detail.nodesTotal,
  };
}

export function presentRetry({ id, status, startTime }: ExecutionRetry) {
  return { id, status, start_time: formatIsoTimeOrNull(startTime) };
}

function presentCommon(row: ExecutionRow) {
  return {
    id: row.id,
    workflow_id: row.workflowId,
    workflow_version: row.workflowVersion,
    status: row.status,
    trigger: row.trigger,
    progress: row.progress,
    current_node: row.currentNode === '' ? null : row.currentNode,
    start_time: formatIsoTimeOrNull(row.startTime),
    end_time: formatIsoTimeOrNull(row.endTime),
    duration: calculateDuration(row.startTime, row.endTime),
    parent_execution_id: row.parentId,
    retry_of: row.retryOf,
  };
}

export function presentNodeRun(run: NodeRun) {
  return {
    node_id: run.nodeId,
    path: run.path,
    type: run.type,
    status: run.status,
    attempt: run.attempt,
    start_time: formatIsoTimeOrNull(run.startTime),
    end_time: formatIsoTimeOrNull(run.endTime),
    duration: calculateDuration(run.startTime, run.endTime),
    input: run.input,
    output: run.output,
    output_ports: run.outputPorts,
    error: run.error,
  };
}

export function presentLogEntry(entry: LogEntry) {
  return {
    timestamp: formatIsoTime(entry.timestamp),
    level: entry.level,
    node_id: entry.nodeId,
    message: entry.message,
    data: entry.data,
  };
}
