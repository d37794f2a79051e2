import type { HealthUpdate } from '../../services/health.service.ts';
import { isoTime } from '../../lib/iso-time.ts';

export function presentHealthUpdate(update: HealthUpdate) {
  return {
    status: update.status,
    uptime: update.uptime,
    active_executions: update.activeExecutions,
    queued_executions: update.queuedExecutions,
    event_loop_lag: update.eventLoopLag,
    memory_used: update.memoryUsed,
    timestamp: isoTime(update.timestamp),
  };
}
