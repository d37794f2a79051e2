import { expect, test } from 'vitest';
import { createThroughput } from './throughput.ts';

test('a minute of whole slots, with percentiles to a twelfth', () => {
  let now = 1_000_000;
  const counter = createThroughput({ now: () => now });
  expect(counter.lastMinute()).toEqual({ ended: 0, failed: 0, p50: null, p95: null });
  for (let i = 1; i <= 100; i++) counter.ended(i % 10 === 0 ? 'failed' : 'completed', i * 10);
  // What is being filled counts when it is full.
  expect(counter.lastMinute().ended).toBe(0);
  now += 5_000;
  const { ended, failed, p50, p95 } = counter.lastMinute();
  expect([ended, failed]).toEqual([100, 10]);
  expect(Math.abs((p50 ?? 0) / 500 - 1)).toBeLessThan(0.09);
  expect(Math.abs((p95 ?? 0) / 950 - 1)).toBeLessThan(0.09);
  now += 55_000;
  expect(counter.lastMinute().ended).toBe(100);
  now += 5_000;
  expect(counter.lastMinute().ended).toBe(0);
});

test('a reused slot has no counts of an earlier minute', () => {
  let now = 0;
  const counter = createThroughput({ now: () => now });
  for (let second = 0; second < 600; second++) {
    counter.ended('completed', second === 599 ? null : 12);
    now += 1_000;
  }
  expect(counter.lastMinute()).toMatchObject({ ended: 60, failed: 0, p50: 12 });
  counter.ended('stopped', 1e12);
  now += 5_000;
  expect(counter.lastMinute().p95).toBeLessThan(20);
});
