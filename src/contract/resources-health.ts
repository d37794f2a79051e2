import { Type } from 'typebox';
import { JsonObject, Milliseconds, OneOf, Text, resource } from './resource.ts';

/** What answers show of the service itself. */

export const HealthResource = resource('Health', 'How the service is.', {
  status: OneOf(['ok', 'degraded']),
  version: Text(),
  uptime: Milliseconds(),
  checks: Type.Record(Type.String(), JsonObject('At least `status`: `ok` or `failed`.')),
});
export const LiveResource = resource('Live', 'The process answers.', { status: Type.Literal('ok') });
export const ReadyResource = resource('Ready', 'Whether the service takes work.', {
  status: OneOf(['starting', 'ready', 'draining']),
});
