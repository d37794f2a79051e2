const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 5_000;

/**
 * The delay (ms) until a deferred attempt is repeated. `random` in [0, 1) spreads executions that were
 * deferred together.
 */
export function computeDeferralDelay(deferrals: number, random: number): number {
  const delay = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(deferrals, 10));
  return delay / 2 + (delay / 2) * random;
}
