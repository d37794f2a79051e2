import { isSettled, type ExecutionStatus } from '../../contract/execution.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ExecutionStore } from '../../ports/store/executions.ts';

/** What ended in this process within the last whole minute. Durations in ms; null when nothing ended. */
export type Throughput = { ended: number; failed: number; p50: number | null; p95: number | null };

/** Length of one slot, ms. A minute is twelve complete slots, plus the current one. */
const SLOT_MS = 5_000;
const SLOT_COUNT = 12;
/** Durations are rounded to a twelfth: eight steps per doubling, up to some hours. */
const STEPS_PER_DOUBLING = 8;
const BUCKET_COUNT = 26 * STEPS_PER_DOUBLING;

type Slot = { at: number; ended: number; failed: number; buckets: Uint32Array };

export type ThroughputCounter = ReturnType<typeof createThroughput>;

/** Counts ended executions in constant memory. */
export function createThroughput(clock: Pick<Clock, 'now'>) {
  const slots = Array.from({ length: SLOT_COUNT + 1 }, (): Slot => ({
    at: -1,
    ended: 0,
    failed: 0,
    buckets: new Uint32Array(BUCKET_COUNT),
  }));

  return {
    ended(status: ExecutionStatus, ms: number | null): void {
      const at = Math.floor(clock.now() / SLOT_MS);
      const slot = slots[at % slots.length];
      if (slot === undefined) return;
      if (slot.at !== at) {
        slot.at = at;
        slot.ended = slot.failed = 0;
        slot.buckets.fill(0);
      }
      slot.ended++;
      if (status === 'failed') slot.failed++;
      const bucket = Math.min(
        BUCKET_COUNT - 1,
        Math.round(Math.log2(Math.max(1, ms ?? 0)) * STEPS_PER_DOUBLING),
      );
      slot.buckets[bucket] = (slot.buckets[bucket] ?? 0) + 1;
    },

    lastMinute(): Throughput {
      const now = Math.floor(clock.now() / SLOT_MS);
      const whole = slots.filter(({ at }) => at < now && at >= now - SLOT_COUNT);
      const ended = whole.reduce((sum, slot) => sum + slot.ended, 0);
      const failed = whole.reduce((sum, slot) => sum + slot.failed, 0);
      return { ended, failed, p50: percentile(whole, ended, 0.5), p95: percentile(whole, ended, 0.95) };
    },
  };
}

function percentile(slots: readonly Slot[], total: number, share: number): number | null {
  if (total === 0) return null;
  let seen = 0;
  for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) {
    for (const { buckets } of slots) seen += buckets[bucket] ?? 0;
    if (seen >= total * share) return Math.round(2 ** (bucket / STEPS_PER_DOUBLING));
  }
  return null;
}

/** Decorates the store: what ends is counted once it is on disk. */
export function withThroughputCounter(store: ExecutionStore, counter: ThroughputCounter): ExecutionStore {
  const computeDuration = (start: number | null, end: number | null): number | null =>
    start === null || end === null ? null : end - start;
  return {
    ...store,
    async commit(batch) {
      const results = await store.commit(batch);
      batch.forEach(({ status, startTime, endTime }, i) => {
        if (results[i]?.kind === 'written' && isSettled(status))
          counter.ended(status, computeDuration(startTime, endTime));
      });
      return results;
    },
    async stop(ownerId, id, at, events) {
      const result = await store.stop(ownerId, id, at, events);
      if (result.kind === 'stopped')
        counter.ended('stopped', computeDuration(result.row.startTime, result.row.endTime));
      return result;
    },
  };
}
