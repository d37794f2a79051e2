import type { ExecutionUpdate, Notification, WeftEvent } from '../../ports/events.ts';
import { presentDecisionChange } from './decision.ts';
import { formatIsoTime } from '../../lib/time/iso-time.ts';

/** The data of a message of the WebSocket. */
export function presentEvent(event: Exclude<WeftEvent, { kind: 'log' }>) {
  if (event.kind === 'execution_update') return presentExecutionUpdate(event);
  return event.kind === 'decision' ? presentDecisionChange(event) : presentNotification(event);
}

export function presentExecutionUpdate(update: ExecutionUpdate) {
  return {
    execution_id: update.executionId,
    workflow_id: update.workflowId,
    status: update.status,
    progress: update.progress,
    current_node: update.currentNode,
    timestamp: formatIsoTime(update.timestamp),
  };
}

export function presentNotification({ level, message, timestamp }: Notification) {
  return { level, message, timestamp: formatIsoTime(timestamp) };
}
