import type { ActiveTriggers } from '../../../ports/store/active-triggers.ts';
import type { DeletedWorkflowRow } from '../../../ports/store/workflows.ts';
import * as workflows from '../../queries/workflows.ts';
import { toDeletedWorkflow, type DeletedWorkflowRecord } from '../../rows.ts';
import { selectAll, change, selectFirst, lock, type Transaction } from '../../statement.ts';
import { activeTriggerStatements } from '../active-triggers.ts';
import { workflowLock } from '../locks.ts';

/** `emptying`: its executions have not all been deleted, because the process that deleted them ended. */
export function* undeleteWorkflow(
  ownerId: string,
  id: string,
  live: ActiveTriggers,
): Transaction<'restored' | 'emptying' | 'missing'> {
  yield* lock(workflowLock(id));
  const state = (yield* selectFirst<{ removed: number }>(workflows.selectState, id, ownerId))?.removed;
  if (state === workflows.deletionStates.executions) return 'emptying';
  if (state !== workflows.deletionStates.restorable) return 'missing';
  // Its time may have ended in a concurrent transaction.
  if ((yield* change(workflows.undelete, id, ownerId)) === 0) return 'missing';
  yield activeTriggerStatements(id, live);
  return 'restored';
}

export function* getDeletedWorkflow(ownerId: string, id: string): Transaction<DeletedWorkflowRow | null> {
  const row = yield* selectFirst<DeletedWorkflowRecord>(workflows.getDeleted, ownerId, id);
  return row === null ? null : toDeletedWorkflow(row);
}

export function* listDeletedWorkflows(
  ownerId: string,
  offset: number,
  limit: number,
): Transaction<{ rows: DeletedWorkflowRow[]; total: number }> {
  const total = (yield* selectFirst<{ n: number }>(workflows.countDeleted, ownerId))?.n ?? 0;
  const rows = yield* selectAll<DeletedWorkflowRecord>(workflows.listDeleted, ownerId, limit, offset);
  return { rows: rows.map(toDeletedWorkflow), total };
}
