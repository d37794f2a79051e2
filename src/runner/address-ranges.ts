import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** The only IPv6 range allocated for the public Internet. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96') as [ipaddr.IPv6, number];

/**
 * Normalizes an address; null if the text is not an address. An IPv4-mapped address becomes the IPv4 address
 * that the kernel connects to, so that lists and checks cannot be bypassed with another notation.
 */
export function normalizeAddress(text: string): string | null {
  const address = parse(text);
  return address === null ? null : address.toString();
}

/** Whether an address is public: unicast, and not leading elsewhere through a tunnel or translator. */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  if (address === null) return false;
  if (address.kind() === 'ipv4') return address.range() === 'unicast';
  const v6 = address as ipaddr.IPv6;
  const inner = embeddedAddresses(v6);
  if (inner.some((v4) => v4.range() !== 'unicast')) return false;
  if (v6.match(NAT64)) return true;
  if (v6.range() === '6to4') return true;
  return v6.match(GLOBAL_UNICAST) && v6.range() === 'unicast';
}

function parse(text: string): Address | null {
  // A zone (`fe80::1%eth0`) is only valid for link-local addresses, and ipaddr.js keeps it in the text.
  const bare = text.split('%')[0] ?? '';
  if (!ipaddr.isValid(bare)) return null;
  const address = ipaddr.parse(bare);
  if (address.kind() === 'ipv4') return ipaddr.IPv4.isValidFourPartDecimal(bare) ? address : null;
  const v6 = address as ipaddr.IPv6;
  return v6.isIPv4MappedAddress() ? v6.toIPv4Address() : v6;
}

/**
 * The IPv4 addresses embedded in an IPv6 address: NAT64, 6to4, Teredo (server and client), ISATAP,
 * IPv4-compatible.
 */
function embeddedAddresses(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = address.parts;
  const found: ipaddr.IPv4[] = [];
  if (address.match(NAT64)) found.push(v4(g, h));
  if (a === 0x2002) found.push(v4(b, c));
  if (a === 0x2001 && b === 0) found.push(v4(c, d), v4(g ^ 0xffff, h ^ 0xffff));
  if ((e & 0xfdff) === 0 && f === 0x5efe) found.push(v4(g, h));
  if (a === 0 && b === 0 && c === 0 && d === 0 && e === 0 && f === 0) found.push(v4(g, h));
  return found;
}

function v4(high: number, low: number): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 0xff, low >> 8, low & 0xff]);
}
