import type { FieldError } from '../../contract/errors.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { compilePath } from '../../lib/json/json-path.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { validateRequest } from '../http/request-check.ts';
import { isTemplated } from '../template-mode.ts';
import { validateSchedule } from './schedule-check.ts';

/** Maximum request timeout: 5 minutes. */
const MAX_TIMEOUT_MS = 300_000;

/** Validation that the schema cannot express. */
export function validatePolling(config: JsonObject): FieldError[] {
  const { url, headers, authentication, body, method, key, timeout, format, items } = config;
  const errors = [
    ...validateRequest({
      ...(url !== undefined && { url }),
      ...(headers !== undefined && { headers }),
      ...(authentication !== undefined && { authentication }),
    }),
    ...validateSchedule(config),
  ];
  if (body !== undefined && method !== 'POST')
    errors.push({ field: 'body', issue: 'is only allowed with method POST' });
  if (format === 'feed' && items !== undefined)
    errors.push({ field: 'items', issue: 'must not be set for a feed, whose items are its entries' });
  if (typeof key === 'string' && !isTemplated(key)) errors.push(...validateKey(key));
  const ms = typeof timeout === 'string' ? parseDuration(timeout) : 1;
  if (ms === null || ms <= 0 || ms > MAX_TIMEOUT_MS)
    errors.push({ field: 'timeout', issue: 'must be a duration of more than 0 and at most 5m' });
  return errors;
}

function validateKey(key: string): FieldError[] {
  try {
    compilePath(key);
    return [];
  } catch (error) {
    return [{ field: 'key', issue: `must be a path: ${error instanceof Error ? error.message : ''}` }];
  }
}
