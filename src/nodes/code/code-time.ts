import type { FieldError } from '../../contract/errors.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';

const DEFAULT_TIME = 5_000;
const MAX_TIME = 5 * 60_000;

/** Reads the time limit of the code in milliseconds. */
export function codeTime(timeout: Json | undefined): number {
  const ms = typeof timeout === 'string' ? parseDuration(timeout) : null;
  return Math.max(1, Math.min(MAX_TIME, ms ?? DEFAULT_TIME));
}

export function timeFaults({ timeout }: JsonObject): FieldError[] {
  const ms = typeof timeout === 'string' ? parseDuration(timeout) : null;
  if (ms === null || (ms > 0 && ms <= MAX_TIME)) return [];
  return [
    { field: 'timeout', issue: 'must be a duration of more than 0 and at most 5m for code, such as 5s' },
  ];
}
