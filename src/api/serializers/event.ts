import type { ExecutionUpdate, Notification } from '../../ports/events.ts';
import { isoTime } from '../../lib/time/iso-time.ts';

export function presentExecutionUpdate(update: ExecutionUpdate) {
  return {
    execution_id: update.executionId,
    workflow_id: update.workflowId,
    status: update.status,
    progress: update.progress,
    current_node: update.currentNode,
    timestamp: isoTime(update.timestamp),
  };
}

export function presentNotification({ level, message, timestamp }: Notification) {
  return { level, message, timestamp: isoTime(timestamp) };
}
