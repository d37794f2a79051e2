import {
  createHash,
  createHmac,
  createSecretKey,
  timingSafeEqual,
  verify,
  type KeyObject,
} from 'node:crypto';
import type { Json } from '../../lib/json/json.ts';
import { readPath } from '../../lib/json/json-path.ts';
import {
  isSignedBodyCovered,
  createSignedContent,
  MAX_ID_LENGTH,
  type SignedRequest,
} from './signed-content.ts';
import type { Sender, SignatureCheck, TokenCheck } from './webhook-sender.ts';

/** In characters. */
const MAX_HEADER_LENGTH = 2_000;
/** Maximum number of signatures in one header that are verified. */
const MAX_SIGNATURES = 20;
/** Minimum length of a key in hex or base64. Standard Webhooks requires 24 to 64 bytes. */
const MIN_KEY_BYTES = 16;
/** Maximum length of an ECDSA signature, including the largest curve. */
const MAX_ECDSA_BYTES = 150;
const ED25519_BYTES = 64;
const HEX = /^(?:[0-9a-fA-F]{2})+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DIGEST_BYTES = { sha1: 20, sha256: 32, sha512: 64 } as const;

/**
 * Whether the sender signed this request. A missing, repeated or malformed header fails the check.
 * Comparisons take constant time.
 */
export function isVerified(
  { check }: Sender,
  secret: string | null,
  request: SignedRequest,
  now: number,
): boolean {
  // The certificate from Amazon must be fetched first; see webhook-sns.ts.
  if (check.type === 'sns') return false;
  const header = request.headers[check.header];
  if (typeof header !== 'string') return false;
  if (check.type === 'token') return secret !== null && isSameToken(check, header, secret);
  if (header.length > MAX_HEADER_LENGTH) return false;
  const entries = splitHeader(check, header);
  const time = readTimestamp(check, entries, request);
  if (time !== null && !isTimely(check, time, now)) return false;
  const content = createSignedContent(check, time, request);
  if (content === null || !isSignedBodyCovered(check, request)) return false;
  const isSignature = signatureTest(check, secret, content);
  return (
    isSignature !== null &&
    entries
      .filter((entry) => entry.startsWith(check.prefix))
      .slice(0, MAX_SIGNATURES)
      .some((entry) => isSignature(entry.slice(check.prefix.length)))
  );
}

/**
 * Returns why the secret can never verify a request, as the predicate of a sentence about the secret; null
 * when it can.
 */
export function findSecretError({ check }: Sender, secret: string): string | null {
  if (check.type !== 'hmac' || check.secretEncoding === 'text' || readKey(check, secret) !== null)
    return null;
  const prefix = check.secretPrefix === '' ? '' : `, optionally after ${check.secretPrefix}`;
  return `must be a key of at least ${MIN_KEY_BYTES} bytes in ${check.secretEncoding}${prefix}`;
}

/**
 * Returns the deduplication key of a delivery, from the data that its sender signed: a resent delivery has
 * the same key, and a signed id cannot be replaced. Null when the sender signs neither an id nor a timestamp.
 */
export function findDeliveryName(sender: Sender, request: SignedRequest, body: Json): string | null {
  const { name, check, idHeader, idField } = sender;
  const fromHeader = idHeader === null ? undefined : request.headers[idHeader];
  if (typeof fromHeader === 'string' && fromHeader !== '' && fromHeader.length <= MAX_ID_LENGTH)
    return `${idHeader}:${fromHeader}`;
  const id = idField === null ? undefined : readPath(idField, body).value;
  if (typeof id === 'number') return `${name}:${id}`;
  if (typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH) return `${name}:${id}`;
  return sender.isKnownByContent && check.type !== 'token' && check.type !== 'sns'
    ? contentName(name, check, request)
    : null;
}

function contentName(name: string, check: SignatureCheck, request: SignedRequest): string | null {
  const header = request.headers[check.header];
  const time = typeof header === 'string' ? readTimestamp(check, splitHeader(check, header), request) : null;
  const content = time === null ? null : createSignedContent(check, time, request);
  if (content === null) return null;
  const hash = createHash('sha256');
  for (const piece of content) hash.update(piece);
  return `${name}:${hash.digest('hex')}`;
}

function splitHeader({ separator }: SignatureCheck, header: string): string[] {
  return separator === null ? [header] : header.split(separator).map((entry) => entry.trim());
}

/** Returns null without a timestamp, and '' when a required timestamp is missing. */
function readTimestamp(
  check: SignatureCheck,
  entries: readonly string[],
  { headers }: SignedRequest,
): string | null {
  if (check.timestampHeader !== null) {
    const time = headers[check.timestampHeader];
    return typeof time === 'string' ? time : '';
  }
  const prefix = check.timestampPrefix;
  if (prefix === null) return null;
  return entries.findLast((entry) => entry.startsWith(prefix))?.slice(prefix.length) ?? '';
}

function isTimely({ timestampUnitMs, toleranceMs }: SignatureCheck, time: string, now: number): boolean {
  return /^\d{1,15}$/.test(time) && Math.abs(now - Number(time) * timestampUnitMs) <= toleranceMs;
}

/** Returns a function that verifies one signature; null when the key is not usable. */
function signatureTest(
  check: SignatureCheck,
  secret: string | null,
  content: readonly (string | Buffer)[],
): ((signature: string) => boolean) | null {
  if (check.type !== 'hmac') return publicKeyTest(check, content);
  const key = secret === null ? null : readKey(check, secret);
  if (key === null) return null;
  const hmac = createHmac(check.algorithm, key);
  for (const piece of content) hmac.update(piece);
  const digest = hmac.digest();
  const length = DIGEST_BYTES[check.algorithm];
  return (signature) => {
    const bytes = decode(check.encoding, signature);
    return bytes?.length === length && timingSafeEqual(bytes, digest);
  };
}

function publicKeyTest(
  check: SignatureCheck,
  content: readonly (string | Buffer)[],
): ((signature: string) => boolean) | null {
  const { type, publicKey, algorithm, encoding } = check;
  if (publicKey === null) return null;
  const bytes = Buffer.concat(
    content.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
  );
  const digest = type === 'ed25519' ? null : algorithm;
  return (signature) => {
    const given = decode(encoding, signature);
    if (given === null) return false;
    if (type === 'ed25519' ? given.length !== ED25519_BYTES : given.length > MAX_ECDSA_BYTES) return false;
    return verify(digest, bytes, publicKey, given);
  };
}

function decode(encoding: 'hex' | 'base64', text: string): Buffer | null {
  return text !== '' && (encoding === 'hex' ? HEX : BASE64).test(text) ? Buffer.from(text, encoding) : null;
}

/** Reads the key of an HMAC; null when the secret contains none. */
function readKey(
  { secretEncoding, secretPrefix }: SignatureCheck,
  secret: string,
): string | KeyObject | null {
  if (secretEncoding === 'text') return secret;
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  // Some senders omit the padding of base64.
  const isEncoded = secretEncoding === 'hex' ? HEX.test(text) : /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (!isEncoded) return null;
  const key = Buffer.from(text, secretEncoding);
  // A KeyObject, because a raw key takes Node ten times as long per call.
  return key.length >= MIN_KEY_BYTES ? createSecretKey(key) : null;
}

function isSameToken({ prefix }: TokenCheck, header: string, secret: string): boolean {
  return header.startsWith(prefix) && isSameText(header.slice(prefix.length), secret);
}

export function isSameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(a), digest(b));
}
