import type { Principal, SubscriptionPlan } from '../contract/principal.ts';

/** The length of a window, ms. */
const WINDOW = 3_600_000;
/** Users whose windows are kept at once; far more than call within an hour, and bounded. */
const MAX_WINDOWS = 200_000;

/** Requests an hour by plan; null is unlimited. */
export type RateLimits = Readonly<Record<SubscriptionPlan, number | null>>;

/** `reset` in Unix seconds; `retryAfter` in whole seconds, 0 when the request was allowed. */
export type RateState = {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly retryAfter: number;
};

export type RateLimit = {
  /** Counts one request of a user. Null: the plan has no limit, and the headers are left out. */
  hit(principal: Principal): RateState | null;
};

type Window = { endsAt: number; used: number };

/**
 * Fixed windows of an hour, each from the user's first request, whatever the door. Counting is synchronous, so that it is
 * exact under concurrency in one process; it lives in memory, so a restart begins a new window.
 */
export function createRateLimit(limits: RateLimits, now: () => number): RateLimit {
  // In the order of their beginning, which is the order of their end: the oldest are at the front.
  const windows = new Map<string, Window>();

  function forgetEnded(time: number): void {
    for (const [userId, window] of windows) {
      if (window.endsAt > time && windows.size < MAX_WINDOWS) return;
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
    hit({ userId, plan }) {
      const limit = limits[plan];
      if (limit === null) return null;
      const time = now();
      let window = windows.get(userId);
      // A window further away than its length was made by a clock that has since been set back.
      if (window === undefined || window.endsAt <= time || window.endsAt - time > WINDOW)
        window = open(userId, time);
      const allowed = window.used < limit;
      if (allowed) window.used++;
      return {
        allowed,
        limit,
        remaining: Math.max(0, limit - window.used),
        reset: Math.ceil(window.endsAt / 1000),
        retryAfter: allowed ? 0 : Math.max(1, Math.ceil((window.endsAt - time) / 1000)),
      };
    },
  };
}
