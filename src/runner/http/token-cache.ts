import { createHash } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import type { TokenGrant } from '../../ports/oauth-tokens.ts';
import { requestToken } from './token-request.ts';
import type { Send } from './token-request.ts';

const CACHE_SIZE = 1000;
/** Lifetime of a token if the token endpoint does not return one. */
const DEFAULT_LIFETIME_MS = 300_000;
/** A token is renewed this long before it expires, so that it does not expire in transit. */
const RENEWAL_MARGIN_MS = 30_000;

type Entry = { token: string | null; expiresAt: number; pending: Promise<string> | null };
type ClientGrant = TokenGrant & { type: 'client_credentials' };

/**
 * Caches access tokens of client credentials by owner and grant until they expire, with one request at a time
 * per token. The least recently used token is removed when the cache is full. Tokens are not persisted
 * because they can be requested again at any time.
 */
export type TokenCache = {
  /**
   * `refused`: the token that was rejected with 401. `send` uses the egress client on behalf of the attempt
   * that needs the token. Rejects with HttpFailure.
   */
  token(ownerId: string, grant: ClientGrant, refused: string | null, send: Send): Promise<string>;
};

export function createTokenCache(clock: Pick<Clock, 'now'>): TokenCache {
  const cache = new Map<string, Entry>();

  function getOrCreateEntry(key: string): Entry {
    const entry = cache.get(key) ?? { token: null, expiresAt: 0, pending: null };
    cache.delete(key);
    cache.set(key, entry);
    if (cache.size > CACHE_SIZE) cache.delete(cache.keys().next().value ?? '');
    return entry;
  }

  async function requestAndCacheToken(entry: Entry, grant: ClientGrant, send: Send): Promise<string> {
    const { accessToken, expiresIn } = await requestToken(grant, send);
    const lifetime = expiresIn ?? DEFAULT_LIFETIME_MS;
    entry.token = accessToken;
    entry.expiresAt = clock.now() + Math.max(lifetime / 2, lifetime - RENEWAL_MARGIN_MS);
    return accessToken;
  }

  return {
    async token(ownerId, grant, refused, send) {
      const entry = getOrCreateEntry(createKey(ownerId, grant));
      if (entry.pending !== null) {
        const joined = await entry.pending.catch(() => null);
        if (joined !== null) return joined;
        // The requesting attempt may have been canceled, so one of the waiting attempts requests again.
        if (entry.pending !== null) return entry.pending;
      }
      if (entry.token !== null && entry.token !== refused && entry.expiresAt > clock.now())
        return entry.token;
      entry.pending = requestAndCacheToken(entry, grant, send).finally(() => {
        entry.pending = null;
      });
      return entry.pending;
    },
  };
}

/** A digest, so that secrets are not kept as map keys. */
function createKey(ownerId: string, { tokenUrl, clientId, clientSecret, scope }: ClientGrant): string {
  const text = JSON.stringify([ownerId, tokenUrl, clientId, clientSecret, scope]);
  return createHash('sha256').update(text).digest('base64');
}
