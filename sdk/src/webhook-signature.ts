/**
 * The value of `X-Weft-Signature` for a webhook with `"authentication": "hmac"` and Weft's own scheme:
 * `t=<seconds>,v1=<hex>`. `body` must be the bytes that are sent. The signature is valid for five minutes
 * around `timestamp` (Unix seconds; default: now).
 */
export async function signWebhook(
  secret: string,
  body: string | Uint8Array,
  timestamp: number = Math.floor(Date.now() / 1_000),
): Promise<string> {
  const text = new TextEncoder();
  const bytes = typeof body === 'string' ? text.encode(body) : body;
  const head = text.encode(`${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', text.encode(secret), algorithm, false, ['sign']);
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  return `t=${timestamp},v1=${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
