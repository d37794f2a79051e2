import type { LiveTriggers } from '../../ports/store/active-triggers.ts';
import * as triggers from '../queries/triggers.ts';
import type { Statement } from '../statement.ts';

/** Replaces the live triggers of a workflow, except polls. */
export function liveStatements(workflowId: string, live: LiveTriggers): Statement[] {
  return [
    { sql: triggers.removeWebhooks, params: [workflowId] },
    { sql: triggers.removeSchedules, params: [workflowId] },
    { sql: triggers.removeEvents, params: [workflowId] },
    ...live.events.map((e) => ({
      sql: triggers.insertEvent,
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
