import { WeftError } from '../../contract/errors.ts';
import type { Principal, SubscriptionPlan } from '../../contract/principal.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RateCount, RateCounter } from '../../ports/rate-counter.ts';

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

/** The shares of the limit, in percent, at which the user is told. */
type RateLevel = 80 | 100;

export type RateLimit = {
  /** Counts one request of a user. Null: the plan has no limit, and the headers are left out. */
  hit(principal: Principal): RateState | null | Promise<RateState | null>;
};

export type RateLimitDeps = {
  limits: RateLimits;
  counter: RateCounter;
  clock: Pick<Clock, 'now'>;
  /** A user's window has just come to this share of its limit; once each per window. */
  reached?(userId: string, level: RateLevel, state: RateState): void;
  /** A request was refused. */
  refused?(): void;
};

/**
 * Requests of a user over all doors that count (REST and GraphQL), by the plan that the user has now: the window stays the
 * same when the plan changes, and the new limit counts from the next request on.
 */
export function createRateLimit(deps: RateLimitDeps): RateLimit {
  const { limits, counter, clock } = deps;

  function stateOf(userId: string, limit: number, { isCounted, used, endsAt }: RateCount): RateState {
    const state: RateState = {
      allowed: isCounted,
      limit,
      remaining: Math.max(0, limit - used),
      reset: Math.ceil(endsAt / 1000),
      retryAfter: isCounted ? 0 : Math.max(1, Math.ceil((endsAt - clock.now()) / 1000)),
    };
    if (!isCounted) deps.refused?.();
    // Each number of a window is seen by one request alone, so nobody needs to remember what was told.
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
        ? counted.then((one) => stateOf(userId, limit, one))
        : stateOf(userId, limit, counted);
    },
  };
}

/** @throws {WeftError} RATE_LIMITED when the request was refused. */
export function requireWithinLimit(state: RateState | null): void {
  if (state === null || state.allowed) return;
  throw new WeftError('RATE_LIMITED', `The plan allows ${state.limit} requests an hour.`, {
    reason: 'plan',
    limit: state.limit,
    retry_after: state.retryAfter,
  });
}
