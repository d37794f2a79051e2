import type { RateCounter } from '../../ports/rate-counter.ts';

/** Maximum number of windows. */
const MAX_WINDOWS = 50_000;

/** Counts in windows of `length` ms, each from its first request, in memory only. */
export function createMemoryCounter(length: number, now: () => number): RateCounter {
  const windows = new Map<string, { endsAt: number; used: number }>();
  return {
    count(subject, limit) {
      const time = now();
      let window = windows.get(subject);
      if (window === undefined || window.endsAt <= time || window.endsAt - time > length) {
        windows.delete(subject);
        window = { endsAt: time + length, used: 0 };
        windows.set(subject, window);
        const oldest = windows.keys().next().value;
        if (windows.size > MAX_WINDOWS && oldest !== undefined) windows.delete(oldest);
      }
      const isCounted = window.used < limit;
      if (isCounted) window.used++;
      return { isCounted, used: window.used, endsAt: window.endsAt };
    },
  };
}
