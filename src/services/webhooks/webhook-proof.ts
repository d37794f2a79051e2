import { createHash, timingSafeEqual } from 'node:crypto';
import { isSigned, type CallHeaders, type SignatureScheme } from './webhook-signature.ts';

export type WebhookAuthentication = 'none' | 'basic' | 'bearer' | 'api_key' | 'hmac';
/**
 * Whether a caller proved to know `secret`. Every comparison takes the same time wherever the difference is. Signatures
 * are over the bytes as they came, before anything reads them.
 */
export function isProved(
  kind: { authentication: WebhookAuthentication; scheme: SignatureScheme },
  secret: string,
  headers: CallHeaders,
  body: Buffer,
  now: number,
): boolean {
  switch (kind.authentication) {
    case 'none':
      return true;
    case 'basic': {
      const sent = credentialOf(headers['authorization'], 'basic');
      return sent !== null && isSameText(Buffer.from(sent, 'base64').toString('utf8'), secret);
    }
    case 'bearer': {
      const sent = credentialOf(headers['authorization'], 'bearer');
      return sent !== null && isSameText(sent, secret);
    }
    case 'api_key': {
      const sent = headers['x-api-key'];
      return typeof sent === 'string' && isSameText(sent, secret);
    }
    case 'hmac':
      return isSigned(kind.scheme, secret, headers, body, now);
  }
}

/** Headers that carried the credential itself: it is not data, and is not kept. */
export function credentialHeader(authentication: WebhookAuthentication): string | null {
  if (authentication === 'basic' || authentication === 'bearer') return 'authorization';
  return authentication === 'api_key' ? 'x-api-key' : null;
}

function credentialOf(header: string | readonly string[] | undefined, scheme: string): string | null {
  if (typeof header !== 'string') return null;
  const space = header.indexOf(' ');
  return space > 0 && header.slice(0, space).toLowerCase() === scheme ? header.slice(space + 1).trim() : null;
}

function isSameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(a), digest(b));
}
