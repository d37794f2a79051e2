import { Type } from 'typebox';
import { Count, JsonObject, Milliseconds, OneOf, Text, Time, nullable, defineResource } from './resource.ts';

/** Response resources of the service's health. */

export const HealthResource = defineResource('Health', 'The health of the service.', {
  status: OneOf(['ok', 'degraded']),
  version: Text(),
  uptime: Milliseconds(),
  checks: Type.Record(
    Type.String(),
    JsonObject('`status` (`ok` or `failed`), and, for administrators, metrics.'),
  ),
});
export const LiveResource = defineResource('Live', 'The process is responding.', {
  status: Type.Literal('ok'),
});
export const ReadyResource = defineResource('Ready', 'Whether the service accepts requests.', {
  status: OneOf(['starting', 'ready', 'draining', 'degraded']),
});
/** One update of a stream; requires any valid credential. */
export const HealthUpdateResource = defineResource('HealthUpdate', 'The current state of the service.', {
  status: OneOf(['ok', 'degraded']),
  uptime: Milliseconds('Milliseconds since the process started.'),
  active_executions: Count('Executions that this process runs.'),
  queued_executions: Count(),
  executions_ended: Count('Executions that ended in this process within the last minute.'),
  executions_failed: Count('Of these.'),
  duration_p50: nullable(
    Type.Number({ minimum: 0, description: 'Median duration of these executions, in ms.' }),
  ),
  duration_p95: nullable(
    Type.Number({ minimum: 0, description: '95th percentile of their duration, in ms.' }),
  ),
  event_loop_lag: Type.Number({
    minimum: 0,
    description: '99th percentile over the last 30 seconds, in ms.',
  }),
  memory_used: Type.Integer({ minimum: 0, description: 'Memory used by the process, in bytes.' }),
  timestamp: Time(),
});
