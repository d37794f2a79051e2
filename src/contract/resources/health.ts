import { Type } from 'typebox';
import { Count, JsonObject, Milliseconds, OneOf, Text, Time, nullable, resource } from './resource.ts';

/** What answers show of the service itself. */

export const HealthResource = resource('Health', 'How the service is.', {
  status: OneOf(['ok', 'degraded']),
  version: Text(),
  uptime: Milliseconds(),
  checks: Type.Record(
    Type.String(),
    JsonObject('`status` (`ok` or `failed`), and for administrators its measures.'),
  ),
});
export const LiveResource = resource('Live', 'The process answers.', { status: Type.Literal('ok') });
export const ReadyResource = resource('Ready', 'Whether the service takes work.', {
  status: OneOf(['starting', 'ready', 'draining', 'degraded']),
});
/** One of a stream; any valid credential may watch. */
export const HealthUpdateResource = resource('HealthUpdate', 'How the service is at this moment.', {
  status: OneOf(['ok', 'degraded']),
  uptime: Milliseconds('Since its start.'),
  active_executions: Count('At work in the process that answers.'),
  queued_executions: Count(),
  executions_ended: Count('Within the last minute, in the process that answers.'),
  executions_failed: Count('Of these.'),
  duration_p50: nullable(Type.Number({ minimum: 0, description: 'ms; the median of these.' })),
  duration_p95: nullable(Type.Number({ minimum: 0, description: 'ms; the 95th percentile of these.' })),
  event_loop_lag: Type.Number({
    minimum: 0,
    description: 'ms; the 99th percentile of the last half minute.',
  }),
  memory_used: Type.Integer({ minimum: 0, description: 'Bytes that the process holds.' }),
  timestamp: Time(),
});
