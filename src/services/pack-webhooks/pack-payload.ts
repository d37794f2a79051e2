import { createValidationError } from '../../contract/errors.ts';
import type { NpmHandshake } from '../../contract/packs/npm-packs.ts';
import type { PackPayload } from '../../contract/packs/pack-call.ts';
import { withoutOwnCookies } from '../../contract/webhooks/webhook-credentials.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import { readFields, readWebhookBody } from '../webhooks/webhook-body.ts';
import type { WebhookRequest } from '../webhooks/webhook-types.ts';

/** Headers by which senders name a delivery that they repeat. */
const DELIVERY_HEADERS = ['webhook-id', 'x-github-delivery', 'idempotency-key'];
const MAX_DELIVERY_LENGTH = 255;

/**
 * Returns a request in the form in which it is stored: `raw` is the text of the body, and `delivery` names
 * the delivery.
 * @throws {WeftError} VALIDATION_ERROR for a body that is not JSON, a form or text.
 */
export async function toStoredRequest({ method, query, headers, body }: WebhookRequest): Promise<JsonObject> {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === '__proto__') continue;
    const text = typeof value === 'string' ? value : value.join(', ');
    const passed = name === 'cookie' ? withoutOwnCookies(text) : text;
    if (passed !== '') kept[name] = passed;
  }
  const [delivery = null] = DELIVERY_HEADERS.flatMap((name) => {
    const value = kept[name];
    return typeof value === 'string' ? [`${name}:${value}`] : [];
  });
  const request: JsonObject = {
    method,
    query,
    headers: kept,
    raw: body.toString('utf8'),
    delivery: delivery !== null && delivery.length <= MAX_DELIVERY_LENGTH ? delivery : null,
  };
  await readBody(kept, body);
  return request;
}

/** Returns a stored request in the form of the packages. */
export async function readPayload(request: JsonObject): Promise<PackPayload> {
  const { method, query, headers, raw } = request;
  const rawBody = typeof raw === 'string' ? raw : '';
  const given = isObject(headers) ? headers : {};
  return {
    method: typeof method === 'string' ? method : 'POST',
    headers: given,
    queryParams: readFields(typeof query === 'string' ? query : '', 'query'),
    body: await readBody(given, Buffer.from(rawBody)),
    rawBody,
  };
}

/** Whether the request verifies the address. */
export function isHandshake(handshake: NpmHandshake | null, payload: PackPayload): boolean {
  if (handshake === null) return false;
  const { in: place, name } = handshake;
  if (place === 'header') return payload.headers[name.toLowerCase()] !== undefined;
  const values = place === 'query' ? payload.queryParams : payload.body;
  return isObject(values) && Object.hasOwn(values, name);
}

function readBody(headers: JsonObject, body: Buffer) {
  const read = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return readWebhookBody(
    body,
    {
      'content-type': read('content-type'),
      'content-disposition': read('content-disposition'),
      'content-encoding': read('content-encoding'),
    },
    limits.json,
    () => {
      throw createValidationError([
        { field: 'body', issue: 'must be JSON, a form or text: triggers of packs take no files' },
      ]);
    },
  );
}
