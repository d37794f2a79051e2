import { verify, X509Certificate, type KeyObject } from 'node:crypto';
import { WeftError } from '../../contract/errors.ts';
import type { HttpRequest, HttpResponse } from '../../contract/node-type.ts';
import { isObject } from '../../lib/json/json.ts';
import { requireJsonBounds } from '../../lib/json/parse-json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SnsCheck } from './webhook-sender.ts';

/** SNS allows 256 KiB before JSON escaping. */
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** A message is one object of strings with one object of attributes. */
const MESSAGE_JSON = { values: 1_000, depth: 8, names: 500 };
/**
 * The maximum age of a message: the time for which delivery ids are kept. A message from the future is
 * accepted only within a small clock difference.
 */
const MAX_AGE_MS = 86_400_000;
const MAX_AHEAD_MS = 300_000;
const FETCH_TIMEOUT_MS = 10_000;
const MAX_CERTIFICATE_BYTES = 64 * 1024;
const MAX_RESPONSE_BYTES = 256 * 1024;
/** Limits of the certificate cache: entries, lifetime, and concurrent fetches. */
const MAX_CERTIFICATES = 100;
const CERTIFICATE_LIFETIME_MS = 86_400_000;
const MAX_FETCHES = 4;

const AMAZON_HOST = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(?:\.cn)?$/;
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[0-9A-Za-z]{1,100}\.pem$/;

type MessageType = 'Notification' | 'SubscriptionConfirmation' | 'UnsubscribeConfirmation';
export type SnsMessage = { readonly type: MessageType; readonly subscribeUrl: string | null };

/**
 * The signed fields of each message type, in order: the name and the value of each field that is present,
 * each followed by a line break.
 */
const SIGNED_FIELDS: Readonly<Record<MessageType, readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};
const OPTIONAL_FIELDS: ReadonlySet<string> = new Set(['Subject']);
/** By `SignatureVersion`. */
const DIGESTS: Readonly<Record<string, string>> = { '1': 'sha1', '2': 'sha256' };

export type SnsDeps = {
  /**
   * Sends a request through the egress policy; `checkHost` is called before every hop and throws to reject
   * it.
   */
  send: (
    request: HttpRequest,
    signal: AbortSignal,
    checkHost: (host: string, port: number) => void,
  ) => Promise<HttpResponse>;
  clock: Pick<Clock, 'now'>;
};

/**
 * Verifies messages of Amazon SNS and confirms subscriptions. Certificates and confirmations are fetched only
 * from hosts of Amazon.
 */
