import { createStore } from './store.ts';

/** What the last answer said about the plan's limit; null: no answer yet, or the plan has none. */
export type RateLimit = { readonly limit: number; readonly remaining: number; readonly resetAt: number };

export const rateLimit = createStore<RateLimit | null>(null);

export function noteRateLimit(headers: Headers): void {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => {
    const text = headers.get(`x-ratelimit-${name}`);
    return text === null ? Number.NaN : Number(text);
  });
  if (limit === undefined || remaining === undefined || reset === undefined) return;
  if (![limit, remaining, reset].every(Number.isFinite)) return;
  rateLimit.set({ limit, remaining, resetAt: reset * 1_000 });
}
