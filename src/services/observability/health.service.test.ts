import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Principal } from '../../contract/principal.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { createHealth, type Health, type HealthUpdate } from './health.service.ts';

const member: Principal = { userId: 'usr_1', role: 'member', plan: 'standard', scopes: null, via: 'session' };

let clock: ManualClock;
let health: Health;
let asked: number;
let works: boolean;
let errors: unknown[];
beforeEach(() => {
  clock = new ManualClock();
  asked = 0;
  works = true;
  errors = [];
  health = createHealth({
    throughput: { lastMinute: () => ({ ended: 3, failed: 1, p50: 12, p95: 40 }) },
    version: '1',
    clock,
    checkStore: () => (works ? Promise.resolve() : Promise.reject(new Error('no'))),
    engine: {
      health() {
        asked++;
        return { active: 3, queued: 4, pendingWrites: 5, sweeps: 0, leasesLost: 0, leads: true };
      },
    },
    onFault: (error) => errors.push(error),
  });
});
afterEach(() => health.close());

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await settle();
}

test('a subscriber is notified immediately, then every two seconds, until it unsubscribes', async () => {
  const got: HealthUpdate[] = [];
  const stop = health.watch(member, (update) => got.push(update));
  await settle();
  expect(got).toEqual([
    {
      status: 'ok',
      uptime: 0,
      activeExecutions: 3,
      queuedExecutions: 4,
      lastMinute: { ended: 3, failed: 1, p50: 12, p95: 40 },
      eventLoopLag: expect.any(Number),
      memoryUsed: expect.any(Number),
      timestamp: clock.now(),
    },
  ]);
  expect(got[0]!.memoryUsed).toBeGreaterThan(1_000_000);
  await pass(2_000);
  await pass(1_999);
  expect(got.map((update) => update.uptime)).toEqual([0, 2_000]);
  works = false;
  await pass(1);
  expect(got.at(-1)).toMatchObject({ uptime: 4_000, status: 'degraded' });
  stop();
  stop();
  await pass(60_000);
  expect(got).toHaveLength(3);
});

test('one sampler serves all; without watchers there is none', async () => {
  await pass(20_000);
  expect(asked).toBe(0);
  const got = [0, 0, 0];
  const stops = got.map((_, i) => health.watch(member, () => got[i]!++));
  await settle();
  expect(got).toEqual([1, 1, 1]);
  asked = 0;
  for (let i = 0; i < 4; i++) await pass(2_000);
  expect([asked, got]).toEqual([4, [5, 5, 5]]);
  for (const stop of stops) stop();
  await pass(20_000);
  expect(asked).toBe(4);
  // Leaving and coming while a sample is on its way leaves one sampler.
  const first = health.watch(member, () => got[0]!++);
  clock.advance(2_000);
  first();
  const second = health.watch(member, () => got[1]!++);
  await settle();
  const before = got[1]!;
  for (let i = 0; i < 3; i++) await pass(2_000);
  expect(got[1]! - before).toBe(3);
  second();
});

test('one that throws does not hinder the others', async () => {
  let got = 0;
  health.watch(member, () => {
    throw new Error('x');
  });
  health.watch(member, () => got++);
  await settle();
  await pass(2_000);
  expect([got, errors.length]).toEqual([2, 2]);
});

test('the number of subscribers is limited, and a closed service sends no updates', async () => {
  let got = 0;
  const stops = Array.from({ length: 2_000 }, () => health.watch(member, () => got++));
  expect(() => health.watch(member, () => {})).toThrow('There are too many subscribers');
  stops[0]!();
  health.watch(member, () => {})();
  await settle();
  got = 0;
  health.close();
  await pass(10_000);
  expect(got).toBe(0);
});
