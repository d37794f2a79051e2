import type { Principal } from '../contract/principal.ts';

const MAX_ENTRIES = 10_000;
/** ms that a proof is believed before it is read again: what another process changed shows within this time. */
const BELIEVED = 5_000;

type Entry = { principal: Principal; until: number };

/**
 * Proved credentials by kind and hash. `forget` acts at once: a proof that was under way while something was forgotten is not
 * kept, because it may have read what is no longer so.
 */
export type PrincipalCache = {
  get(hash: string, now: number): Principal | null;
  /** Call before reading; hand the mark to `keep`. */
  mark(): number;
  /** `expiresAt` in ms, null for never. */
  keep(hash: string, principal: Principal, expiresAt: number | null, now: number, mark: number): void;
  forget(what: { userId: string } | { sessionId: string } | { keyId: string }): void;
};

export function createPrincipalCache(): PrincipalCache {
  const entries = new Map<string, Entry>();
  let forgotten = 0;
  return {
    get(hash, now) {
      const entry = entries.get(hash);
      if (entry === undefined) return null;
      // A clock that was set back must not prolong the belief.
      if (entry.until > now && entry.until - now <= BELIEVED) return entry.principal;
      entries.delete(hash);
      return null;
    },
    mark: () => forgotten,
    keep(hash, principal, expiresAt, now, mark) {
      if (mark !== forgotten) return;
      const until = Math.min(now + BELIEVED, expiresAt ?? Infinity);
      entries.delete(hash);
      entries.set(hash, { principal, until });
      if (entries.size <= MAX_ENTRIES) return;
      const oldest = entries.keys().next().value;
      if (oldest !== undefined) entries.delete(oldest);
    },
    forget(what) {
      forgotten++;
      for (const [hash, { principal }] of entries) {
        if (
          ('userId' in what && principal.userId === what.userId) ||
          ('sessionId' in what && principal.sessionId === what.sessionId) ||
          ('keyId' in what && principal.keyId === what.keyId)
        ) {
          entries.delete(hash);
        }
      }
    },
  };
}
