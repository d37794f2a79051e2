import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createAddressReader } from './client-address.ts';

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

test.each([
  ['without trusted proxies the peer counts', [], '127.0.0.1', '192.0.2.1', '127.0.0.1'],
  ['an IPv4-mapped IPv6 address counts as IPv4', [], '::ffff:192.0.2.1', undefined, '192.0.2.1'],
  ['IPv6 counts by network', [], '2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2'],
  ['the zone is ignored', [], 'fe80::1%eth0', undefined, 'fe80:0:0:0'],
  ['a trusted peer names the client', ['loopback'], '127.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['a trusted IPv6 peer names the client', ['loopback'], '::1', '192.0.2.1', '192.0.2.1'],
  ['an untrusted peer cannot name the client', ['10.0.0.0/8'], '192.0.2.7', '192.0.2.1', '192.0.2.7'],
  [
    'addresses before the first untrusted proxy are ignored',
    ['loopback', '10.0.0.1'],
    '127.0.0.1',
    '192.0.2.66, 192.0.2.1, 10.0.0.1',
    '192.0.2.1',
  ],
  ['all proxies are trusted', ['uniquelocal'], '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['no header', ['loopback'], '127.0.0.1', undefined, '127.0.0.1'],
  ['an invalid address ends the list', ['loopback'], '127.0.0.1', '192.0.2.1, unknown', '127.0.0.1'],
  ['a range of IPv6', ['2001:db8::/32'], '2001:db8::5', '192.0.2.1', '192.0.2.1'],
])('%s', (_what, trusted, remote, forwarded, expected) => {
  expect(createAddressReader(trusted)(from(remote, forwarded))).toBe(expected);
});
