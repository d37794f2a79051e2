import { afterEach, expect, test } from 'vitest';
import type { Principal, SubscriptionPlan } from '../../contract/principal.ts';
import { ManualClock } from '../../../test/support/time/manual-clock.ts';
import { createTempStore } from '../../../test/support/temporary-store.ts';
import { createRateLimit, type RateState } from './rate-limit.service.ts';
import { createRateLimitWindows, type RateLimitWindows } from './rate-limit-windows.ts';

const HOUR_MS = 3_600_000;
const limits = { standard: 3, pro: 10, enterprise: null };
function who(userId: string, plan: SubscriptionPlan = 'standard'): Principal {
  return { userId, role: 'member', plan, scopes: null, via: 'session', sessionId: 's' };
}

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function service(start?: number, allowed = limits) {
  const clock = new ManualClock(start);
  const kept = await createTempStore();
  opened.push(kept);
  const reports: unknown[] = [];
  const update: [string, number, number][] = [];
  let refused = 0;
  let counter: RateLimitWindows;
  const start_ = async () => {
    counter = createRateLimitWindows({
      store: kept.store.throttling,
      clock,
      report: (...error) => reports.push(error),
    });
    await counter.open();
    return createRateLimit({
      limits: allowed,
      counter,
      clock,
      reached: (userId, level, state) => update.push([userId, level, state.remaining]),
      refused: () => void refused++,
    });
  };
  const limit = await start_();
  return {
    clock,
    kept,
    reports,
    told: update,
    refused: () => refused,
    hit: (principal: Principal) => limit.hit(principal) as RateState,
    limit,
    stop: () => counter.close(),
    /** Another process on the same data. */
    again: async () => {
      const next = await start_();
      return (principal: Principal) => next.hit(principal) as RateState;
    },
  };
}

test('a window of an hour begins with the first request and ends exactly', async () => {
  const { hit, clock } = await service(1_000_500);
  expect(hit(who('a'))).toEqual({ isAllowed: true, limit: 3, remaining: 2, reset: 4601, retryAfter: 0 });
  clock.advance(3_599_000);
  expect(hit(who('a'))).toMatchObject({ isAllowed: true, remaining: 1, reset: 4601 });
  expect(hit(who('a'))).toMatchObject({ isAllowed: true, remaining: 0 });
  expect(hit(who('a'))).toEqual({ isAllowed: false, limit: 3, remaining: 0, reset: 4601, retryAfter: 1 });
  clock.advance(999);
  expect(hit(who('a'))).toMatchObject({ isAllowed: false, retryAfter: 1 });
  clock.advance(1);
  expect(hit(who('a'))).toMatchObject({ isAllowed: true, remaining: 2, reset: 8201 });
});

test('users count apart; a new plan counts at once, in the same window; unlimited has no state', async () => {
  const { hit } = await service();
  for (let i = 0; i < 4; i++) hit(who('a'));
  expect(hit(who('a')).isAllowed).toBe(false);
  expect(hit(who('b')).isAllowed).toBe(true);
  expect(hit(who('a', 'pro'))).toMatchObject({ isAllowed: true, limit: 10, remaining: 6 });
  expect(hit(who('a', 'standard'))).toMatchObject({ isAllowed: false, limit: 3, remaining: 0 });
  expect(hit(who('a', 'enterprise'))).toBeNull();
});

test('a clock that is set back or forward locks out no user', async () => {
  const { limit } = await service();
  expect(limit.hit(who('a'))).not.toBeInstanceOf(Promise);
  let now = 10 * HOUR_MS;
  const { kept } = await service();
  const counter = createRateLimitWindows({
    store: kept.store.throttling,
    clock: { now: () => now, after: () => () => {} },
    report: () => {},
  });
  for (let i = 0; i < 4; i++) counter.count('a', 3);
  now -= 5 * HOUR_MS;
  expect(counter.count('a', 3)).toEqual({ isCounted: true, used: 1, endsAt: now + HOUR_MS });
  // A little back: the same window, longer by that much.
  now -= 1;
  expect(counter.count('a', 3)).toMatchObject({ isCounted: true, used: 1 });
  now += 1_000;
  expect(counter.count('a', 3)).toMatchObject({ isCounted: true, used: 2 });
  now += HOUR_MS;
  expect(counter.count('a', 3)).toMatchObject({ isCounted: true, used: 1 });
});

