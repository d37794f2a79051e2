import type { Json } from '../lib/json/json.ts';
import { JsonBoundError, parseJson, type JsonBounds } from '../lib/json/parse-json.ts';
import type { FieldError } from './errors.ts';
import { HttpFailure } from './node-type.ts';

/** Limits for JSON in responses of other services. */
export const UPSTREAM_JSON: JsonBounds = { values: 1_500_000, depth: 200, names: 100_000 };

/** The field error for a request body that `parseJson` rejected. */
export function toJsonFieldError(error: unknown): FieldError {
  if (error instanceof JsonBoundError) return { field: 'body', issue: error.message };
  const reason = error instanceof Error ? error.message.slice(0, 200) : '';
  return { field: 'body', issue: `is not valid JSON${reason === '' ? '' : `: ${reason}`}` };
}

/**
 * Parses the response of another service as JSON; undefined when it is not JSON. @throws {HttpFailure} of
 * type `limit` when the response exceeds `UPSTREAM_JSON`.
 */
export function parseUpstreamJson(text: string): Json | undefined {
  try {
    return parseJson(text, UPSTREAM_JSON);
  } catch (error) {
    if (!(error instanceof JsonBoundError)) return undefined;
    throw new HttpFailure({ type: 'limit', message: `The response ${error.message}`, retryable: false });
  }
}
