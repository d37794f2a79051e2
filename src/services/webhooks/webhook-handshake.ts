import type { Handshake } from '../../contract/webhook-presets.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';

/** Bytes of a request that asks whether this is the right address. */
const MAX_HANDSHAKE_BYTES = { slack: 4_096, discord: 16_384 } as const;

/** The answer that a sender requires before it delivers anything; null when this is a delivery. */
export function handshakeAnswer(handshake: Handshake, bytes: Buffer): JsonObject | null {
  if (bytes.length > MAX_HANDSHAKE_BYTES[handshake]) return null;
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
  if (!isObject(body)) return null;
  switch (handshake) {
    case 'slack': {
      const { type, challenge } = body;
      return type === 'url_verification' && typeof challenge === 'string' ? { challenge } : null;
    }
    case 'discord':
      return body['type'] === 1 ? { type: 1 } : null;
  }
}
