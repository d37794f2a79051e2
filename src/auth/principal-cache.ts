import type { Principal } from '../contract/principal.ts';
import type { InvalidatedCredential } from '../ports/bus.ts';

const MAX_ENTRIES = 10_000;
/** Lifetime of a cached result, ms: changes by another process take effect within this time. */
const CACHE_LIFETIME_MS = 5_000;

export function affects(what: InvalidatedCredential, principal: Principal): boolean {
  if ('userId' in what) return principal.userId === what.userId;
  if ('sessionId' in what) return principal.sessionId === what.sessionId;
  if ('keyId' in what) return principal.keyId === what.keyId;
  if ('clientId' in what) return principal.clientId === what.clientId;
  if ('grantId' in what) return principal.grantId === what.grantId;
  return principal.tokenId === what.tokenId;
}

type Entry = { principal: Principal; until: number };

/**
 * Authenticated credentials by kind and hash. `forget` acts immediately: a result that was read while
 * something was forgotten may be stale and is not cached.
 */
export type PrincipalCache = {
  get(hash: string, now: number): Principal | null;
  /** Call before reading; pass the result to `keep`. */
  mark(): number;
  /** `expiresAt` in ms, null for never. */
  keep(hash: string, principal: Principal, expiresAt: number | null, now: number, mark: number): void;
  forget(what: InvalidatedCredential): void;
  /** Registers a callback for every `forget`, for holders of a principal beyond one request. */
  onForget(listener: (what: InvalidatedCredential) => void): void;
};

export function createPrincipalCache(): PrincipalCache {
  const entries = new Map<string, Entry>();
  const listeners: ((what: InvalidatedCredential) => void)[] = [];
  let forgotten = 0;
  return {
    get(hash, now) {
      const entry = entries.get(hash);
      if (entry === undefined) return null;
      // A clock that was set back must not prolong the lifetime.
      if (entry.until > now && entry.until - now <= CACHE_LIFETIME_MS) return entry.principal;
      entries.delete(hash);
      return null;
    },
    mark: () => forgotten,
    keep(hash, principal, expiresAt, now, mark) {
      if (mark !== forgotten) return;
      const until = Math.min(now + CACHE_LIFETIME_MS, expiresAt ?? Infinity);
      entries.delete(hash);
      entries.set(hash, { principal, until });
      if (entries.size <= MAX_ENTRIES) return;
      const oldest = entries.keys().next().value;
      if (oldest !== undefined) entries.delete(oldest);
    },
    forget(what) {
      forgotten++;
      for (const [hash, { principal }] of entries) {
        if (affects(what, principal)) entries.delete(hash);
      }
      for (const listener of listeners) listener(what);
    },
    onForget: (listener) => void listeners.push(listener),
  };
}
