import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { canonicalAddress, clientNetwork } from '../../lib/network/client-network.ts';

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
/** Proxies that a request may have come through. */
const MAX_HOPS = 20;

/**
 * Whom connections are counted for: the address of the peer, or, while that is a trusted proxy, the one it names in
 * `X-Forwarded-For`. Of IPv6 the network of 64 bits: whoever has one of its addresses has all.
 */
export function createAddressReader(trustProxy: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = createProxyCheck(trustProxy);

  return (request) => {
    let address = canonicalAddress(request.socket.remoteAddress ?? '');
    if (trustProxy.length === 0) return clientNetwork(address);
    const header = request.headers['x-forwarded-for'];
    const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').slice(-MAX_HOPS);
    for (let hop = hops.pop(); hop !== undefined && isTrusted(address); hop = hops.pop()) {
      const next = canonicalAddress(hop.trim());
      if (next === '') break;
      address = next;
    }
    return clientNetwork(address);
  };
}

/** Whether an address is that of a trusted proxy, as `WEFT_TRUST_PROXY` names them. */
export function createProxyCheck(trustProxy: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const entry of trustProxy.flatMap((name) => NAMED[name] ?? [name])) {
    const [address = '', prefix] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const one = canonicalAddress(address);
    return one !== '' && trusted.check(one, isIP(one) === 6 ? 'ipv6' : 'ipv4');
  };
}
