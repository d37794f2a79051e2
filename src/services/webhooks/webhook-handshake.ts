import type { Handshake } from '../../contract/webhooks/webhook-presets.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import type { WebhookRequest, WebhookResponse } from './webhook-types.ts';
import { isSameText } from './webhook-signature.ts';

/** Maximum size of a handshake request, in bytes. */
const MAX_HANDSHAKE_BYTES = { slack: 4_096, discord: 16_384 } as const;
const MAX_CHALLENGE_LENGTH = 1_000;
const MAX_ORIGIN_LENGTH = 300;

/**
 * Returns the response that a sender requires before it delivers anything; null when the call is a delivery.
 */
export function respondToHandshake(handshake: Handshake, bytes: Buffer): JsonObject | null {
  if (handshake !== 'slack' && handshake !== 'discord') return null;
  if (bytes.length > MAX_HANDSHAKE_BYTES[handshake]) return null;
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
  if (!isObject(body)) return null;
  if (handshake === 'discord') return body['type'] === 1 ? { type: 1 } : null;
  const { type, challenge } = body;
  return type === 'url_verification' && typeof challenge === 'string' ? { challenge } : null;
}

/** Returns the challenge of a GET by which Meta verifies an endpoint; null for any other call. */
export function readMetaChallenge(call: WebhookRequest): { token: string; challenge: string } | null {
  if (call.method !== 'GET' || !call.query.includes('hub.')) return null;
  const query = new URLSearchParams(call.query);
  const [token, challenge] = [query.get('hub.verify_token'), query.get('hub.challenge')];
  if (query.get('hub.mode') !== 'subscribe' || token === null || challenge === null) return null;
  return challenge.length <= MAX_CHALLENGE_LENGTH ? { token, challenge } : null;
}

export function createMetaReply(
  { token, challenge }: { token: string; challenge: string },
  secret: string | null,
): WebhookResponse | null {
  return secret !== null && isSameText(token, secret)
    ? { kind: 'handshake_text', text: challenge, headers: { 'content-type': 'text/plain; charset=utf-8' } }
    : null;
}

/**
 * Returns the origin of an OPTIONS request that asks for permission to deliver CloudEvents; null for any
 * other call.
 */
export function readCloudEventsOrigin({ method, headers }: WebhookRequest): string | null {
  const origin = method === 'OPTIONS' ? headers['webhook-request-origin'] : undefined;
  return typeof origin === 'string' && origin !== '' && origin.length <= MAX_ORIGIN_LENGTH ? origin : null;
}

/** A null `ratePerMinute` means no limit. Returns null when the origin is not allowed. */
export function createCloudEventsReply(
  origin: string,
  allowed: ReadonlySet<string> | null,
  ratePerMinute: number | null,
): WebhookResponse | null {
  if (allowed === null || !(allowed.has('*') || allowed.has(origin.toLowerCase()))) return null;
  const headers = {
    allow: 'OPTIONS, POST',
    'webhook-allowed-origin': origin,
    'webhook-allowed-rate': ratePerMinute === null ? '*' : String(ratePerMinute),
  };
  return { kind: 'handshake_text', text: '', headers };
}
