import { queryOptions } from '@tanstack/react-query';
import { isSettled, type ExecutionDetail } from 'weft-client';
import type { NodeType } from '../canvas/model/catalog.ts';
import type { Definition } from '../canvas/model/document.ts';
import { loadNodeTypes } from '../canvas/page/node-types.ts';
import { client } from '../data/client.ts';
import { loadFirstAndLastRuns, type NodeRuns } from './node-runs.ts';

export type LoadedExecution = {
  readonly name: string;
  readonly definition: Definition;
  readonly types: readonly NodeType[];
  readonly execution: ExecutionDetail;
  /** Null while the execution runs. */
  readonly runs: NodeRuns | null;
};

/** Everything that the page of an execution needs; what does not depend on another response is concurrent. */
export const createExecutionPageQuery = (executionId: string) =>
  queryOptions({
    queryKey: ['execution-page', executionId],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<LoadedExecution> => {
      const [types, rest] = await Promise.all([loadNodeTypes(), loadExecution(executionId, signal)]);
      return { types, ...rest };
    },
  });

async function loadExecution(
  executionId: string,
  signal: AbortSignal,
): Promise<Omit<LoadedExecution, 'types'>> {
  const execution = await client.executions.get(executionId, { signal });
  const { workflow_id: workflowId, workflow_version: number, status } = execution;
  const [version, workflow, runs] = await Promise.all([
    client.workflows.versions.get(workflowId, number, { signal }),
    client.workflows.get(workflowId, { signal }),
    isSettled(status) ? loadFirstAndLastRuns(execution, signal) : null,
  ]);
  return { name: workflow.name, definition: version.definition as Definition, execution, runs };
}
