import type { Definition } from '../../../contract/definition.ts';
import { WeftError } from '../../../contract/errors.ts';
import type { Principal } from '../../../contract/principal.ts';
import type { ExecutionRow } from '../../../ports/store/execution-row.ts';
import type { WorkflowRow } from '../../../ports/store/workflows.ts';
import type { ExecutionInside } from '../../../services/executions/execution-view.ts';
import type { WorkflowView } from '../../../services/workflows/workflow-reads.ts';
import { createLoader, type Loader } from './dataloader.ts';
import type { GraphqlServices } from '../services.ts';

/** Everything that hangs on the items of a list. Other owners' things are as if they were not there. */
export type Loaders = {
  readonly workflow: Loader<string, WorkflowRow | null>;
  readonly definition: Loader<WorkflowRow, Definition | null>;
  readonly view: Loader<WorkflowRow, WorkflowView | null>;
  readonly inside: Loader<ExecutionRow, ExecutionInside>;
  /** The newest of a workflow. */
  newest(workflowId: string, limit: number): Promise<readonly ExecutionRow[]>;
};

export function createLoaders(
  { workflows, executions }: Pick<GraphqlServices, 'workflows' | 'executions'>,
  principal: Principal | null,
  soon: (run: () => void) => void,
): Loaders {
  const known = (): Principal => {
    if (principal === null) throw new WeftError('UNAUTHORIZED');
    return principal;
  };
  const version = (row: WorkflowRow): string => `${row.id} ${row.version}`;
  const histories = new Map<number, Loader<string, readonly ExecutionRow[]>>();

  return {
    workflow: createLoader(
      async (ids) => {
        const rows = new Map((await workflows.rows(known(), ids)).map((row) => [row.id, row]));
        return ids.map((id) => rows.get(id) ?? null);
      },
      (id) => id,
      soon,
    ),
    definition: createLoader(async (rows) => workflows.definitions(known(), rows), version, soon),
    view: createLoader(async (rows) => workflows.views(known(), rows), version, soon),
    inside: createLoader(
      async (rows) => executions.insides(known(), rows),
      (row) => row.id,
      soon,
    ),
    newest(workflowId, limit) {
      let history = histories.get(limit);
      if (history === undefined) {
        history = createLoader(
          async (ids: readonly string[]) => {
            const rows = await executions.newestOf(known(), ids, limit);
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