test('windows that ended are forgotten', async () => {
  const { hit, clock } = await service();
  for (let i = 0; i < 200_000; i++) hit(who(`u${i}`));
  clock.advance(HOUR_MS);
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 200_000; i++) hit(who(`v${i}`));
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(150_000_000);
  expect(hit(who('u1'))).toMatchObject({ remaining: 2 });
});

test('80 % and 100 % are reported once each per window, rejections never', async () => {
  const { hit, clock, told, refused } = await service(0, { standard: 10, pro: 3, enterprise: null });
  for (let i = 0; i < 15; i++) hit(who('a'));
  expect(told).toEqual([
    ['a', 80, 2],
    ['a', 100, 0],
  ]);
  expect(refused()).toBe(5);
  clock.advance(HOUR_MS);
  told.length = 0;
  for (let i = 0; i < 9; i++) hit(who('a'));
  expect(told).toEqual([['a', 80, 2]]);
  // A limit at which both are the same request: only the last is reported.
  told.length = 0;
  for (let i = 0; i < 4; i++) hit(who('b', 'pro'));
  expect(told).toEqual([['b', 100, 0]]);
});

test('counts survive a restart, and a reported level is not reported again', async () => {
  const { hit, clock, told, stop, again, kept, reports } = await service(HOUR_MS, {
    standard: 10,
    pro: 10,
    enterprise: null,
  });
  for (let i = 0; i < 9; i++) hit(who('a'));
  hit(who('b'));
  const { reset } = hit(who('b'));
  await stop();
  await kept.reopen();
  clock.advance(60_000);
  const next = await again();
  expect(next(who('a'))).toMatchObject({ isAllowed: true, remaining: 0, reset });
  expect(next(who('a'))).toMatchObject({ isAllowed: false });
  expect(next(who('b'))).toMatchObject({ remaining: 7 });
  expect(told.map(([user, level]) => [user, level])).toEqual([
    ['a', 80],
    ['a', 100],
  ]);
  clock.advance(HOUR_MS);
  const later = await again();
  expect(later(who('a'))).toMatchObject({ remaining: 9 });
  expect(reports).toEqual([]);
});

test('a killed process loses at most its last three seconds; without requests nothing is written', async () => {
  const { hit, clock, again, kept } = await service();
  hit(who('a'));
  clock.advance(3_000);
  await expect
    .poll(() => kept.store.throttling.rateWindows(clock.now(), null, 9))
    .toMatchObject([{ userId: 'a', used: 1 }]);
  hit(who('a'));
  const next = await again();
  expect(next(who('a'))).toMatchObject({ remaining: 1 });
});

test('counts that could not be written are written later', async () => {
  const clock = new ManualClock();
  let fails = true;
  const written: unknown[] = [];
  const reports: unknown[] = [];
  const counter = createRateLimitWindows({
    store: {
      saveRateWindows: async (rows) => {
        if (fails) throw new Error('full');
        written.push(...rows);
      },
      rateWindows: async () => [],
    },
    clock,
    report: (message) => reports.push(message),
  });
  counter.count('a', 9);
  clock.advance(3_000);
  await expect.poll(() => reports).toHaveLength(1);
  fails = false;
  counter.count('b', 9);
  clock.advance(3_000);
  await expect.poll(() => written).toMatchObject([{ userId: 'a' }, { userId: 'b' }]);
  await counter.close();
  expect(written).toHaveLength(2);
});

test('many windows are loaded page by page', async () => {
  const { hit, stop, again } = await service();
  for (let i = 0; i < 2_500; i++) hit(who(`u${i}`));
  await stop();
  const next = await again();
  for (const i of [0, 999, 1_000, 2_000, 2_499]) expect(next(who(`u${i}`))).toMatchObject({ remaining: 1 });
});
