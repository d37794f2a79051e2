import type { ActiveTriggers } from '../../ports/store/active-triggers.ts';
import * as triggers from '../queries/triggers.ts';
import type { Statement } from '../statement.ts';

/** Replaces the active triggers of a workflow, except polls. */
export function activeTriggerStatements(workflowId: string, live: ActiveTriggers): Statement[] {
  return [
    { sql: triggers.removeWebhooks, params: [workflowId] },
    { sql: triggers.removeSchedules, params: [workflowId] },
    { sql: triggers.removeCompletionTriggers, params: [workflowId] },
    ...live.completionTriggers.map((e) => ({
      sql: triggers.insertCompletionTrigger,
      params: [workflowId, e.nodeId ?? '', e.ownerId, e.kind, e.on, e.source, e.target],
    })),
    ...live.webhooks.map((w) => ({
      sql: triggers.insertWebhook,
      params: [workflowId, w.nodeId, w.ownerId, w.version, w.method, w.endpoint, w.shape],
    })),
    ...live.schedules.map((s) => ({
      sql: triggers.insertSchedule,
      params: [workflowId, s.nodeId, s.ownerId, s.version, JSON.stringify(s.spec), s.nextRunAt, s.lastError],
    })),
  ];
}
