import { createStore } from './store.ts';

/** The rate limit of the latest response; null: no response yet, or the plan has no limit. */
export type RateLimit = { readonly limit: number; readonly remaining: number; readonly resetAt: number };

export const rateLimit = createStore<RateLimit | null>(null);

export function recordRateLimit(headers: Headers): void {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const text = headers.get(`x-ratelimit-${name}`);
    return text === null ? Number.NaN : Number(text);
  });
  if (limit === undefined || remaining === undefined || reset === undefined) return;
  if (![limit, remaining, reset].every(Number.isFinite)) return;
  rateLimit.set({ limit, remaining, resetAt: reset * 1_000 });
}
