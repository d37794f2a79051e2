import type { CookieSession, CookieSessionStore } from 'weft-client';
import { browserStorage } from './browser-storage.ts';
import { createStore } from './store.ts';

/** The session, shared by all tabs of this browser. The token is in a cookie that scripts cannot read. */

const STORAGE_KEY = 'weft.login';
const LOCK_NAME = 'weft.login';

export type SessionState = {
  readonly session: CookieSession | null;
  /** The service ended the session, not the user. The page keeps its state. */
  readonly hasEnded: boolean;
};

// Earlier versions stored the token under this key.
browserStorage.set('weft.session', null);

export const sessionState = createStore<SessionState>({ session: read(), hasEnded: false });

function read(): CookieSession | null {
  const text = browserStorage.get(STORAGE_KEY);
  if (text === null) return null;
  try {
    const { expiresAt, user } = JSON.parse(text) as Partial<CookieSession>;
    return typeof expiresAt === 'number' && user !== undefined ? { expiresAt, user } : null;
  } catch {
    return null;
  }
}

export function keepSession(session: CookieSession | null, hasEnded: boolean): void {
  browserStorage.set(STORAGE_KEY, session === null ? null : JSON.stringify(session));
  sessionState.set({ session, hasEnded });
}

/** Other tabs log in, renew and log out as well. */
addEventListener('storage', (event) => {
  if (event.key !== STORAGE_KEY && event.key !== null) return;
  sessionState.set({ session: read(), hasEnded: false });
});

export const sessionStore: Required<CookieSessionStore> = {
  get: () => read() ?? sessionState.get().session,
  set: (session) => keepSession(session, session === null),
  /** Web Locks need a secure origin; elsewhere two tabs may renew concurrently, and get the same token. */
  lock(work) {
    // The DOM types do not declare that it may be undefined.
    const locks = navigator.locks as LockManager | undefined;
    return locks === undefined ? work() : locks.request(LOCK_NAME, work);
  },
};