export function createSns({ send, clock }: SnsDeps) {
  const certificates = new Map<string, { key: Promise<KeyObject>; fetchedAt: number }>();
  let fetches = 0;

  async function get(url: string, maxBytes: number): Promise<Uint8Array> {
    const request: HttpRequest = {
      method: 'GET',
      url,
      redirect: 'return',
      timeout: FETCH_TIMEOUT_MS,
      maxBytes,
    };
    const { status, body } = await send(request, new AbortController().signal, requireAmazon);
    if (status !== 200) throw new Error(`The server responded with status ${status}.`);
    return body;
  }

  async function fetchKey(url: string): Promise<KeyObject> {
    fetches++;
    try {
      const certificate = new X509Certificate(await get(url, MAX_CERTIFICATE_BYTES));
      const now = clock.now();
      if (now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo))
        throw new Error('The certificate is not valid now.');
      return certificate.publicKey;
    } finally {
      fetches--;
    }
  }

  /** @throws {WeftError} with a code after which Amazon delivers again. */
  async function fetchSigningKey(url: string): Promise<KeyObject> {
    const known = certificates.get(url);
    const isFresh = known !== undefined && clock.now() - known.fetchedAt < CERTIFICATE_LIFETIME_MS;
    if (!isFresh && fetches >= MAX_FETCHES)
      throw new WeftError('RATE_LIMITED', 'Too many certificates are being fetched.', {
        reason: 'capacity',
        limit: MAX_FETCHES,
        retry_after: 5,
      });
    const key = isFresh ? known.key : fetchKey(url);
    if (!isFresh) {
      certificates.delete(url);
      certificates.set(url, { key, fetchedAt: clock.now() });
      if (certificates.size > MAX_CERTIFICATES) certificates.delete(certificates.keys().next().value ?? '');
    }
    try {
      return await key;
    } catch (error) {
      if (certificates.get(url)?.key === key) certificates.delete(url);
      throw new WeftError('INTERNAL_ERROR', 'The certificate of Amazon SNS could not be fetched.', {}, error);
    }
  }

  return {
    /** Returns null when the message is not signed by Amazon, is for another topic, or is too old. */
    async verify({ topicArns }: SnsCheck, bytes: Buffer): Promise<SnsMessage | null> {
      const fields = bytes.length > MAX_MESSAGE_BYTES ? null : readFields(bytes);
      if (fields === null || !topicArns.has(fields['TopicArn'] ?? '')) return null;
      const type = fields['Type'] as MessageType;
      const content = signedText(type, fields);
      const digest = DIGESTS[fields['SignatureVersion'] ?? ''];
      const age = clock.now() - Date.parse(fields['Timestamp'] ?? '');
      // An invalid time yields NaN, for which every comparison is false.
      if (content === null || digest === undefined || !(age < MAX_AGE_MS && age > -MAX_AHEAD_MS)) return null;
      const certificateUrl = fields['SigningCertURL'] ?? '';
      if (!isAmazonUrl(certificateUrl, CERTIFICATE_PATH)) return null;
      const key = await fetchSigningKey(certificateUrl);
      const signature = Buffer.from(fields['Signature'] ?? '', 'base64');
      if (key.asymmetricKeyType !== 'rsa' || !verify(digest, Buffer.from(content), key, signature))
        return null;
      return { type, subscribeUrl: fields['SubscribeURL'] ?? null };
    },

    /** @throws {WeftError} with a code after which Amazon retries. */
    async confirm(subscribeUrl: string): Promise<void> {
      try {
        if (!isAmazonUrl(subscribeUrl, /^\/$/)) throw new Error('The URL is not on a host of Amazon.');
        await get(subscribeUrl, MAX_RESPONSE_BYTES);
      } catch (error) {
        throw new WeftError(
          'INTERNAL_ERROR',
          'The subscription could not be confirmed at Amazon SNS.',
          {},
          error,
        );
      }
    },
  };
}

/** Returns the string fields of a message; null when the body is not a message. */
function readFields(bytes: Buffer): Partial<Record<string, string>> | null {
  let message: unknown;
  try {
    const text = bytes.toString('utf8');
    requireJsonBounds(text, MESSAGE_JSON);
    message = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(message)) return null;
  const { Type: type } = message;
  if (typeof type !== 'string' || !Object.hasOwn(SIGNED_FIELDS, type)) return null;
  return Object.fromEntries(
    Object.entries(message).filter((field): field is [string, string] => typeof field[1] === 'string'),
  );
}

function signedText(type: MessageType, fields: Partial<Record<string, string>>): string | null {
  let text = '';
  for (const name of SIGNED_FIELDS[type]) {
    const value = fields[name];
    if (value !== undefined) text += `${name}\n${value}\n`;
    else if (!OPTIONAL_FIELDS.has(name)) return null;
  }
  return text;
}

function isAmazonUrl(text: string, path: RegExp): boolean {
  if (text.length > 2_000 || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (
    url.protocol === 'https:' &&
    url.port === '' &&
    url.username === '' &&
    url.password === '' &&
    AMAZON_HOST.test(url.hostname) &&
    path.test(url.pathname)
  );
}

function requireAmazon(host: string, port: number): void {
  if (!AMAZON_HOST.test(host) || port !== 443)
    throw new Error(`${host}:${port} is not a host of Amazon SNS.`);
}
