/*
 * Durations are counted in buckets, so that percentiles of any set of intervals can be computed from sums.
 * Four buckets per doubling: a percentile differs from the exact one by less than a fifth.
 *
 * The database contains these numbers: a bucket never changes. Durations are whole milliseconds.
 */

const BUCKETS_PER_DOUBLING = 4;
/** The longest duration with a bucket of its own is about two years; longer ones are in the last bucket. */
const DOUBLINGS = 36;

/** The first duration of each bucket, ms, ascending. */
export const bucketStarts: readonly number[] = [
  0,
  ...new Set(
    Array.from({ length: DOUBLINGS * BUCKETS_PER_DOUBLING + 1 }, (_, i) =>
      Math.round(2 ** (i / BUCKETS_PER_DOUBLING)),
    ),
  ),
];

/** The bucket of a duration in ms; a negative duration is in the first. */
export function findBucket(duration: number): number {
  let low = 0;
  let high = bucketStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (bucketStarts[middle]! <= duration) low = middle;
    else high = middle;
  }
  return low;
}

/** Counts of durations by bucket. */
export type DurationCounts = ReadonlyMap<number, number>;

/**
 * The duration in ms that the fraction `rank` (0 to 1) of the counted durations does not exceed, interpolated
 * within its bucket; null when none is counted.
 */
export function computeDurationPercentile(counts: DurationCounts, rank: number): number | null {
  let total = 0;
  for (const n of counts.values()) total += n;
  if (total === 0) return null;
  const position = Math.max(1, Math.ceil(rank * total));
  let before = 0;
  for (const bucket of [...counts.keys()].toSorted((a, b) => a - b)) {
    const n = counts.get(bucket)!;
    if (before + n >= position) {
      const first = bucketStarts[bucket]!;
      const last = (bucketStarts[bucket + 1] ?? first + 1) - 1;
      return Math.round(first + ((last - first) * (position - before - 0.5)) / n);
    }
    before += n;
  }
  return null;
}
