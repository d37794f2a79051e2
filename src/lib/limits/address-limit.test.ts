import { expect, test } from 'vitest';
import { createAddressLimit } from './address-limit.ts';

test('limits the requests of an address in a window and returns the seconds until it ends', () => {
  let now = 1_000_000;
  const limit = createAddressLimit(2, 60_000, () => now);
  expect([limit.hit('a'), limit.hit('a'), limit.hit('a'), limit.hit('b')]).toEqual([null, null, 60, null]);
  now += 59_500;
  expect(limit.hit('a')).toBe(1);
  now += 500;
  expect(limit.hit('a')).toBeNull();
});

test('a clock that is set back blocks no address', () => {
  let now = 1_000_000;
  const limit = createAddressLimit(1, 1_000, () => now);
  limit.hit('a');
  now = 5;
  expect(limit.hit('a')).toBeNull();
});

test('the number of addresses is bounded: the oldest is removed', () => {
  const limit = createAddressLimit(1, 60_000, () => 0);
  limit.hit('first');
  expect(limit.hit('first')).toBe(60);
  for (let i = 0; i < 50_000; i++) limit.hit(`${i}`);
  expect(limit.hit('first')).toBeNull();
});
