import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import type { Principal } from '../../contract/principal.ts';
import type { RateCounter } from '../../ports/rate-counter.ts';
import {
  createRateLimit,
  requireWithinLimit,
  type RateState,
} from '../../services/accounts/rate-limit.service.ts';
import { createAdmission, createRateHeaders } from './admission.ts';

const ada: Principal = { userId: 'usr_1', role: 'member', plan: 'standard', scopes: null, via: 'session' };
const clock = { now: () => 1_000 };
const noCookies = { read: () => undefined };
const requestWith = (headers: object): IncomingMessage =>
  ({ url: '/v1/users/me', headers: headers as IncomingHttpHeaders }) as IncomingMessage;
const limits = { standard: 300, pro: null, enterprise: null };

/** A shared counter, which returns its result asynchronously. */
function createSharedCounter(): RateCounter {
  let used = 0;
  return {
    async count(_userId, limit) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      const isCounted = used < limit;
      if (isCounted) used++;
      return { isCounted, used, endsAt: 61_000 };
    },
  };
}

const origin = { address: '192.0.2.1', userAgent: 'test' };

test('an asynchronous counter counts requests and operations over a socket exactly', async () => {
  const reachedLevels: number[] = [];
  const rateLimit = createRateLimit({
    limits,
    counter: createSharedCounter(),
    clock,
    reached: (_userId, level) => reachedLevels.push(level),
  });
  const admission = createAdmission(() => Promise.resolve(ada), rateLimit, noCookies);
  const rates = await Promise.all(
    Array.from({ length: 500 }, async (_, i) =>
      i % 2 === 0 ? (await admission.admit(requestWith({}), origin)).rate : admission.count(ada),
    ),
  );
  expect(rates.filter((rate) => rate!.isAllowed)).toHaveLength(300);
  expect(reachedLevels).toEqual([80, 100]);
});

test('the rate headers are sent and requests over the limit are rejected', () => {
  const state: RateState = { isAllowed: false, limit: 5, remaining: 0, reset: 61, retryAfter: 60 };
  expect(createRateHeaders(state)).toEqual({
    'x-ratelimit-limit': '5',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '61',
  });
  expect(createRateHeaders(null)).toEqual({});
  requireWithinLimit(null);
  requireWithinLimit({ ...state, isAllowed: true });
  expect(() => requireWithinLimit(state)).toThrow(
    expect.objectContaining({
      code: 'RATE_LIMITED',
      details: { reason: 'plan', limit: 5, retry_after: 60 },
    }),
  );
});

test('credential headers are passed unchanged, and the cookie only without them', async () => {
  const seen: unknown[] = [];
  const rateLimit = createRateLimit({ limits, counter: createSharedCounter(), clock });
  const admission = createAdmission(
    (credentials) => {
      seen.push(credentials);
      return { ...ada, plan: 'pro' };
    },
    rateLimit,
    { read: () => 'of the cookie' },
  );
  expect(
    (await admission.admit(requestWith({ authorization: 'Bearer x', 'x-api-key': ['a', 'b'] }), origin)).rate,
  ).toBeNull();
  await admission.admit(requestWith({ 'x-api-key': 'a' }), origin);
  await admission.admit(requestWith({}), origin);
  expect(seen).toEqual([
    { path: '/v1/users/me', authorization: 'Bearer x', apiKey: 'a, b', cookie: undefined },
    { path: '/v1/users/me', authorization: undefined, apiKey: 'a', cookie: undefined },
    { path: '/v1/users/me', authorization: undefined, apiKey: undefined, cookie: 'of the cookie' },
  ]);
});
