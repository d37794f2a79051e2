import ipaddr from 'ipaddr.js';
import { parseDuration } from '../time/duration.ts';

/** Parsers of settings: the value, or null when the text is invalid. */

export function readInteger(min: number, max: number): (text: string) => number | null {
  return (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : null;
  };
}

export function readLimit(text: string): { limit: number | null } | null {
  if (text === 'unlimited') return { limit: null };
  const limit = readInteger(1, 1_000_000_000)(text);
  return limit === null ? null : { limit };
}

export function createChoiceParser<T extends string>(names: readonly T[]): (text: string) => T | null {
  return (text) => names.find((name) => name === text) ?? null;
}

/** Text with a number of characters (code points) in this range. */
export function readText(min: number, max: number): (text: string) => string | null {
  return (text) => {
    const length = Array.from(text).length;
    return length >= min && length <= max ? text : null;
  };
}

/** An address or a host name to listen on. */
export function readHost(text: string): string | null {
  return ipaddr.isValid(text) || isHostName(text) ? text : null;
}

/** An http(s) URL without query; its path is kept, without a trailing slash. */
export function readUrl(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return null;
  return url.href.replace(/\/+$/, '');
}

/** An https URL; http is allowed only for loopback hosts. */
export function readRegistry(text: string): { url: string | null } | null {
  if (text === 'off') return { url: null };
  const url = readUrl(text);
  if (url === null) return null;
  const { protocol, hostname } = new URL(url);
  const isHere = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/.test(hostname);
  return protocol === 'https:' || isHere ? { url } : null;
}

/** An origin, or `*` for all origins. */
export function readOrigin(text: string): string | null {
  return text === '*' ? text : readSingleOrigin(text);
}

/** An http or https URL without path, query and credentials. */
export function readSingleOrigin(text: string): string | null {
  const url = readUrl(text);
  return url !== null && new URL(url).origin === url ? url : null;
}

export function readTimeZone(text: string): string | null {
  // The default: validating it would load the time zone data at every start.
  if (text === 'UTC') return text;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone === undefined
      ? null
      : text;
  } catch {
    return null;
  }
}

export function readPositiveDuration(text: string): number | null {
  const ms = parseDuration(text);
  return ms !== null && ms > 0 ? ms : null;
}

/** A duration, or `0` for none. */
export function readDurationOrZero(text: string): number | null {
  return text === '0' ? 0 : parseDuration(text);
}

/** `400d`: whole days within these limits, as ms. */
export function readDays(fewest: number, most: number): (text: string) => number | null {
  return (text) => {
    const days = Number(/^(\d{1,6})d$/.exec(text)?.[1] ?? Number.NaN);
    return days >= fewest && days <= most ? days * 86_400_000 : null;
  };
}

/** `500mb`, `2gb`: bytes, in steps of 1024; at most 1000gb. */
export function readSize(text: string): number | null {
  const [, count = '', unit = ''] = /^(\d{1,12})(b|kb|mb|gb)$/i.exec(text) ?? [];
  const bytes = Number(count) * 1024 ** ['b', 'kb', 'mb', 'gb'].indexOf(unit.toLowerCase());
  return count !== '' && bytes >= 1 && bytes <= 1000 * 1024 ** 3 ? bytes : null;
}

/** A comma-separated list; null when it is empty or an entry is invalid. */
export function readList<T>(readEntry: (text: string) => T | null): (text: string) => T[] | null {
  return (text) => {
    const entries = text.split(',').map((entry) => readEntry(entry.trim()));
    return entries.includes(null) ? null : (entries as T[]);
  };
}

const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal'];

export function readProxy(text: string): string | null {
  return PROXY_NAMES.includes(text) || isAddress(text) || isRange(text) ? text : null;
}

/**
 * An address, a CIDR range or a host name, each with or without `:port` (`[…]:port` for IPv6). Lower case.
 */
export function readAllowedHost(text: string): string | null {
  const entry = text.toLowerCase();
  if (isAddress(entry) || isRange(entry)) return entry;
  const [, location = '', port] = /^(.+?)(?::(\d{1,5}))?$/.exec(entry) ?? [];
  if (port !== undefined && readInteger(1, 65_535)(port) === null) return null;
  const inBrackets = /^\[(.+)\]$/.exec(location)?.[1];
  if (inBrackets !== undefined) return isAddress(inBrackets) || isRange(inBrackets) ? entry : null;
  if (location.includes(':')) return null;
  return isAddress(location) || isRange(location) || isHostName(location) ? entry : null;
}

/** As `readAllowedHost`, or `.example.com` for all its subdomains. */
export function readUnproxied(text: string): string | null {
  if (!text.startsWith('.')) return readAllowedHost(text);
  return isHostName(text.slice(1)) ? text.toLowerCase() : null;
}

function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

function isRange(text: string): boolean {
  return text.includes('/') && isAddress(text.slice(0, text.indexOf('/'))) && ipaddr.isValidCIDR(text);
}

/** A name of only digits and dots is rejected as a mistyped address. */
function isHostName(text: string): boolean {
  const label = /^(?!-)[A-Za-z0-9_-]{1,63}$/;
  const labels = text.split('.');
  return (
    text.length <= 253 &&
    !/^[\d.]+$/.test(text) &&
    labels.every((one) => label.test(one) && !one.endsWith('-'))
  );
}

/** A PostgreSQL URL, unchanged. */
export function readDatabaseUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, pathname, hostname, searchParams } = new URL(text);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') return null;
  return pathname.length > 1 && (hostname !== '' || searchParams.has('host')) ? text : null;
}

export function readRedisUrl(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, pathname, searchParams } = new URL(text);
  // Only the scheme decides whether TLS is used.
  if (searchParams.has('tls')) return null;
  return ['redis:', 'rediss:'].includes(protocol) && hostname !== '' && /^(\/\d*)?$/.test(pathname)
    ? text
    : null;
}

/** A PostgreSQL URL for display: without user and password. */
export function readDatabaseName(url: string): string {
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  return `PostgreSQL, ${host}${host.startsWith('/') ? '' : `:${port === '' ? '5432' : port}`}${pathname}`;
}
