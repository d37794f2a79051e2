import type { Definition } from '../../../contract/definition.ts';
import { WeftError } from '../../../contract/errors.ts';
import type { Principal } from '../../../contract/principal.ts';
import type { ExecutionRetry } from '../../../ports/store/execution-reads.ts';
import type { ExecutionRow } from '../../../ports/store/execution-row.ts';
import type { WorkflowRow } from '../../../ports/store/workflows.ts';
import type { ExecutionDetails } from '../../../services/executions/execution-view.ts';
import type { WorkflowActivity } from '../../../services/workflows/workflow-activity.ts';
import type { WorkflowContent } from '../../../services/workflows/workflow-reads.ts';
import { createDataLoader, type DataLoader } from './dataloader.ts';
import type { GraphqlServices } from '../services.ts';

/** Loads the nested data of lists. Data of other owners is treated as missing. */
export type DataLoaders = {
  readonly workflow: DataLoader<string, WorkflowRow | null>;
  readonly definition: DataLoader<WorkflowRow, Definition | null>;
  readonly view: DataLoader<WorkflowRow, WorkflowContent | null>;
  readonly details: DataLoader<ExecutionRow, ExecutionDetails>;
  readonly activity: DataLoader<WorkflowRow, WorkflowActivity>;
  /** The newest retries of an execution. */
  readonly retries: DataLoader<string, readonly ExecutionRetry[]>;
  /** The newest executions of a workflow. */
  newest(workflowId: string, limit: number): Promise<readonly ExecutionRow[]>;
};

export function createDataLoaders(
  { workflows, executions }: Pick<GraphqlServices, 'workflows' | 'executions'>,
  principal: Principal | null,
  soon: (run: () => void) => void,
): DataLoaders {
  const known = (): Principal => {
    if (principal === null) throw new WeftError('UNAUTHORIZED');
    return principal;
  };
  const version = (row: WorkflowRow): string => `${row.id} ${row.version}`;
  const histories = new Map<number, DataLoader<string, readonly ExecutionRow[]>>();

  return {
    workflow: createDataLoader(
      async (ids) => {
        const rows = new Map((await workflows.rows(known(), ids)).map((row) => [row.id, row]));
        return ids.map((id) => rows.get(id) ?? null);
      },
      (id) => id,
      soon,
    ),
    definition: createDataLoader(async (rows) => workflows.definitions(known(), rows), version, soon),
    view: createDataLoader(async (rows) => workflows.views(known(), rows), version, soon),
    details: createDataLoader(
      async (rows) => executions.details(known(), rows),
      (row) => row.id,
      soon,
    ),
    activity: createDataLoader(
      async (rows) => workflows.activity(known(), rows),
      (row) => row.id,
      soon,
    ),
    retries: createDataLoader(
      async (ids) => executions.listRetries(known(), ids),
      (id) => id,
      soon,
    ),
    newest(workflowId, limit) {
      let history = histories.get(limit);
      if (history === undefined) {
        history = createDataLoader(
          async (ids: readonly string[]) => {
            const rows = await executions.listNewest(known(), ids, limit);
            const byWorkflow = new Map<string, ExecutionRow[]>(ids.map((id) => [id, []]));
            for (const row of rows) byWorkflow.get(row.workflowId)?.push(row);
            return ids.map((id) => byWorkflow.get(id) ?? []);
          },
          (id) => id,
          soon,
        );
        histories.set(limit, history);
      }
      return history(workflowId);
    },
  };
}
