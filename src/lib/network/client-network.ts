import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The key by which limits and throttles count a client: its IPv4 address, or the /64 network of its IPv6
 * address, because one client usually has a whole /64. Empty for text that is not an address.
 */
export function getClientNetwork(address: string): string {
  const canonical = normalizeAddress(address);
  if (isIP(canonical) !== 6) return canonical;
  return (ipaddr.parse(canonical) as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':');
}

/** An address in its canonical form, IPv4-mapped IPv6 as IPv4; empty for text that is not an address. */
export function normalizeAddress(text: string): string {
  return isIP(text) === 0 ? '' : ipaddr.process(text.replace(/%.*$/, '')).toString();
}
