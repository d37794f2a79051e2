import type { Credential, Credentials } from './credentials.ts';
import type { CookieLogin } from './generated/types.ts';

/** The known state of a session whose token is in a cookie that scripts cannot read. */
export type CookieSession = {
  /** When the token expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly user: CookieLogin['user'];
};

/** The store of that state. With one store for all tabs, they share login, renewal and logout. */
export type CookieSessionStore = {
  get(): CookieSession | null;
  /** Null: the session has ended. */
  set(session: CookieSession | null): void;
  /** Runs `work` while no other tab runs any. Default: runs it immediately. */
  lock?<T>(work: () => Promise<T>): Promise<T>;
};

/** The service accepts a cookie only with this header, which pages of other origins cannot send. */
export const csrfHeader: Readonly<Record<string, string>> = { 'x-weft-csrf': '1' };

/** A token that expires within this many ms is renewed before it is used. */
const MARGIN_MS = 30_000;

export type CookieCredentials = Pick<Credentials, 'current' | 'replaced' | 'forget'> & {
  /** Runs a login or logout while no other tab changes the cookie. */
  runExclusive<T>(work: () => Promise<T>): Promise<T>;
  keep(login: CookieLogin): void;
};

/** `renew` is `POST /auth/session/refresh`, and returns null when the session has ended. */
export function createCookieCredentials(
  store: CookieSessionStore,
  renew: () => Promise<CookieLogin | null>,
  now: () => number,
): CookieCredentials {
  let isOver = false;
  let renewing: Promise<boolean> | null = null;

  function runExclusive<T>(work: () => Promise<T>): Promise<T> {
    return store.lock === undefined ? work() : store.lock(work);
  }
  function keep({ expires_in: seconds, user }: CookieLogin): void {
    isOver = false;
    store.set({ expiresAt: now() + seconds * 1_000, user });
  }
  /** Whether the token was replaced since it was used; null: it was not. */
  function wasReplaced(usedUntil: number | null): boolean | null {
    const known = store.get();
    if (known !== null) return known.expiresAt === usedUntil ? null : true;
    // The session was closed here or in another tab. If its state was never known, a cookie may still exist.
    return isOver || usedUntil !== null ? false : null;
  }
  async function renewNow(usedUntil: number | null): Promise<boolean> {
    const found = wasReplaced(usedUntil);
    if (found !== null) return found;
    const login = await renew();
    if (login !== null) keep(login);
    else {
      isOver = true;
      if (store.get() !== null) store.set(null);
    }
    return login !== null;
  }
  async function replaced(used: Credential): Promise<boolean> {
    const usedUntil = used.kind === 'cookie' ? used.expiresAt : null;
    const found = wasReplaced(usedUntil);
    if (found !== null) return found;
    renewing ??= runExclusive(() => renewNow(usedUntil)).finally(() => {
      renewing = null;
    });
    return renewing;
  }
  const held = (): Extract<Credential, { kind: 'cookie' }> => ({
    kind: 'cookie',
    expiresAt: store.get()?.expiresAt ?? null,
  });

  return {
    runExclusive,
    keep,
    replaced,
    async current() {
      const credential = held();
      if (credential.expiresAt !== null && credential.expiresAt - MARGIN_MS < now()) {
        // If the renewal fails because there is no connection, the current token may still be valid.
        await replaced(credential).catch(() => false);
      }
      return held();
    },
    async forget() {
      isOver = true;
      store.set(null);
    },
  };
}

/** An in-memory store, lost when the page closes. */
export function createMemoryStore(): CookieSessionStore {
  let known: CookieSession | null = null;
  return {
    get: () => known,
    set: (session) => void (known = session),
  };
}
