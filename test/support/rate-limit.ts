import type { Clock } from '../../src/ports/clock.ts';
import {
  createRateLimit,
  type RateLimit,
  type RateLimits,
} from '../../src/services/accounts/rate-limit.service.ts';
import { createRateLimitWindows } from '../../src/services/accounts/rate-limit-windows.ts';

/** A rate limit whose windows last as long as the test. */
export function createUnstoredRateLimit(limits: RateLimits, clock: Pick<Clock, 'now'>): RateLimit {
  const counter = createRateLimitWindows({
    store: { saveRateWindows: () => Promise.resolve(), rateWindows: () => Promise.resolve([]) },
    clock: { now: () => clock.now(), after: () => () => {} },
    report: () => {},
  });
  return createRateLimit({ limits, counter, clock });
}
