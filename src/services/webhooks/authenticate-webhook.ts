import { isSameText, isVerified } from './webhook-signature.ts';
import type { SignedRequest } from './signed-content.ts';
import type { Sender } from './webhook-sender.ts';

export const webhookAuthentications = ['none', 'basic', 'bearer', 'api_key', 'hmac', 'sender'] as const;
export type WebhookAuthentication = (typeof webhookAuthentications)[number];

/**
 * Whether the caller proved that it knows `secret` or holds the sender's private key. Every comparison takes
 * constant time. Signatures are verified over the received bytes, before they are parsed.
 */
export function authenticateWebhook(
  kind: { authentication: WebhookAuthentication; sender: Sender | null },
  secret: string | null,
  request: SignedRequest,
  now: number,
): boolean {
  const { authentication, sender } = kind;
  if (authentication === 'none') return true;
  if (sender !== null) return isVerified(sender, secret, request, now);
  if (secret === null) return false;
  const { headers } = request;
  switch (authentication) {
    case 'basic': {
      const sent = readCredential(headers['authorization'], 'basic');
      return sent !== null && isSameText(Buffer.from(sent, 'base64').toString('utf8'), secret);
    }
    case 'bearer': {
      const sent = readCredential(headers['authorization'], 'bearer');
      return sent !== null && isSameText(sent, secret);
    }
    case 'api_key': {
      const sent = headers['x-api-key'];
      return typeof sent === 'string' && isSameText(sent, secret);
    }
    default:
      return false;
  }
}

function readCredential(header: string | readonly string[] | undefined, scheme: string): string | null {
  if (typeof header !== 'string') return null;
  const space = header.indexOf(' ');
  return space > 0 && header.slice(0, space).toLowerCase() === scheme ? header.slice(space + 1).trim() : null;
}
