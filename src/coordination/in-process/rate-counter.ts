import type { RateCounter } from '../../ports/rate-counter.ts';

/** Maximum number of windows; the oldest one is removed first. */
const MAX_WINDOWS = 50_000;

/** Counts in the memory of this process. A window of `windowMs` begins with its first request. */
export function createInProcessRateCounter(windowMs: number, now: () => number): RateCounter {
  const windows = new Map<string, { endsAt: number; used: number }>();
  return {
    count(subject, limit) {
      const time = now();
      let window = windows.get(subject);
      if (window === undefined || window.endsAt <= time || window.endsAt - time > windowMs) {
        windows.delete(subject);
        window = { endsAt: time + windowMs, used: 0 };
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
