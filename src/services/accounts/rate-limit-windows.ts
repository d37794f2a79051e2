import { createWriteBehind } from '../../lib/async/write-behind.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RateCount } from '../../ports/rate-counter.ts';
import type { RateWindowRow, ThrottlingStore } from '../../ports/store/accounts/rate-limits.ts';

/** Length of a window, ms. */
const WINDOW_MS = 3_600_000;
/** Maximum number of windows; far more than users who call within an hour. */
const MAX_WINDOWS = 200_000;
/** Maximum delay until a count is on disk, ms: a crash loses these counts. */
const FLUSH_DELAY_MS = 3_000;
const PAGE_SIZE = 1_000;

export type RateLimitWindowsDeps = {
  store: Pick<ThrottlingStore, 'saveRateWindows' | 'rateWindows'>;
  clock: Pick<Clock, 'now' | 'after'>;
  report(message: string, error: unknown): void;
};

/** An in-memory counter that survives a restart: a synchronous `RateCounter`. */
export type RateLimitWindows = {
  /** See RateCounter. */
  count(userId: string, limit: number): RateCount;
  /** Loads the windows of previous processes. */
  open(): Promise<void>;
  /** Writes pending counts. Never rejects. */
  close(): Promise<void>;
};

type Window = { endsAt: number; used: number };

/**
 * The windows of one process. Counting is synchronous and therefore exact under concurrency. Writes follow in
 * the background, so no request waits for them, and a killed process loses the counts of its last seconds.
 */
export function createRateLimitWindows(deps: RateLimitWindowsDeps): RateLimitWindows {
  const { store, clock } = deps;
  // In order of beginning, which is also the order of expiry: the oldest are first.
  const windows = new Map<string, Window>();
  const disk = createWriteBehind({
    delay: FLUSH_DELAY_MS,
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

  /** A window that is more than its length away was created before the clock was set back. */
  function isOver(window: Window, time: number): boolean {
    return window.endsAt <= time || window.endsAt - time > WINDOW_MS;
  }

  function forgetEnded(time: number): void {
    for (const [userId, window] of windows) {
      if (!isOver(window, time) && windows.size < MAX_WINDOWS) return;
      windows.delete(userId);
    }
  }

  function open(userId: string, time: number): Window {
    forgetEnded(time);
    const window = { endsAt: time + WINDOW_MS, used: 0 };
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
        const page = await store.rateWindows(time, after, PAGE_SIZE);
        for (const row of page) {
          const { userId, endsAt, used } = row;
          if (!isOver(row, time)) windows.set(userId, { endsAt, used });
        }
        after = page.at(-1) ?? null;
        if (page.length < PAGE_SIZE) return;
      }
    },
    close: () => disk.close(),
  };
}
