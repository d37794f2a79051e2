import { expect, test } from 'vitest';
import { getClientNetwork } from './client-network.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::1', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['unknown', ''],
])('%s counts as %s', (address, network) => {
  expect(getClientNetwork(address)).toBe(network);
});
