import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Lower-case names. */
export type CallHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
export type WebhookAuthentication = 'none' | 'basic' | 'bearer' | 'api_key' | 'hmac';
export type SignatureScheme = 'weft' | 'github';

/** ms that a signature's time may lie in the past or the future. */
const TIME_WINDOW = 300_000;

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
      return kind.scheme === 'github'
        ? isGithubSigned(headers['x-hub-signature-256'], secret, body)
        : isWeftSigned(headers['x-weft-signature'], secret, body, now);
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

function isSameHex(sent: string, digest: Buffer): boolean {
  return /^[0-9a-fA-F]{64}$/.test(sent) && timingSafeEqual(Buffer.from(sent, 'hex'), digest);
}

function isGithubSigned(
  header: string | readonly string[] | undefined,
  secret: string,
  body: Buffer,
): boolean {
  if (typeof header !== 'string' || !header.startsWith('sha256=')) return false;
  return isSameHex(header.slice('sha256='.length), createHmac('sha256', secret).update(body).digest());
}

/** `t=<unix seconds>,v1=<hex>`; several `v1` are taken, so that a key can be changed without a gap. */
function isWeftSigned(
  header: string | readonly string[] | undefined,
  secret: string,
  body: Buffer,
  now: number,
): boolean {
  if (typeof header !== 'string' || header.length > 2_000) return false;
  let time: string | null = null;
  const signatures: string[] = [];
  for (const part of header.split(',')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === 't' && value !== undefined) time = value;
    else if (name === 'v1' && value !== undefined) signatures.push(value);
  }
  if (time === null || !/^\d{1,12}$/.test(time) || Math.abs(now - Number(time) * 1000) > TIME_WINDOW)
    return false;
  const digest = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return signatures.some((signature) => isSameHex(signature, digest));
}
