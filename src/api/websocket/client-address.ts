import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { normalizeAddress, getClientNetwork } from '../../lib/network/client-network.ts';

const NAMED_RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
/** Maximum number of proxies that are read from `X-Forwarded-For`. */
const MAX_HOPS = 20;

/**
 * Reads the client address that connections are counted by: the peer, or the address in `X-Forwarded-For`
 * while the peer is a trusted proxy. IPv6 addresses are counted by their /64 network, because one client
 * usually controls all of it.
 */
export function createAddressReader(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = createProxyCheck(trustProxy);

  return (request) => {
    let address = normalizeAddress(request.socket.remoteAddress ?? '');
    if (trustProxy.length === 0) return getClientNetwork(address);
    const header = request.headers['x-forwarded-for'];
    const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').slice(-MAX_HOPS);
    for (let hop = hops.pop(); hop !== undefined && isTrusted(address); hop = hops.pop()) {
      const next = normalizeAddress(hop.trim());
      if (next === '') break;
      address = next;
    }
    return getClientNetwork(address);
  };
}

/** Whether an address belongs to a trusted proxy, as configured in `WEFT_TRUST_PROXY`. */
export function createProxyCheck(trustProxy: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const entry of trustProxy.flatMap((name) => NAMED_RANGES[name] ?? [name])) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const canonical = normalizeAddress(address);
    return canonical !== '' && trusted.check(canonical, isIP(canonical) === 6 ? 'ipv6' : 'ipv4');
  };
}
