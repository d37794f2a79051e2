import { createHash } from 'node:crypto';
import { validationError } from '../../contract/errors.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DedupeKey } from '../../ports/store/checkpoint.ts';
import type { WebhookRequest } from './webhook-types.ts';
import { deliveryName } from './webhook-signature.ts';
import type { CompiledEndpoint } from './compiled-endpoint.ts';

/** ms that a delivery's key is kept. */
const KEY_LIFE = 86_400_000;
const MAX_KEY = 255;

/** `isComparable`: whoever uses the key again promises the same request. */
export type Dedupe = { key: DedupeKey; isComparable: boolean };

/** By what a repeat of this call is known; null: by nothing. @throws {WeftError} VALIDATION_ERROR for a name that is none. */
export function readDedupeKey(
  target: CompiledEndpoint,
  call: WebhookRequest,
  input: JsonObject,
  clock: Pick<Clock, 'now'>,
): Dedupe | null {
  const given = target.deduplicate === null ? null : evaluate(target.deduplicate, input, clock.now());
  if (given !== null) return { key: keyOf(target, `value:${given}`, '', clock.now()), isComparable: false };
  const { headers } = call;
  // Before the headers that nobody signed: with one of those, whoever caught a delivery could make a new one of it.
  const named = target.sender === null ? null : deliveryName(target.sender, call, input['body'] ?? null);
  if (named !== null) return { key: keyOf(target, named, '', clock.now()), isComparable: false };
  for (const name of ['idempotency-key', 'webhook-id', 'x-github-delivery']) {
    const value = headers[name];
    if (value === undefined) continue;
    if (typeof value !== 'string' || value.length === 0 || value.length > MAX_KEY) {
      throw validationError([{ field: name, issue: `takes 1 to ${MAX_KEY} characters` }]);
    }
    // The other two are the sender's name of one event; only this one is the caller's promise of the same request.
    const isComparable = name === 'idempotency-key';
    const fingerprint = isComparable
      ? createHash('sha256')
          .update(`${call.method} ${call.path}?${call.query}\n`)
          .update(call.body)
          .digest('hex')
      : '';
    return { key: keyOf(target, `${name}:${value}`, fingerprint, clock.now()), isComparable };
  }
  return null;
}

function keyOf({ route }: CompiledEndpoint, key: string, fingerprint: string, now: number): DedupeKey {
  const scope = `webhook:${route.workflowId}:${route.nodeId}`;
  return { scope, key, fingerprint, expiresAt: now + KEY_LIFE };
}

/** The text that tells events apart; null when the template gives nothing. */
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
    throw validationError([{ field: 'deduplicate', issue }]);
  }
  if (value === null || value === '') return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MAX_KEY ? text : createHash('sha256').update(text).digest('hex');
}
