import { WeftError } from '../../contract/errors.ts';
import type { Principal, SubscriptionPlan } from '../../contract/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RateCount, RateCounter } from '../../ports/rate-counter.ts';

/** Requests per hour by plan; null is unlimited. */
export type RateLimits = Readonly<Record<SubscriptionPlan, number | null>>;

/** `reset` in Unix seconds; `retryAfter` in whole seconds, 0 when the request was allowed. */
export type RateState = {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly retryAfter: number;
};

/** Percentages of the limit at which the user is notified. */
type RateLevel = 80 | 100;

export type RateLimit = {
  /** Counts one request of a user. Null when the plan has no limit: the headers are omitted then. */
  hit(principal: Principal): RateState | null | Promise<RateState | null>;
};

export type RateLimitDeps = {
  limits: RateLimits;
  counter: RateCounter;
  clock: Pick<Clock, 'now'>;
  /** Called once per window when the user reaches this percentage of the limit. */
  reached?(userId: string, level: RateLevel, state: RateState): void;
  /** Called when a request is rejected. */
  refused?(): void;
};

/**
 * Limits requests of a user across REST and GraphQL, by the user's current plan: a change of plan keeps the
 * window, and the new limit applies from the next request on.
 */
export function createRateLimit(deps: RateLimitDeps): RateLimit {
  const { limits, counter, clock } = deps;

  function toRateState(userId: string, limit: number, { isCounted, used, endsAt }: RateCount): RateState {
    const state: RateState = {
      isAllowed: isCounted,
      limit,
      remaining: Math.max(0, limit - used),
      reset: Math.ceil(endsAt / 1000),
      retryAfter: isCounted ? 0 : Math.max(1, Math.ceil((endsAt - clock.now()) / 1000)),
    };
    if (!isCounted) deps.refused?.();
    // Each count of a window is returned to exactly one request, so no further state is needed.
    else if (used === limit) deps.reached?.(userId, 100, state);
    else if (used === Math.ceil(limit * 0.8)) deps.reached?.(userId, 80, state);
    return state;
  }

  return {
    hit({ userId, plan }) {
      const limit = limits[plan];
      if (limit === null) return null;
      const counted = counter.count(userId, limit);
      return counted instanceof Promise
        ? counted.then((one) => toRateState(userId, limit, one))
        : toRateState(userId, limit, counted);
    },
  };
}

/** @throws {WeftError} RATE_LIMITED when the request was rejected. */
export function requireWithinLimit(state: RateState | null): void {
  if (state === null || state.isAllowed) return;
  throw new WeftError('RATE_LIMITED', `The plan allows ${state.limit} requests an hour.`, {
    reason: 'plan',
    limit: state.limit,
    retry_after: state.retryAfter,
  });
}
