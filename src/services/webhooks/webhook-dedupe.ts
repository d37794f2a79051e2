import { createHash } from 'node:crypto';
import { createValidationError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DedupeKey } from '../../ports/store/checkpoint.ts';
import type { WebhookRequest } from './webhook-types.ts';
import { findDeliveryName } from './webhook-signature.ts';
import type { CompiledEndpoint } from './compiled-endpoint.ts';

/** How long the key of a delivery is stored, ms. */
const KEY_LIFETIME_MS = 86_400_000;
const MAX_KEY_LENGTH = 255;

/** `isComparable`: a client that reuses the key must send the same request. */
export type Dedupe = { key: DedupeKey; isComparable: boolean };

/**
 * Returns the key by which a repeat of this call is recognized; null without one. @throws {WeftError}
 * VALIDATION_ERROR for an invalid key.
 */
export function readDedupeKey(
  target: CompiledEndpoint,
  call: WebhookRequest,
  input: JsonObject,
  clock: Pick<Clock, 'now'>,
): Dedupe | null {
  const given = target.deduplicate === null ? null : evaluate(target.deduplicate, input, clock.now());
  if (given !== null)
    return { key: createDedupeKey(target, `value:${given}`, '', clock.now()), isComparable: false };
  const { headers } = call;
  // The signed id takes precedence over unsigned headers: otherwise a captured delivery could be replayed
  // under a new key.
  const named = target.sender === null ? null : findDeliveryName(target.sender, call, input['body'] ?? null);
  if (named !== null) return { key: createDedupeKey(target, named, '', clock.now()), isComparable: false };
  for (const name of ['idempotency-key', 'webhook-id', 'x-github-delivery']) {
    const value = headers[name];
    if (value === undefined) continue;
    if (typeof value !== 'string' || value.length === 0 || value.length > MAX_KEY_LENGTH) {
      throw createValidationError([{ field: name, issue: `must have 1 to ${MAX_KEY_LENGTH} characters` }]);
    }
    // The other two headers identify an event; only this one states that the request is the same.
    const isComparable = name === 'idempotency-key';
    const fingerprint = isComparable
      ? createHash('sha256')
          .update(`${call.method} ${call.path}?${call.query}\n`)
          .update(call.body)
          .digest('hex')
      : '';
    return { key: createDedupeKey(target, `${name}:${value}`, fingerprint, clock.now()), isComparable };
  }
  return null;
}

function createDedupeKey(
  { route }: CompiledEndpoint,
  key: string,
  fingerprint: string,
  now: number,
): DedupeKey {
  const scope = `webhook:${route.workflowId}:${route.nodeId}`;
  return { scope, key, fingerprint, expiresAt: now + KEY_LIFETIME_MS };
}

/** Returns the deduplication key; null when the expression yields nothing. */
function evaluate(
  template: NonNullable<CompiledEndpoint['deduplicate']>,
  input: JsonObject,
  now: number,
): string | null {
  let value: Json;
  try {
    value = template.evaluate({ input, trigger: input, now });
  } catch (error) {
    const issue = error instanceof Error ? error.message : 'could not be evaluated';
    throw createValidationError([{ field: 'deduplicate', issue }]);
  }
  if (value === null || value === '') return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_KEY_LENGTH ? text : createHash('sha256').update(text).digest('hex');
}
