import { createHash, timingSafeEqual } from 'node:crypto';
import type { SignedPart } from '../../contract/webhooks/webhook-verification.ts';
import { parseMediaType } from '../../lib/network/media-type.ts';
import type { SignatureCheck } from './webhook-sender.ts';

/** Names are in lower case. */
export type CallHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The parts of a request that signatures can cover. */
export type SignedRequest = {
  readonly method: string;
  readonly headers: CallHeaders;
  /** Without the question mark. */
  readonly query: string;
  readonly body: Buffer;
  /** The URL as the caller sent it. */
  url(): string;
};

/** Maximum length of a delivery id, in characters: with the sender's prefix it fits the column. */
export const MAX_ID_LENGTH = 235;
/** Maximum number of form fields that are sorted for a signature: the caller is not authenticated yet. */
const MAX_SIGNED_FIELDS = 10_000;
const FORM = 'application/x-www-form-urlencoded';
const SHA256_HEX = /^[0-9a-fA-F]{64}$/;

/** Returns the signed content in pieces; null when the request lacks one of them. */
export function createSignedContent(
  { signed, bodyHashQuery }: SignatureCheck,
  time: string | null,
  request: SignedRequest,
): (string | Buffer)[] | null {
  const pieces: (string | Buffer)[] = [];
  for (const [index, part] of signed.entries()) {
    const piece =
      part.kind === 'form' && readBodyHash(bodyHashQuery, request) !== null
        ? ''
        : renderPart(part, signed[index + 1], time, request);
    if (piece === null) return null;
    pieces.push(piece);
  }
  return pieces;
}

function renderPart(
  part: SignedPart,
  next: SignedPart | undefined,
  time: string | null,
  request: SignedRequest,
): string | Buffer | null {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'body':
      return request.body;
    case 'form':
      return isForm(request) ? sortedForm(request.body) : '';
    case 'method':
      return request.method;
    case 'time':
      return time;
    case 'url':
      return request.url();
    case 'header': {
      const value = request.headers[part.name];
      if (typeof value !== 'string' || value === '' || value.length > MAX_ID_LENGTH) return null;
      // Otherwise the end of the value would be ambiguous.
      return next?.kind === 'text' && value.includes(next.text.charAt(0)) ? null : value;
    }
  }
}

/** Whether the signature covers the body: directly, as sorted fields, or by a hash in the signed URL. */
export function isSignedBodyCovered(check: SignatureCheck, request: SignedRequest): boolean {
  if (request.body.length === 0 || check.signed.some(({ kind }) => kind === 'body')) return true;
  const hash = readBodyHash(check.bodyHashQuery, request);
  if (hash !== null) return matchesBodyHash(hash, request.body);
  return isForm(request) && check.signed.some(({ kind }) => kind === 'form');
}

function readBodyHash(parameter: string | null, { query }: SignedRequest): string | null {
  return parameter === null ? null : new URLSearchParams(query).get(parameter);
}

function matchesBodyHash(hash: string, body: Buffer): boolean {
  const digest = createHash('sha256').update(body).digest();
  return SHA256_HEX.test(hash) && timingSafeEqual(Buffer.from(hash, 'hex'), digest);
}

function isForm({ headers }: SignedRequest): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && parseMediaType(type) === FORM;
}

/**
 * Returns the fields by name, each as its name and its distinct values in order, without separators; null
 * when there are too many.
 */
function sortedForm(body: Buffer): string | null {
  const text = body.toString('utf8');
  let count = 1;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1))
    if (++count > MAX_SIGNED_FIELDS) return null;
  const fields = Map.groupBy(new URLSearchParams(text), ([name]) => name);
  return [...fields.keys()]
    .toSorted()
    .map((name) =>
      [...new Set(fields.get(name)?.map(([, value]) => value))]
        .toSorted()
        .map((value) => name + value)
        .join(''),
    )
    .join('');
}
