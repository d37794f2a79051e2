import type { ExecutionStatus } from '../../contract/execution.ts';
import type { Principal } from '../../contract/principal.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { WorkflowRow, WorkflowStore } from '../../ports/store/workflows.ts';
import { hasScope } from '../authorize.ts';

/** When a workflow ran last and is due next. Times in epoch ms. */
export type WorkflowActivity = {
  lastExecution: { id: string; status: ExecutionStatus; startedAt: number | null } | null;
  /** The earliest next run of its schedules and polls. */
  nextDueAt: number | null;
};

export type ReadActivity = (
  principal: Principal,
  rows: readonly WorkflowRow[],
) => Promise<WorkflowActivity[]>;

/** Reads the activity of many workflows in few statements, in the order of `rows`. */
export function createActivityReads(deps: {
  workflows: Pick<WorkflowStore, 'schedulesOfMany'>;
  executions: Pick<ExecutionStore, 'listLast'>;
}): ReadActivity {
  return async (principal, rows) => {
    const { userId } = principal;
    const ids = rows.map((row) => row.id);
    const active = rows.filter((row) => row.activeVersion !== null).map((row) => row.id);
    const [executions, schedules] = await Promise.all([
      // Without the scope the field is null, as if the workflow had not run.
      hasScope(principal, 'executions:read') ? deps.executions.listLast(userId, ids) : [],
      active.length === 0 ? [] : deps.workflows.schedulesOfMany(userId, active),
    ]);
    const last = new Map(executions.map((each) => [each.workflowId, each]));
    const due = new Map<string, number>();
    for (const { workflowId, nextRunAt } of schedules)
      if (nextRunAt !== null) due.set(workflowId, Math.min(nextRunAt, due.get(workflowId) ?? Infinity));
    return rows.map(({ id }) => {
      const execution = last.get(id);
      return {
        lastExecution:
          execution === undefined
            ? null
            : { id: execution.id, status: execution.status, startedAt: execution.startTime },
        nextDueAt: due.get(id) ?? null,
      };
    });
  };
}
