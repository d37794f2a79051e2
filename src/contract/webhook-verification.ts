/** How a request's signature is found in its headers, and what it covers. */
type SignatureFields = {
  /** The header that carries the signature, or several of them. */
  header: string;
  /** Default: hex. */
  encoding?: 'hex' | 'base64';
  /** What stands before a signature, such as `sha256=`; other entries of the header are ignored. */
  prefix?: string;
  /** What separates the entries of the header. Default: the header is one entry. */
  separator?: string;
  /** What is signed, with placeholders. Default: `{body}`. */
  signed?: string;
  timestampHeader?: string;
  /** What stands before the time in an entry of the signature header. */
  timestampPrefix?: string;
  /** Default: seconds. */
  timestampUnit?: 'seconds' | 'milliseconds';
  /** A duration. Default: 5m. */
  tolerance?: string;
  /** A query parameter with the SHA-256 of the body in hex, for senders that sign the address instead of the body. */
  bodyHashQuery?: string;
};

type DeliveryFields = {
  /** The header, or the field of the body, that identifies a delivery. */
  idHeader?: string;
  idField?: string;
};

/** How a webhook checks its callers. The secret or the public key stands beside it in the trigger. */
export type Verification =
  | ({ type: 'token'; header: string; prefix?: string } & DeliveryFields)
  | ({
      type: 'hmac';
      /** Default: sha256. */
      algorithm?: 'sha1' | 'sha256' | 'sha512';
      /** How the secret holds the key. Default: text. */
      secretEncoding?: 'text' | 'hex' | 'base64';
      /** What the secret may begin with besides the key. */
      secretPrefix?: string;
    } & SignatureFields &
      DeliveryFields)
  | ({ type: 'ed25519' } & SignatureFields & DeliveryFields)
  | ({ type: 'ecdsa'; algorithm?: 'sha256' | 'sha512' } & SignatureFields & DeliveryFields);

export type SignedVerification = Exclude<Verification, { type: 'token' }>;

/** Messages that are signed with a certificate of Amazon; only a preset has it. */
export type SnsVerification = { type: 'sns'; idHeader?: string; idField?: string };

/** A piece of what is signed; header names in lower case. */
export type SignedPart =
  | { kind: 'text'; text: string }
  | { kind: 'body' | 'form' | 'method' | 'time' | 'url' }
  | { kind: 'header'; name: string };

export const DEFAULT_SIGNED = '{body}';
export const DEFAULT_TOLERANCE = '5m';
/** As long as the ids of deliveries are kept, so that a repeat is recognised for as long as its signature is accepted. */
export const MAX_TOLERANCE_MS = 86_400_000;
export const SIGNED_PLACEHOLDERS = '{body}, {form}, {time}, {url}, {method} and {header:Name}';

const PLACEHOLDER = /\{(?:(body|form|time|url|method)|header:([A-Za-z0-9!#$%&'*+.^_`|~-]+))\}/g;

/** The parts of a `signed` text; null when it holds a brace that belongs to no placeholder. */
export function parseSigned(text: string): SignedPart[] | null {
  const parts: SignedPart[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) });
    const [whole, kind, header] = match;
    if (header !== undefined) parts.push({ kind: 'header', name: header.toLowerCase() });
    else parts.push({ kind: kind as 'body' });
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  return parts.some((part) => part.kind === 'text' && /[{}]/.test(part.text)) ? null : parts;
}
