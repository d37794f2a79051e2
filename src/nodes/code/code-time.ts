import type { FieldError } from '../../contract/errors.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';

const DEFAULT_TIMEOUT_MS = 5_000;
const MAX_TIMEOUT_MS = 5 * 60_000;

/** Reads the time limit of the code in milliseconds. */
export function readCodeTimeout(timeout: Json | undefined): number {
  const ms = typeof timeout === 'string' ? parseDuration(timeout) : null;
  return Math.max(1, Math.min(MAX_TIMEOUT_MS, ms ?? DEFAULT_TIMEOUT_MS));
}

export function validateCodeTimeout({ timeout }: JsonObject): FieldError[] {
  const ms = typeof timeout === 'string' ? parseDuration(timeout) : null;
  if (ms === null || (ms > 0 && ms <= MAX_TIMEOUT_MS)) return [];
  return [
    { field: 'timeout', issue: 'must be a duration of more than 0 and at most 5m for code, such as 5s' },
  ];
}
