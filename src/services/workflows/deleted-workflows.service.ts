import { createNotFoundError, WeftError } from '../../contract/errors.ts';
import { PageQuery, toPage, toPagination, type Pagination } from '../../contract/paging.ts';
import type { Principal } from '../../contract/principal.ts';
import { DeleteWorkflowQuery } from '../../contract/requests/workflow.ts';
import { validate } from '../../contract/validate.ts';
import type { Engine } from '../../engine/engine-api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ActiveTriggers } from '../../ports/store/active-triggers.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';
import type { DeletedWorkflowRow, WorkflowStore } from '../../ports/store/workflows.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { requireScope } from '../authorize.ts';
import { withTriggerSync } from '../triggers/active-triggers.ts';
import type { WorkflowView } from './workflow-reads.ts';

export type DeletedWorkflowPage = {
  rows: DeletedWorkflowRow[];
  /** How long a workflow that is deleted now can be restored, ms. */
  retention: number;
  pagination: Pagination;
};

/** Number of executions stopped per batch before a workflow is deleted. */
const STOP_BATCH_SIZE = 100;
const RELEASE_PAGE_SIZE = 100;

export type DeletedWorkflows = ReturnType<typeof createDeletedWorkflows>;

/** Deletes workflows, and restores them for as long as they are kept. */
export function createDeletedWorkflows(deps: {
  workflows: Pick<
    WorkflowStore,
    'get' | 'list' | 'remove' | 'markDeleted' | 'undelete' | 'deleted' | 'listDeleted'
  >;
  executions: Pick<ExecutionStore, 'listUnsettled'>;
  engine: Pick<Engine, 'stop'>;
  audit: Pick<AuditLog, 'describe'>;
  clock: Pick<Clock, 'now'>;
  /** How long a deleted workflow can be restored, ms; 0: it is deleted permanently at once. */
  keepMs: number;
  get(principal: Principal, id: string): Promise<WorkflowView>;
  /** Whether the user still exists. */
  isUser(id: string): Promise<boolean>;
  /** Called after every change of the active triggers; null when the workflow was deleted. */
  changed(workflowId: string, live: ActiveTriggers | null): void;
}) {
  const { workflows, audit, clock } = deps;

  async function stopAll(ownerId: string, id: string): Promise<void> {
    for (;;) {
      const running = await deps.executions.listUnsettled(ownerId, id, STOP_BATCH_SIZE);
      if (running.length === 0) return;
      await Promise.all(running.map((execution) => deps.engine.stop(ownerId, execution)));
    }
  }

  return {
    /**
     * Stops the workflow's executions and deletes it with its history. It can be restored for a time, unless
     * `permanent` is set. @throws {WeftError} NOT_FOUND.
     */
    async remove(principal: Principal, id: string, input: unknown = {}): Promise<void> {
      requireScope(principal, 'workflows:write');
      const { permanent = false } = validate(DeleteWorkflowQuery, input);
      const { userId } = principal;
      const current = await workflows.get(userId, id);
      const isInUse = current !== null;
      const row = current ?? (permanent ? await workflows.deleted(userId, id) : null);
      if (row === null) throw createNotFoundError('workflow');
      if (isInUse) await stopAll(userId, id);
      const deletedAt = clock.now();
      const isPermanent = permanent || deps.keepMs === 0;
      const deletion = { deletedAt, deletedBy: userId, purgeAt: deletedAt + deps.keepMs };
      const event = audit.describe(
        principal,
        'workflow.deleted',
        { id, name: row.name },
        { permanent: isPermanent },
      );
      const isDone = isPermanent
        ? await workflows.remove(userId, id, event)
        : await workflows.markDeleted(userId, id, deletion, event);
      if (!isDone) throw createNotFoundError('workflow');
      deps.changed(id, null);
    },

    /** The deleted workflows that can be restored, last deleted first. */
    async list(principal: Principal, input: unknown): Promise<DeletedWorkflowPage> {
      requireScope(principal, 'workflows:read');
      const page = toPage(validate(PageQuery, input));
      const { rows, total } = await workflows.listDeleted(principal.userId, page.offset, page.limit);
      return { rows, retention: deps.keepMs, pagination: toPagination(page, total) };
    },

    /** Restores a deleted workflow, inactive or as a draft. @throws {WeftError} NOT_FOUND. */
    async undelete(principal: Principal, id: string): Promise<WorkflowView> {
      requireScope(principal, 'workflows:write');
      // The response contains the whole workflow.
      requireScope(principal, 'workflows:read');
      const { userId } = principal;
      const row = await workflows.deleted(userId, id);
      if (row === null) throw createNotFoundError('deleted workflow');
      const live: ActiveTriggers = {
        webhooks: [],
        schedules: [],
        completionTriggers: withTriggerSync(row, row.settings),
        pollingTriggers: [],
      };
      const event = audit.describe(principal, 'workflow.undeleted', { id, name: row.name });
      if (!(await workflows.undelete(userId, id, live, event))) throw createNotFoundError('deleted workflow');
      // A user who was deleted during the request must leave no workflow.
      if (!(await deps.isUser(userId))) {
        await workflows.remove(userId, id);
        throw new WeftError('UNAUTHORIZED');
      }
      deps.changed(id, live);
      return deps.get(principal, id);
    },

    /** Called before an owner is deleted: stops all executions and triggers of the owner. */
    async release(ownerId: string): Promise<void> {
      for (let offset = 0; ; offset += RELEASE_PAGE_SIZE) {
        const { rows } = await workflows.list(ownerId, {}, offset, RELEASE_PAGE_SIZE);
        for (const row of rows) {
          deps.changed(row.id, null);
          await stopAll(ownerId, row.id);
        }
        if (rows.length < RELEASE_PAGE_SIZE) return;
      }
    },
  };
}
