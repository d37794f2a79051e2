import ipaddr from 'ipaddr.js';
import { normalizeAddress } from './address-ranges.ts';

/** An invalid entry of the list. The message contains the entry and the accepted formats. */
export class AllowedHostsError extends Error {
  override readonly name = 'AllowedHostsError';
}

/** Private addresses that nodes may call. */
export type AllowedHosts = {
  /** `host` is the requested name, `address` one of its addresses. */
  permits(host: string, address: string, port: number): boolean;
};

type Entry = { permits(host: string, address: string): boolean; port: number | null };

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_ENTRIES = 1000;

/**
 * Parses `10.0.0.0/8, 127.0.0.1:9000, [::1]:9000, fd00::/8, printer.local:631`: addresses, CIDR ranges and
 * host names, each with a port or for all ports. An empty text allows nothing. @throws {AllowedHostsError}
 */
export function parseAllowedHosts(text: string): AllowedHosts {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length > MAX_ENTRIES) throw new AllowedHostsError(`must have at most ${MAX_ENTRIES} entries`);
  const entries = parts.map(parseEntry);
  return {
    permits(host, address, port) {
      if (entries.length === 0) return false;
      const name = normalizeHost(host);
      return entries.some(
        (entry) => (entry.port === null || entry.port === port) && entry.permits(name, address),
      );
    },
  };
}

/** Normalizes a host name: lower case, without trailing dot and brackets. */
export function normalizeHost(host: string): string {
  const bare = host.startsWith('[') ? host.slice(1, -1) : host;
  return bare.toLowerCase().replace(/\.$/, '');
}

function parseEntry(part: string): Entry {
  const { host, port } = splitPort(part);
  if (host.includes('/')) return { permits: inRange(part, host), port };
  const address = normalizeAddress(host);
  if (address !== null) return { permits: (_host, other) => normalizeAddress(other) === address, port };
  const name = normalizeHost(host);
  const labels = name.split('.');
  if (!labels.every((label) => LABEL.test(label)) || /^[\d.]+$/.test(name) || name.length > 253)
    throw entryError(part, 'is not an address, a CIDR range or a host name');
  return { permits: (other) => other === name, port };
}

function splitPort(part: string): { host: string; port: number | null } {
  const bracketed = /^\[([^\]]*)\](?::(.*))?$/.exec(part);
  if (bracketed !== null) return { host: bracketed[1] ?? '', port: parsePort(part, bracketed[2]) };
  const colon = part.indexOf(':');
  // Several colons without brackets: an IPv6 address or range without a port.
  if (colon === -1 || part.includes(':', colon + 1)) return { host: part, port: null };
  return { host: part.slice(0, colon), port: parsePort(part, part.slice(colon + 1)) };
}

function parsePort(part: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw entryError(part, 'has a port outside 1 to 65535');
  return port;
}

function inRange(part: string, text: string): Entry['permits'] {
  // Tools interpret short forms such as 10.0.0/8 differently.
  const isRange = text.includes(':') || /^\d{1,3}(?:\.\d{1,3}){3}\//.test(text);
  if (!isRange || !ipaddr.isValidCIDR(text)) throw entryError(part, 'is not a CIDR range');
  const [base, bits] = ipaddr.parseCIDR(text);
  return (_host, address) => {
    const canonical = normalizeAddress(address);
    if (canonical === null) return false;
    const parsed = ipaddr.parse(canonical);
    return parsed.kind() === base.kind() && parsed.match(base as ipaddr.IPv4 & ipaddr.IPv6, bits);
  };
}

function entryError(part: string, issue: string): AllowedHostsError {
  return new AllowedHostsError(
    `${JSON.stringify(part)} ${issue}; entries must be addresses, CIDR ranges or host names with an optional port, such as 10.0.0.0/8, 127.0.0.1:9000, [::1]:9000, printer.local:631`,
  );
}
