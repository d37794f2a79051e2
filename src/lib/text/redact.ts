import { ELLIPSIS } from './truncate.ts';

/** Replaces a secret. */
export const REDACTED = '•••';
/** Shorter secrets are not redacted, since they would match almost everywhere. */
export const MIN_REDACTED_LENGTH = 4;
/** Shorter base64 fragments would match by chance. */
const MIN_BASE64_LENGTH = 6;

/** Redacts the secrets of a text. `maxLength` is that of the longest text that is redacted. */
export type Redactor = ((text: string) => string) & { readonly maxLength: number };

const nothing: Redactor = Object.assign((text: string) => text, { maxLength: 0 });

/**
 * Creates a redactor for secrets: their exact text, JSON-escaped, URL-encoded, in hex, and in base64 and
 * base64url at each of the three offsets within encoded data (`user:password`). The secret parts of a secret
 * that is a URL or JSON are redacted separately too.
 */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const forms = new Set<string>();
  for (const secret of secrets)
    for (const text of [secret, ...secretParts(secret)])
      for (const form of listSecretForms(text)) forms.add(form);
  if (forms.size === 0) return nothing;
  const { replace, redactEnd, maxLength } = createReplacer(forms);
  return Object.assign(
    (text: string) => {
      const redacted = replace(text);
      return redacted.includes(ELLIPSIS) ? redactTruncated(redacted, redactEnd) : redacted;
    },
    { maxLength },
  );
}

/** Length of the prefix by which a form is looked up: no form is shorter. */
const PREFIX_LENGTH = MIN_REDACTED_LENGTH;
/** Table entries per form. */
const TABLE_ENTRIES_PER_FORM = 16;

/**
 * Scans a text once, regardless of the number of forms; overlapping forms are redacted as one. A hash table
 * of prefixes excludes almost every position.
 */
function createReplacer(forms: ReadonlySet<string>) {
  const maybe = new Uint8Array(2 ** Math.ceil(Math.log2(forms.size * TABLE_ENTRIES_PER_FORM)));
  const last = maybe.length - 1;
  const byBeginning = new Map<string, string[]>();
  let maxLength = 0;
  for (const form of forms) {
    maxLength = Math.max(maxLength, form.length);
    const beginning = form.slice(0, PREFIX_LENGTH);
    byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), form]);
    maybe[hashAt(form, 0) & last] = 1;
  }
  const lengthAt = (text: string, at: number): number => {
    if (maybe[hashAt(text, at) & last] === 0) return 0;
    let longest = 0;
    for (const form of byBeginning.get(text.slice(at, at + PREFIX_LENGTH)) ?? [])
      if (form.length > longest && text.startsWith(form, at)) longest = form.length;
    return longest;
  };
  return {
    maxLength,
    replace(this: void, text: string): string {
      let shown = '';
      let end = 0;
      for (let at = 0; at <= text.length - PREFIX_LENGTH; at++) {
        const length = lengthAt(text, at);
        if (length === 0) continue;
        if (at >= end) shown += text.slice(end, at) + REDACTED;
        end = Math.max(end, at + length);
      }
      return end === 0 ? text : shown + text.slice(end);
    },
    /** Redacts the longest end that is the beginning of a form. */
    redactEnd(this: void, text: string): string {
      const first = Math.max(0, text.length - maxLength + 1);
      for (let at = first; at <= text.length - PREFIX_LENGTH; at++) {
        if (maybe[hashAt(text, at) & last] === 0) continue;
        const end = text.slice(at);
        const found = byBeginning.get(end.slice(0, PREFIX_LENGTH));
        if (found?.some((form) => form.length > end.length && form.startsWith(end)) === true)
          return text.slice(0, at) + REDACTED;
      }
      return text;
    },
  };
}

function hashAt(text: string, at: number): number {
  const low = text.charCodeAt(at) ^ (text.charCodeAt(at + 1) << 5);
  const hash = low ^ (text.charCodeAt(at + 2) << 10) ^ (text.charCodeAt(at + 3) << 15);
  return hash ^ (hash >>> 11);
}

