import type { MailAddress } from '../../contract/mail.ts';

/** RFC 5321 §4.5.3.1, in bytes. */
const MAX_LOCAL_BYTES = 64;
const MAX_ADDRESS_BYTES = 254;
const MAX_NAME_LENGTH = 200;
const MAX_TEXT_LENGTH = 64 * 1024;
/** Line breaks of any script, other control characters and invisible characters. */
const CONTROL_CHARACTERS = /[\p{C}\u2028\u2029]/u;
/** Characters allowed in an unquoted local part. Non-ASCII letters require a server with SMTPUTF8. */
const LOCAL = /^[^\s"(),:;<>@[\\\]\p{C}]+$/u;
const DOMAIN = /^[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}.-]*[\p{L}\p{M}\p{N}])?$/u;
const ASCII_DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,62})(?:\.[a-z0-9](?:[a-z0-9-]{0,62}))*$/;
const ISSUE = 'must be addresses such as ada@example.com or Ada Lovelace <ada@example.com>';

/**
 * Parses comma-separated addresses: `ada@example.com, "Babbage, Charles" <cb@example.com>`. Characters that
 * could start a new header line are rejected, never removed. Returns a string with the error if the text is
 * invalid.
 */
export function readAddresses(text: string): MailAddress[] | string {
  if (text.length > MAX_TEXT_LENGTH) return `must have at most ${MAX_TEXT_LENGTH} characters`;
  if (CONTROL_CHARACTERS.test(text)) return 'must not contain line breaks or other control characters';
  const found: MailAddress[] = [];
  for (const part of splitList(text)) {
    if (part.trim() === '') continue;
    const read = readAddress(part.trim());
    if (typeof read === 'string') return read;
    found.push(read);
  }
  return found;
}

/** Splits at commas outside quotes and angle brackets. */
function splitList(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  let isAngled = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (isQuoted && char === '\\') i++;
    else if (char === '"' && !isAngled) isQuoted = !isQuoted;
    else if (char === '<' && !isQuoted) isAngled = true;
    else if (char === '>' && !isQuoted) isAngled = false;
    else if (char === ',' && !isQuoted && !isAngled) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function readAddress(text: string): MailAddress | string {
  if (!text.endsWith('>')) return createAddress('', text);
  const open = text.lastIndexOf('<');
  if (open === -1) return ISSUE;
  const name = readName(text.slice(0, open).trim());
  return name === null ? ISSUE : createAddress(name, text.slice(open + 1, -1).trim());
}

function readName(text: string): string | null {
  const isQuoted = text.startsWith('"');
  if (isQuoted && (text.length < 2 || !text.endsWith('"'))) return null;
  const name = isQuoted ? text.slice(1, -1).replaceAll(/\\(.)/gu, '$1') : text;
  if (name.length > MAX_NAME_LENGTH || (!isQuoted && /[<>"]/.test(name))) return null;
  return name;
}

function createAddress(name: string, address: string): MailAddress | string {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  if (at < 1 || !LOCAL.test(local) || local.startsWith('.') || local.endsWith('.') || local.includes('..'))
    return ISSUE;
  const domain = toAsciiDomain(address.slice(at + 1));
  if (domain === null) return ISSUE;
  const whole = `${local}@${domain}`;
  if (countBytes(local) > MAX_LOCAL_BYTES || countBytes(whole) > MAX_ADDRESS_BYTES)
    return 'must not have an address that is too long';
  return { name, address: whole };
}

/** Converts a domain to lower-case ASCII (xn--…); null if it is not a domain. */
function toAsciiDomain(domain: string): string | null {
  if (!DOMAIN.test(domain) || domain.length > 253) return null;
  const host = URL.parse(`http://${domain}/`)?.hostname ?? '';
  // A numeric last label would be parsed as an IPv4 address: 1 becomes 0.0.0.1.
  return ASCII_DOMAIN.test(host) && !/^[\d.]+$/.test(host) ? host : null;
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
