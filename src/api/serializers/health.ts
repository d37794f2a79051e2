import type { HealthUpdate } from '../../services/observability/health.service.ts';
import { formatIsoTime } from '../../lib/time/iso-time.ts';

export function presentHealthUpdate(update: HealthUpdate) {
  return {
    status: update.status,
    uptime: update.uptime,
    active_executions: update.activeExecutions,
    queued_executions: update.queuedExecutions,
    executions_ended: update.lastMinute.ended,
    executions_failed: update.lastMinute.failed,
    duration_p50: update.lastMinute.p50,
    duration_p95: update.lastMinute.p95,
    event_loop_lag: update.eventLoopLag,
    memory_used: update.memoryUsed,
    timestamp: formatIsoTime(update.timestamp),
  };
}
