import { isIP } from 'node:net';
import { readProxyUrl } from '../../lib/network/proxy-url.ts';
import { parseAllowedHosts, plainHost } from '../allowed-hosts.ts';
import { httpFailure } from './http-failure.ts';

/** A proxy to go through. `isOwn`: the service's own, which may lie anywhere; a node's is checked like any other host. */
export type Proxy = {
  host: string;
  port: number;
  secure: boolean;
  /** `host:port`. */
  shown: string;
  authorization: string | null;
  isOwn: boolean;
};

/** The service's proxy: its URL, and the hosts that are called without it. */
export type ProxySetting = { url: string; except: readonly string[] };

/** @throws {HttpFailure} validation */
export function readProxy(text: string, isOwn: boolean): Proxy {
  const read = readProxyUrl(text);
  if (read === null)
    throw httpFailure('validation', 'The proxy takes http:// or https:// and a host, nothing behind', false);
  const { host, port, secure, credentials } = read;
  return {
    host,
    port,
    secure,
    shown: `${isIP(host) === 6 ? `[${host}]` : host}:${port}`,
    authorization: credentials === null ? null : `Basic ${Buffer.from(credentials).toString('base64')}`,
    isOwn,
  };
}

/** Reads names, `.suffixes`, addresses and CIDR ranges, each with or without `:port`; a range counts for an address in a URL. */
export function parseExceptions(entries: readonly string[]): (host: string, port: number) => boolean {
  const suffixes = entries.filter((entry) => entry.startsWith('.'));
  const others = parseAllowedHosts(entries.filter((entry) => !entry.startsWith('.')).join(','));
  return (host, port) =>
    others.permits(host, isIP(host) === 0 ? '' : host, port) ||
    suffixes.some((suffix) => host.endsWith(suffix.toLowerCase()));
}

/** Behind a proxy nobody here looks names up: those that mean this machine everywhere are told by their text. */
export function isLocalName(host: string): boolean {
  const name = plainHost(host);
  return name === 'localhost' || name.endsWith('.localhost');
}
