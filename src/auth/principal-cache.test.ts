import { expect, test } from 'vitest';
import type { Principal } from '../contract/principal.ts';
import { createPrincipalCache } from './principal-cache.ts';

const alice: Principal = {
  userId: 'a',
  role: 'member',
  plan: 'pro',
  scopes: null,
  via: 'session',
  sessionId: 's1',
};
const key: Principal = {
  userId: 'a',
  role: 'member',
  plan: 'pro',
  scopes: null,
  via: 'api_key',
  keyId: 'k1',
};

test('a proof is believed for 5 s, and never past its end', () => {
  const cache = createPrincipalCache();
  cache.keep('h', alice, 3_000, 0, cache.mark());
  cache.keep('i', key, null, 0, cache.mark());
  expect(cache.get('h', 2_999)).toBe(alice);
  expect(cache.get('h', 3_000)).toBeNull();
  expect(cache.get('i', 4_999)).toBe(key);
  expect(cache.get('i', 5_000)).toBeNull();
});

test('a clock that is set back prolongs nothing', () => {
  const cache = createPrincipalCache();
  cache.keep('h', alice, null, 1_000_000, cache.mark());
  expect(cache.get('h', 1_000)).toBeNull();
});

test('invalidation removes only the named entries', () => {
  const cache = createPrincipalCache();
  const fill = (): void => {
    cache.keep('h', alice, null, 0, cache.mark());
    cache.keep('i', key, null, 0, cache.mark());
  };
  const left = (): boolean[] => ['h', 'i'].map((hash) => cache.get(hash, 1) !== null);
  fill();
  cache.forget({ sessionId: 's1' });
  expect(left()).toEqual([false, true]);
  fill();
  cache.forget({ keyId: 'k1' });
  expect(left()).toEqual([true, false]);
  cache.forget({ sessionId: 'other' });
  expect(left()).toEqual([true, false]);
  fill();
  cache.forget({ userId: 'a' });
  expect(left()).toEqual([false, false]);
});

test('a value that was read before an invalidation is not cached', () => {
  const cache = createPrincipalCache();
  const mark = cache.mark();
  cache.forget({ sessionId: 's1' });
  cache.keep('h', alice, null, 0, mark);
  expect(cache.get('h', 1)).toBeNull();
});

test('ten thousand are kept, the oldest go', () => {
  const cache = createPrincipalCache();
  for (let i = 0; i < 10_001; i++) cache.keep(`h${i}`, alice, null, 0, cache.mark());
  expect(cache.get('h0', 1)).toBeNull();
  expect(cache.get('h1', 1)).toBe(alice);
});