/** A truncated text may end with the beginning of a secret. */
function redactTruncated(text: string, redactEnd: (text: string) => string): string {
  const pieces = text.split(ELLIPSIS);
  const last = pieces.length - 1;
  return pieces.map((piece, i) => (i === last ? piece : redactEnd(piece))).join(ELLIPSIS);
}

/** The forms in which a secret may appear; none for a secret that is too short. */
export function listSecretForms(secret: string): string[] {
  if (secret.length < MIN_REDACTED_LENGTH) return [];
  const forms = new Set([secret, JSON.stringify(secret).slice(1, -1)]);
  // In a host name: a URL has it in lower case.
  forms.add(secret.toLowerCase());
  const encoded = encodeUrl(secret);
  forms.add(encoded);
  forms.add(encoded.replaceAll('%20', '+'));
  forms.add(encoded.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  for (const form of urlForms(secret)) forms.add(form);
  const hex = Buffer.from(secret).toString('hex');
  forms.add(hex);
  forms.add(hex.toUpperCase());
  for (const offset of [0, 1, 2]) {
    for (const form of base64Forms(secret, offset)) if (form.length >= MIN_BASE64_LENGTH) forms.add(form);
  }
  return [...forms];
}

const URL_TEXT = /^[a-z][a-z0-9+.-]*:\/\/[^\s]+$/i;
const SECRET_FIELD = /token|secret|pass|key/i;
/** The id of a key, such as `access_key_id`, is part of public URLs and of error messages. */
const KEY_ID_FIELD = /key_?id$/i;
const MAX_PARTS = 100;
/** Shorter path segments and query values are treated as words. */
const MIN_SEGMENT_LENGTH = 16;
const MIN_QUERY_LENGTH = 8;

/**
 * The parts of a secret that are sent separately: the text without surrounding whitespace, which a header
 * drops, the password of a URL, and the secret fields of a JSON object.
 */
function secretParts(secret: string): string[] {
  const text = secret.trim();
  return text === secret ? innerParts(text) : [text, ...innerParts(text)];
}

function innerParts(text: string): string[] {
  if (URL_TEXT.test(text)) {
    const url = URL.parse(text);
    return url === null ? [] : urlParts(url);
  }
  if (!text.startsWith('{')) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  return Object.entries(value as object)
    .filter(
      ([name, field]) => typeof field === 'string' && SECRET_FIELD.test(name) && !KEY_ID_FIELD.test(name),
    )
    .slice(0, MAX_PARTS)
    .map(([, field]) => field as string);
}

/**
 * The password; for a web URL, which may be a secret itself, also the parts of its path and query that look
 * like secrets.
 */
function urlParts({ protocol, password, pathname, searchParams }: URL): string[] {
  const parts = password === '' ? [] : [password, decodeUrl(password)];
  if (protocol !== 'http:' && protocol !== 'https:') return parts;
  for (const segment of pathname.split('/'))
    if (segment.length >= MIN_SEGMENT_LENGTH) parts.push(segment, decodeUrl(segment));
  for (const value of searchParams.values()) if (value.length >= MIN_QUERY_LENGTH) parts.push(value);
  return parts.slice(0, MAX_PARTS);
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function encodeUrl(text: string): string {
  // A lone surrogate cannot be URL-encoded.
  return encodeURIComponent(text.toWellFormed());
}

/**
 * As encoded in a form, and in a URL into which it was inserted unencoded, where fewer characters are
 * encoded.
 */
function urlForms(secret: string): string[] {
  const plain = secret.replaceAll('#', '%23');
  const inQuery = URL.parse(`http://x/?${plain}`)?.search.slice(1);
  const inPath = URL.parse(`http://x/${plain.replaceAll('?', '%3F')}`)?.pathname.slice(1);
  return [new URLSearchParams({ x: secret }).toString().slice(2), inQuery, inPath].filter(
    (form) => form !== undefined && form.length >= MIN_REDACTED_LENGTH,
  ) as string[];
}

/** The base64 characters that only the secret determines when `offset` other bytes precede it. */
function base64Forms(secret: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const start = offset === 0 ? 0 : offset + 1;
  const sure = Math.floor((bytes.length * 8) / 6);
  return (['base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding).slice(start, sure));
}
