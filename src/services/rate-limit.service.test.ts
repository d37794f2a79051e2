import { expect, test } from 'vitest';
import type { Principal, SubscriptionPlan } from '../contract/principal.ts';
import { createRateLimit } from './rate-limit.service.ts';

const limits = { standard: 3, pro: 10, enterprise: null };
function who(userId: string, plan: SubscriptionPlan = 'standard'): Principal {
  return { userId, role: 'member', plan, scopes: null, via: 'session', sessionId: 's' };
}

test('a window of an hour begins with the first request and ends exactly', () => {
  let now = 1_000_500;
  const limit = createRateLimit(limits, () => now);
  expect(limit.hit(who('a'))).toEqual({ allowed: true, limit: 3, remaining: 2, reset: 4601, retryAfter: 0 });
  now += 3_599_000;
  expect(limit.hit(who('a'))).toMatchObject({ allowed: true, remaining: 1, reset: 4601 });
  expect(limit.hit(who('a'))).toMatchObject({ allowed: true, remaining: 0 });
  expect(limit.hit(who('a'))).toEqual({ allowed: false, limit: 3, remaining: 0, reset: 4601, retryAfter: 1 });
  now += 999;
  expect(limit.hit(who('a'))).toMatchObject({ allowed: false, retryAfter: 1 });
  now += 1;
  expect(limit.hit(who('a'))).toMatchObject({ allowed: true, remaining: 2, reset: 8201 });
});

test('users count apart; a new plan counts at once; unlimited has no state', () => {
  const limit = createRateLimit(limits, () => 0);
  for (let i = 0; i < 4; i++) limit.hit(who('a'));
  expect(limit.hit(who('a'))!.allowed).toBe(false);
  expect(limit.hit(who('b'))!.allowed).toBe(true);
  expect(limit.hit(who('a', 'pro'))).toMatchObject({ allowed: true, limit: 10, remaining: 6 });
  expect(limit.hit(who('a', 'enterprise'))).toBeNull();
});

test('a clock that is set back does not lock anybody out', () => {
  let now = 10 * 3_600_000;
  const limit = createRateLimit(limits, () => now);
  for (let i = 0; i < 4; i++) limit.hit(who('a'));
  now -= 5 * 3_600_000;
  expect(limit.hit(who('a'))).toMatchObject({ allowed: true, remaining: 2 });
});

test('windows that ended are forgotten', () => {
  let now = 0;
  const limit = createRateLimit(limits, () => now);
  for (let i = 0; i < 250_000; i++) limit.hit(who(`u${i}`));
  now += 3_600_000;
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 250_000; i++) limit.hit(who(`v${i}`));
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(150_000_000);
  expect(limit.hit(who('u1'))).toMatchObject({ remaining: 2 });
});
