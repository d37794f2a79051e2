import { expect, test } from 'vitest';
import { findBucket, bucketStarts, computeDurationPercentile } from './duration-buckets.ts';

test('buckets are ascending, and each contains its start and the time before the next', () => {
  expect(bucketStarts.slice(0, 10)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 10]);
  for (const [i, start] of bucketStarts.entries()) {
    expect(findBucket(start)).toBe(i);
    const next = bucketStarts[i + 1];
    if (next === undefined) continue;
    expect(next).toBeGreaterThan(start);
    expect(findBucket(next - 1)).toBe(i);
  }
  expect(findBucket(-1)).toBe(0);
  expect(findBucket(Number.MAX_SAFE_INTEGER)).toBe(bucketStarts.length - 1);
});

/** The database contains the numbers of buckets. */
test('the buckets do not change', () => {
  expect(bucketStarts.length).toBe(141);
  expect(bucketStarts.at(-1)).toBe(2 ** 36);
  expect(bucketStarts.reduce((sum, start) => sum + start, 0)).toBe(431_916_583_421);
});

test('a percentile is within a fifth of the exact one', () => {
  const durations = Array.from({ length: 2_000 }, (_, i) => Math.round(1.006 ** i * 3));
  const counts = new Map<number, number>();
  for (const duration of durations) {
    const bucket = findBucket(duration);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  for (const rank of [0.01, 0.5, 0.9, 0.95, 0.999, 1]) {
    const exact = durations[Math.ceil(rank * durations.length) - 1]!;
    const found = computeDurationPercentile(counts, rank)!;
    expect(Math.abs(found - exact) / exact, `${rank}: ${found} instead of ${exact}`).toBeLessThan(0.2);
  }
});

test('percentiles of few durations', () => {
  expect(computeDurationPercentile(new Map(), 0.5)).toBeNull();
  expect(computeDurationPercentile(new Map([[0, 3]]), 0.95)).toBe(0);
  expect(computeDurationPercentile(new Map([[findBucket(5), 1]]), 0.5)).toBe(5);
  const counts = new Map([
    [findBucket(7), 1],
    [findBucket(2), 3],
  ]);
  expect(computeDurationPercentile(counts, 0.5)).toBe(2);
  expect(computeDurationPercentile(counts, 0.95)).toBe(7);
});
