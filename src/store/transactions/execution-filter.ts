import type { ExecutionFilter } from '../../ports/store/execution-reads.ts';
import * as executions from '../queries/executions.ts';
import type { Scalar } from '../statement.ts';

/** The condition of a filter. */
export function toCondition(
  ownerId: string,
  filter: ExecutionFilter,
): { condition: string; params: Scalar[] } {
  const { workflowId, status, from, to } = filter;
  const condition = executions.buildExecutionCondition({
    workflow: workflowId !== undefined,
    status: status === undefined ? null : status === 'completed' ? 'completed' : 'other',
    from: from !== undefined,
    to: to !== undefined,
  });
  const params: Scalar[] = workflowId === undefined ? [ownerId] : [workflowId, ownerId];
  if (status !== undefined) params.push(status);
  if (from !== undefined) params.push(from);
  if (to !== undefined) params.push(to);
  return { condition, params };
}
