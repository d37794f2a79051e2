import type { NodeFailure } from '../../contract/node-type.ts';
import type { Json } from '../../lib/json/json.ts';
import { checkValueLimits } from '../../lib/limits/value-limits.ts';
import { limits } from '../../ports/limits.ts';

/** Checks a value that the engine combined from others; null: it is within the limits. */
export function checkSize(what: string, value: Json): NodeFailure | null {
  const error = checkValueLimits(value, limits.nodeOutputBytes, limits.valueDepth);
  return error === null ? null : { type: 'limit', message: `${what} ${error}`, retryable: false };
}
