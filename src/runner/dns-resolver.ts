import { lookup } from 'node:dns/promises';
import type { Clock } from '../ports/clock.ts';

export type ResolvedAddress = { address: string; family: 4 | 6 };
/** All addresses of a host name. Rejects when it has none. */
export type Resolve = (host: string) => Promise<ResolvedAddress[]>;

/** How long an answer is used again, ms: many connections at once ask once. */
const LIFETIME_MS = 5000;
const CACHE_SIZE = 1000;

/** The system's resolver: its hosts file, its name servers. */
export async function systemResolve(host: string): Promise<ResolvedAddress[]> {
  const found = await lookup(host, { all: true, order: 'verbatim' });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** Remembers answers for a few seconds and joins questions for the same host; failures are not remembered. */
export function cachedResolve(resolve: Resolve, clock: Pick<Clock, 'now'>): Resolve {
  const cache = new Map<string, { until: number; answer: Promise<ResolvedAddress[]> }>();
  return (host) => {
    const now = clock.now();
    const known = cache.get(host);
    if (known !== undefined && known.until > now) return known.answer;
    cache.delete(host);
    if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value ?? '');
    const answer = resolve(host);
    const entry = { until: now + LIFETIME_MS, answer };
    cache.set(host, entry);
    answer.catch(() => {
      if (cache.get(host) === entry) cache.delete(host);
    });
    return answer;
  };
}
