import { isSettled, type ExecutionSummary } from 'weft-client';

export type BulkAction = 'retry' | 'stop';
export type BulkResult = {
  readonly execution: ExecutionSummary;
  readonly text: string;
  readonly isOk: boolean;
  readonly startedId?: string;
};

/** An execution can be stopped until it has ended, and retried when it failed or was stopped. */
export function canApply(action: BulkAction, { status }: ExecutionSummary): boolean {
  return action === 'stop' ? !isSettled(status) : status === 'failed' || status === 'stopped';
}

/** The workflows of executions with their number, the most frequent first. */
export function countByWorkflow(items: readonly ExecutionSummary[]): [workflowId: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { workflow_id } of items) counts.set(workflow_id, (counts.get(workflow_id) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a);
}
