/** How a request's signature is located in its headers, and what it covers. */
type SignatureFields = {
  /** The header that carries one or several signatures. */
  header: string;
  /** Default: hex. */
  encoding?: 'hex' | 'base64';
  /** The prefix of a signature, such as `sha256=`; other entries of the header are ignored. */
  prefix?: string;
  /** Separates the entries of the header. Default: the header is one entry. */
  separator?: string;
  /** The signed content, with placeholders. Default: `{body}`. */
  signed?: string;
  timestampHeader?: string;
  /** The prefix of the timestamp in an entry of the signature header. */
  timestampPrefix?: string;
  /** Default: seconds. */
  timestampUnit?: 'seconds' | 'milliseconds';
  /** A duration. Default: 5m. */
  tolerance?: string;
  /**
   * A query parameter with the SHA-256 of the body in hex, for senders that sign the URL instead of the body.
   */
  bodyHashQuery?: string;
};

type DeliveryFields = {
  /** The header, or the field of the body, that identifies a delivery. */
  idHeader?: string;
  idField?: string;
};

/** How a webhook authenticates its callers. The trigger holds the secret or the public key. */
export type Verification =
  | ({ type: 'token'; header: string; prefix?: string } & DeliveryFields)
  | ({
      type: 'hmac';
      /** Default: sha256. */
      algorithm?: 'sha1' | 'sha256' | 'sha512';
      /** The encoding of the key in the secret. Default: text. */
      secretEncoding?: 'text' | 'hex' | 'base64';
      /** An optional prefix of the secret. */
      secretPrefix?: string;
    } & SignatureFields &
      DeliveryFields)
  | ({ type: 'ed25519' } & SignatureFields & DeliveryFields)
  | ({ type: 'ecdsa'; algorithm?: 'sha256' | 'sha512' } & SignatureFields & DeliveryFields);

export type SignedVerification = Exclude<Verification, { type: 'token' }>;

/** Messages signed with a certificate from Amazon; only a preset uses it. */
export type SnsVerification = { type: 'sns'; idHeader?: string; idField?: string };

/** A part of the signed content; header names in lower case. */
export type SignedPart =
  | { kind: 'text'; text: string }
  | { kind: 'body' | 'form' | 'method' | 'time' | 'url' }
  | { kind: 'header'; name: string };

export const DEFAULT_SIGNED = '{body}';
export const DEFAULT_TOLERANCE = '5m';
/**
 * Equal to the retention of delivery ids, so that a repeat is detected as long as its signature is accepted.
 */
export const MAX_TOLERANCE_MS = 86_400_000;
export const SIGNED_PLACEHOLDERS = '{body}, {form}, {time}, {url}, {method} and {header:Name}';

const PLACEHOLDER = /\{(?:(body|form|time|url|method)|header:([A-Za-z0-9!#$%&'*+.^_`|~-]+))\}/g;

/** The parts of a `signed` template; null when it contains a brace outside a placeholder. */
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
