import { lookup } from 'node:dns/promises';
import type { Clock } from '../ports/clock.ts';

export type ResolvedAddress = { address: string; family: 4 | 6 };
/** Resolves all addresses of a host name. Rejects if there are none. */
export type Resolve = (host: string) => Promise<ResolvedAddress[]>;

/** How long a result is cached, so that concurrent connections share one lookup. */
const LIFETIME_MS = 5000;
const CACHE_SIZE = 1000;

/** The resolver of the system, including its hosts file. */
export async function resolveBySystem(host: string): Promise<ResolvedAddress[]> {
  const found = await lookup(host, { all: true, order: 'verbatim' });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/**
 * Caches results for a few seconds and joins concurrent lookups of the same host. Failures are not cached.
 */
export function createCachedResolve(resolve: Resolve, clock: Pick<Clock, 'now'>): Resolve {
  const cache = new Map<string, { until: number; addresses: Promise<ResolvedAddress[]> }>();
  return (host) => {
    const now = clock.now();
    const known = cache.get(host);
    if (known !== undefined && known.until > now) return known.addresses;
    cache.delete(host);
    if (cache.size >= CACHE_SIZE) cache.delete(cache.keys().next().value ?? '');
    const response = resolve(host);
    const entry = { until: now + LIFETIME_MS, addresses: response };
    cache.set(host, entry);
    response.catch(() => {
      if (cache.get(host) === entry) cache.delete(host);
    });
    return response;
  };
}
