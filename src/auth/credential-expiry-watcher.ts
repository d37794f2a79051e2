import type { WeftError } from '../contract/errors.ts';
import type { Principal } from '../contract/principal.ts';
import type { Clock } from '../ports/clock.ts';
import { createUnauthorizedError } from './authenticate.ts';
import type { CredentialKind } from './credential-kinds.ts';
import { affects, type PrincipalCache } from './principal-cache.ts';

/**
 * Interval between two checks, ms; the minimum keeps a credential that expires now from causing a busy loop.
 */
const TICK_MS = 1_000;
const MIN_TICK_MS = 20;
/** Ticks between two reads of one credential: what another process ended is detected within 5 s. */
const TICKS_BETWEEN_READS = 4;
/** Maximum number of concurrent periodic reads. */
const MAX_CONCURRENT_READS = 50;
/** Consecutive failed reads of a credential after which it counts as ended: validity must be proven. */
const MAX_FAILED_READS = 6;

/**
 * Reports when the credential of a long-lived connection ends. `onEnd` is called once, never before `watch`
 * has returned, with the UNAUTHORIZED error that a request with this credential would now get: it has
 * expired, its session was ended, or its key or user was deleted. A refresh of the session does not extend
 * the expiry of the watched token. The returned function stops watching; it may be called twice.
 */
export type CredentialExpiryWatcher = {
  watch(principal: Principal, onEnd: (error: WeftError) => void): () => void;
};

type Watcher = { readonly expiresAt: number; readonly onEnd: (error: WeftError) => void };
/** One credential with all of its subscriptions. */
type Watched = {
  readonly key: string;
  readonly principal: Principal;
  readonly kind: CredentialKind;
  readonly watchers: Set<Watcher>;
  /** The tick of the next read. */
  due: number;
  isReading: boolean;
  /** A change was signaled during a read, which may have returned the old state. */
  mustReread: boolean;
  failures: number;
};

/**
 * Changes by this process are detected immediately by `cache.onForget`, changes by others within 5 s by one
 * read per credential. A credential kind that is not listed is never valid.
 */
export function createCredentialExpiryWatcher(options: {
  readonly kinds: Readonly<Partial<Record<Principal['via'], CredentialKind>>>;
  readonly cache: Pick<PrincipalCache, 'onForget'>;
  readonly clock: Clock;
  /** Called when a credential could not be read. */
  readonly onError: (error: unknown) => void;
}): CredentialExpiryWatcher {
  const { kinds, cache, clock, onError } = options;
  const all = new Map<string, Watched>();
  const waiting = new Set<Watched>();
  let reading = 0;
  let tick = 0;
  /** ms since the last whole tick. */
  let waited = 0;
  let cancelTick: (() => void) | null = null;

  function end(watched: Watched, watcher: Watcher, message: string): void {
    if (!watched.watchers.delete(watcher)) return;
    if (watched.watchers.size === 0) drop(watched);
    watcher.onEnd(createUnauthorizedError(message));
  }
  function drop(watched: Watched): void {
    if (all.get(watched.key) === watched) all.delete(watched.key);
    waiting.delete(watched);
    if (all.size > 0) return;
    cancelTick?.();
    cancelTick = null;
  }

  function read(watched: Watched): void {
    waiting.delete(watched);
    if (watched.isReading) {
      watched.mustReread = true;
      return;
    }
    watched.isReading = true;
    watched.due = tick + TICKS_BETWEEN_READS;
    reading++;
    void isAlive(watched).then((alive) => {
      reading--;
      watched.isReading = false;
      if (!alive) for (const watcher of watched.watchers) end(watched, watcher, watched.kind.ended);
      else if (watched.mustReread && watched.watchers.size > 0) read(watched);
      watched.mustReread = false;
      readWaiting();
    });
  }
  async function isAlive(watched: Watched): Promise<boolean> {
    try {
      const alive = await watched.kind.isAlive(watched.principal);
      watched.failures = 0;
      return alive;
    } catch (error) {
      onError(error);
      return ++watched.failures < MAX_FAILED_READS;
    }
  }
  function readWaiting(): void {
    for (const watched of waiting) {
      if (reading >= MAX_CONCURRENT_READS) return;
      read(watched);
    }
  }

  function onTick(ms: number): void {
    waited += ms;
    if (waited >= TICK_MS) {
      waited = 0;
      tick++;
    }
    const now = clock.now();
    let soonest = Infinity;
    for (const watched of all.values()) {
      for (const watcher of watched.watchers) {
        if (watcher.expiresAt <= now) end(watched, watcher, watched.kind.expired);
        else soonest = Math.min(soonest, watcher.expiresAt);
      }
      if (watched.watchers.size > 0 && watched.due <= tick && !watched.isReading) waiting.add(watched);
    }
    readWaiting();
    cancelTick = null;
    if (all.size > 0) arm(Math.min(TICK_MS, soonest - now));
  }
  function arm(ms: number): void {
    const pause = Math.max(MIN_TICK_MS, ms);
    cancelTick ??= clock.after(pause, () => onTick(pause));
  }

  cache.onForget((what) => {
    for (const watched of all.values()) if (affects(what, watched.principal)) read(watched);
  });

  return {
    watch(principal, onEnd) {
      const kind = kinds[principal.via];
      const watcher: Watcher = { expiresAt: principal.expiresAt ?? Infinity, onEnd };
      if (kind === undefined) {
        let isWatched = true;
        clock.soon(() => isWatched && onEnd(createUnauthorizedError('The credential is no longer valid.')));
        return () => void (isWatched = false);
      }
      const key = `${principal.via} ${kind.getId(principal)}`;
      let watched = all.get(key);
      if (watched === undefined) {
        const watchers = new Set<Watcher>();
        watched = {
          key,
          principal,
          kind,
          watchers,
          due: 0,
          isReading: false,
          mustReread: false,
          failures: 0,
        };
        all.set(key, watched);
        watched.watchers.add(watcher);
        // It may have ended between authentication and now, before this subscription.
        read(watched);
      } else watched.watchers.add(watcher);
      arm(Math.min(TICK_MS, watcher.expiresAt - clock.now()));
      return () => {
        if (watched.watchers.delete(watcher) && watched.watchers.size === 0) drop(watched);
      };
    },
  };
}
