import { isIP } from 'node:net';
import { readProxyUrl } from '../../lib/network/proxy-url.ts';
import { parseAllowedHosts, normalizeHost } from '../allowed-hosts.ts';
import { httpFailure } from './http-failure.ts';

/**
 * A proxy. `isOwn`: the service's own proxy, which may have any address; a node's proxy is checked like any
 * other host.
 */
export type Proxy = {
  host: string;
  port: number;
  secure: boolean;
  /** `host:port`. */
  shown: string;
  authorization: string | null;
  isOwn: boolean;
};

/** The proxy setting of the service: its URL and the hosts that bypass it. */
export type ProxySetting = { url: string; except: readonly string[] };

/** @throws {HttpFailure} validation */
export function readProxy(text: string, isOwn: boolean): Proxy {
  const read = readProxyUrl(text);
  if (read === null)
    throw httpFailure(
      'validation',
      'The proxy must be http:// or https:// and a host, without a path',
      false,
    );
  const { host, port, isSecure: secure, credentials } = read;
  return {
    host,
    port,
    secure,
    shown: `${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
    authorization: credentials === null ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
    isOwn,
  };
}

/**
 * Parses names, `.suffixes`, addresses and CIDR ranges, each with or without `:port`. A range applies to
 * addresses in URLs.
 */
export function parseExceptions(entries: readonly string[]): (host: string, port: number) => boolean {
  const suffixes = entries.filter((entry) => entry.startsWith('.'));
  const others = parseAllowedHosts(entries.filter((entry) => !entry.startsWith('.')).join(','));
  return (host, port) =>
    others.permits(host, isIP(host) === 0 ? '' : host, port) ||
    suffixes.some((suffix) => host.endsWith(suffix.toLowerCase()));
}

/**
 * Names that always refer to this machine. With a proxy, names are not resolved here, so they are recognized
 * by their text.
 */
export function isLocalName(host: string): boolean {
  const name = normalizeHost(host);
  return name === 'localhost' || name.endsWith('.localhost');
}
