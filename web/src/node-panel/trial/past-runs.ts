import { queryOptions } from '@tanstack/react-query';
import { isSettled, type ExecutionSummary } from 'weft-client';
import { client } from '../../data/client.ts';
import { createDisplayedRun, type DisplayedRun } from '../../runs/displayed-run.ts';
import { loadFirstAndLastRuns } from '../../runs/node-runs.ts';

/** The number of newest executions that are offered. */
const MAX_RUNS = 50;

/** The newest ended executions of a workflow, newest first. */
export const createPastRunsQuery = (workflowId: string) =>
  queryOptions({
    queryKey: ['executions', 'ended', workflowId],
    queryFn: async ({ signal }): Promise<ExecutionSummary[]> => {
      const query = { workflow_id: workflowId, limit: MAX_RUNS };
      const { executions } = await client.executions.list(query, { signal });
      return executions.filter(({ status }) => isSettled(status));
    },
  });

/** The data of an ended execution: of a long one, its first and last node runs. */
export const createPastRunQuery = (executionId: string) =>
  queryOptions({
    queryKey: ['executions', 'data', executionId],
    staleTime: Infinity,
    queryFn: ({ signal }) => loadRun(executionId, signal),
  });

export async function loadRun(executionId: string, signal: AbortSignal): Promise<DisplayedRun> {
  const execution = await client.executions.get(executionId, { signal });
  const { nodes } = await loadFirstAndLastRuns(execution, signal);
  return createDisplayedRun({ ...execution, nodes: [...nodes] });
}
