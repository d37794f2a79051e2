import { createWriteBehind } from '../../lib/async/write-behind.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RateCount } from '../../ports/rate-counter.ts';
import type { RateWindowRow, ThrottlingStore } from '../../ports/store/rate-limits.ts';

/** The length of a window, ms. */
const WINDOW = 3_600_000;
/** Users whose windows are kept at once; far more than call within an hour, and bounded. */
const MAX_WINDOWS = 200_000;
/** ms between a request and its count being on disk, at most: what a crash forgets. */
const FLUSH = 3_000;
const PAGE = 1_000;

export type RateLimitWindowsDeps = {
  store: Pick<ThrottlingStore, 'saveRateWindows' | 'rateWindows'>;
  clock: Pick<Clock, 'now' | 'after'>;
  report(message: string, error: unknown): void;
};

/** A counter in memory that a restart does not empty. It is a `RateCounter` that always answers at once. */
export type RateLimitWindows = {
  /** See RateCounter. */
  count(userId: string, limit: number): RateCount;
  /** Takes up the windows of earlier processes. */
  open(): Promise<void>;
  /** Writes what is not on disk yet. Never rejects. */
  close(): Promise<void>;
};

type Window = { endsAt: number; used: number };

/**
 * The windows of one process. Counting is synchronous, so it is exact under concurrency; the disk follows it, so no request
 * waits for a write, and a process that is killed forgets the counts of its last seconds.
 */
export function createRateLimitWindows(deps: RateLimitWindowsDeps): RateLimitWindows {
  const { store, clock } = deps;
  // In the order of their beginning, which is the order of their end: the oldest are at the front.
  const windows = new Map<string, Window>();
  const disk = createWriteBehind({
    delay: FLUSH,
    after: (ms, run) => clock.after(ms, run),
    async write(userIds) {
      const rows: RateWindowRow[] = [];
      for (const userId of userIds) {
        const window = windows.get(userId);
        if (window !== undefined) rows.push({ userId, ...window });
      }
      await store.saveRateWindows(rows, clock.now());
    },
    failed: (error) => deps.report('the counts of requests could not be written', error),
  });

  /** A window further away than its length was made by a clock that has since been set back. */
  function isOver(window: Window, time: number): boolean {
    return window.endsAt <= time || window.endsAt - time > WINDOW;
  }

  function forgetEnded(time: number): void {
    for (const [userId, window] of windows) {
      if (!isOver(window, time) && windows.size < MAX_WINDOWS) return;
      windows.delete(userId);
    }
  }

  function open(userId: string, time: number): Window {
    forgetEnded(time);
    const window = { endsAt: time + WINDOW, used: 0 };
    windows.delete(userId);
    windows.set(userId, window);
    return window;
  }

  return {
    count(userId, limit) {
      const time = clock.now();
      let window = windows.get(userId);
      if (window === undefined || isOver(window, time)) window = open(userId, time);
      const isCounted = window.used < limit;
      if (isCounted) {
        window.used++;
        disk.mark(userId);
      }
      return { isCounted, used: window.used, endsAt: window.endsAt };
    },
    async open() {
      const time = clock.now();
      for (let after: RateWindowRow | null = null; windows.size < MAX_WINDOWS;) {
        const page = await store.rateWindows(time, after, PAGE);
        for (const row of page) {
          const { userId, endsAt, used } = row;
          if (!isOver(row, time)) windows.set(userId, { endsAt, used });
        }
        after = page.at(-1) ?? null;
        if (page.length < PAGE) return;
      }
    },
    close: () => disk.close(),
  };
}
