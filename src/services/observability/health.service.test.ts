import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Principal } from '../../contract/principal.ts';
import { ManualClock } from '../../../test/support/time/manual-clock.ts';
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
        return {
          active: 3,
          queued: 4,
          pendingWrites: 5,
          sweeps: 0,
          leasesLost: 0,
          snapshotsUsed: 0,
          replayedEvents: 0,
          isLeader: true,
        };
      },
    },
    onError: (error) => errors.push(error),
  });
});
afterEach(() => health.close());

const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await settle();
}

test('a subscriber is notified immediately, then every two seconds, until it unsubscribes', async () => {
  const received: HealthUpdate[] = [];
  const stop = health.watch(member, (update) => received.push(update));
  await settle();
  expect(received).toEqual([
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
  expect(received[0]!.memoryUsed).toBeGreaterThan(1_000_000);
  await pass(2_000);
  await pass(1_999);
  expect(received.map((update) => update.uptime)).toEqual([0, 2_000]);
  works = false;
  await pass(1);
  expect(received.at(-1)).toMatchObject({ uptime: 4_000, status: 'degraded' });
  stop();
  stop();
  await pass(60_000);
  expect(received).toHaveLength(3);
});

test('all watchers share one sampler; without watchers it stops', async () => {
  await pass(20_000);
  expect(asked).toBe(0);
  const received = [0, 0, 0];
  const stops = received.map((_, i) => health.watch(member, () => received[i]!++));
  await settle();
  expect(received).toEqual([1, 1, 1]);
  asked = 0;
  for (let i = 0; i < 4; i++) await pass(2_000);
  expect([asked, received]).toEqual([4, [5, 5, 5]]);
  for (const stop of stops) stop();
  await pass(20_000);
  expect(asked).toBe(4);
  // Leaving and coming while a sample is on its way leaves one sampler.
  const first = health.watch(member, () => received[0]!++);
  clock.advance(2_000);
  first();
  const second = health.watch(member, () => received[1]!++);
  await settle();
  const before = received[1]!;
  for (let i = 0; i < 3; i++) await pass(2_000);
  expect(received[1]! - before).toBe(3);
  second();
});

test('an exception of one does not affect the others', async () => {
  let received = 0;
  health.watch(member, () => {
    throw new Error('x');
  });
  health.watch(member, () => received++);
  await settle();
  await pass(2_000);
  expect([received, errors.length]).toEqual([2, 2]);
});

test('the number of subscribers is limited, and a closed service sends no updates', async () => {
  let received = 0;
  const stops = Array.from({ length: 2_000 }, () => health.watch(member, () => received++));
  expect(() => health.watch(member, () => {})).toThrow('There are too many subscribers');
  stops[0]!();
  health.watch(member, () => {})();
  await settle();
  received = 0;
  health.close();
  await pass(10_000);
  expect(received).toBe(0);
});
