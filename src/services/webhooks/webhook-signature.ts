import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { isObject, type Json } from '../../lib/json.ts';

/** Lower-case names. */
export type CallHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;
export const signatureSchemes = ['weft', 'standard', 'github', 'stripe', 'slack'] as const;
export type SignatureScheme = (typeof signatureSchemes)[number];
type Header = CallHeaders[string];

/** ms that a signature's time may lie in the past or the future. */
const TIME_WINDOW = 300_000;
const MAX_HEADER = 2_000;
/** Bytes. */
const MAX_HANDSHAKE = 4_096;
const MAX_ID = 255;
/** Bytes. The standard has 24 to 64. */
const MIN_KEY = 16;
const SHA256_HEX = /^[0-9a-fA-F]{64}$/;
/** 32 bytes. */
const SHA256_BASE64 = /^[A-Za-z0-9+/]{43}=$/;

/**
 * Whether the sender signed these bytes with `secret`, as its scheme has it. A header that is missing, given twice or not in
 * the scheme's form proves nothing. The comparison takes the same time wherever the difference is.
 */
export function isSigned(
  scheme: SignatureScheme,
  secret: string,
  headers: CallHeaders,
  body: Buffer,
  now: number,
): boolean {
  switch (scheme) {
    case 'weft':
      return isTimedSigned(headers['x-weft-signature'], secret, body, now);
    case 'stripe':
      return isTimedSigned(headers['stripe-signature'], secret, body, now);
    case 'github':
      return isGithubSigned(headers['x-hub-signature-256'], secret, body);
    case 'slack':
      return isSlackSigned(headers, secret, body, now);
    case 'standard':
      return isStandardSigned(headers, secret, body, now);
  }
}

/** Why no signature can ever be checked with this secret; null when it can. */
export function secretFault(scheme: SignatureScheme, secret: string): string | null {
  return scheme === 'standard' && standardKey(secret) === null
    ? 'is not a secret of Standard Webhooks, which is whsec_ and at least 16 bytes in base64'
    : null;
}

/**
 * What tells an event apart by what its sender signed, so that a delivery sent twice, by the sender or by someone who caught
 * it, is the same one: nobody can give it another name. Null for the schemes that sign no name.
 */
export function signedName(
  scheme: SignatureScheme,
  headers: CallHeaders,
  body: Json,
  bytes: Buffer,
): string | null {
  switch (scheme) {
    case 'weft':
    case 'github':
      return null;
    case 'standard':
      return `webhook-id:${textOf(headers['webhook-id']) ?? ''}`;
    case 'stripe':
      return (
        eventName('stripe', body, 'id') ??
        `stripe:${digestOf(timedParts(headers['stripe-signature'])?.time ?? '', bytes)}`
      );
    case 'slack':
      return (
        eventName('slack', body, 'event_id') ??
        `slack:${digestOf(textOf(headers['x-slack-request-timestamp']) ?? '', bytes)}`
      );
  }
}

/** The answer that a sender wants before it delivers anything; null when this is a delivery. */
export function handshakeAnswer(scheme: SignatureScheme, bytes: Buffer): { challenge: string } | null {
  if (scheme !== 'slack' || bytes.length > MAX_HANDSHAKE || !bytes.includes('url_verification')) return null;
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
  if (!isObject(body) || body['type'] !== 'url_verification') return null;
  const { challenge } = body;
  return typeof challenge === 'string' ? { challenge } : null;
}

function eventName(sender: string, body: Json, field: string): string | null {
  const id = isObject(body) && Object.hasOwn(body, field) ? body[field] : null;
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID - 10 ? `${sender}:${id}` : null;
}

function digestOf(time: string, bytes: Buffer): string {
  return createHash('sha256').update(`${time}.`).update(bytes).digest('hex');
}

function isGithubSigned(header: Header, secret: string, body: Buffer): boolean {
  if (typeof header !== 'string' || !header.startsWith('sha256=')) return false;
  return isSameHex(header.slice('sha256='.length), createHmac('sha256', secret).update(body).digest());
}

/** `v0=<hex>` over `v0:<unix seconds>:<body>`. */
function isSlackSigned(headers: CallHeaders, secret: string, body: Buffer, now: number): boolean {
  const header = headers['x-slack-signature'];
  const time = headers['x-slack-request-timestamp'];
  if (typeof header !== 'string' || !header.startsWith('v0=') || !isTimely(time, now)) return false;
  const digest = createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest();
  return isSameHex(header.slice('v0='.length), digest);
}

/** `v1,<base64>` over `<id>.<unix seconds>.<body>`, several of them with spaces between, so that a key can be changed. */
function isStandardSigned(headers: CallHeaders, secret: string, body: Buffer, now: number): boolean {
  const id = headers['webhook-id'];
  const time = headers['webhook-timestamp'];
  const header = headers['webhook-signature'];
  const key = standardKey(secret);
  // A dot in the id would leave open where it ends.
  if (key === null || typeof id !== 'string' || id === '' || id.length > MAX_ID - 20 || id.includes('.'))
    return false;
  if (typeof header !== 'string' || header.length > MAX_HEADER || !isTimely(time, now)) return false;
  // As a key object: bytes cost Node ten times as much.
  const digest = createHmac('sha256', createSecretKey(key)).update(`${id}.${time}.`).update(body).digest();
  return header.split(' ').some((one) => one.startsWith('v1,') && isSameBase64(one.slice(3), digest));
}

/** The bytes behind `whsec_`; null for what is no base64, or too short to keep anybody out. Senders show it without, too. */
function standardKey(secret: string): Buffer | null {
  const text = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const key = Buffer.from(text, 'base64');
  return key.length >= MIN_KEY ? key : null;
}

/** `t=<unix seconds>,v1=<hex>` over `<t>.<body>`; several `v1` are taken, so that a key can be changed without a gap. */
function isTimedSigned(header: Header, secret: string, body: Buffer, now: number): boolean {
  const parts = timedParts(header);
  if (parts === null || !isTimely(parts.time, now)) return false;
  const digest = createHmac('sha256', secret).update(`${parts.time}.`).update(body).digest();
  return parts.signatures.some((signature) => isSameHex(signature, digest));
}

function timedParts(header: Header): { time: string; signatures: string[] } | null {
  if (typeof header !== 'string' || header.length > MAX_HEADER) return null;
  let time: string | null = null;
  const signatures: string[] = [];
  for (const part of header.split(',')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === 't' && value !== undefined) time = value;
    else if (name === 'v1' && value !== undefined) signatures.push(value);
  }
  return time === null ? null : { time, signatures };
}

function isTimely(time: Header, now: number): time is string {
  return (
    typeof time === 'string' && /^\d{1,12}$/.test(time) && Math.abs(now - Number(time) * 1000) <= TIME_WINDOW
  );
}

function isSameHex(sent: string, digest: Buffer): boolean {
  return SHA256_HEX.test(sent) && timingSafeEqual(Buffer.from(sent, 'hex'), digest);
}

function isSameBase64(sent: string, digest: Buffer): boolean {
  return SHA256_BASE64.test(sent) && timingSafeEqual(Buffer.from(sent, 'base64'), digest);
}

function textOf(header: Header): string | null {
  return typeof header === 'string' ? header : null;
}
