import { UnauthorizedError, createClient, type LoginInput, type Session } from 'weft-client';
import { browserStorage } from './browser-storage.ts';
import { createStore } from './store.ts';

/**
 * The login of this browser: one for all its tabs. A token is renewed by one tab at a time, because the service takes an old
 * token for a new one only within a minute.
 */

const KEY = 'weft.session';
const LOCK = 'weft.session';
/** ms before its end from which a token is renewed. */
const MARGIN = 60_000;

export type SessionState = {
  readonly session: Session | null;
  /** The service ended it; not the person. What is on the page may still be wanted. */
  readonly hasEnded: boolean;
};

export const sessionState = createStore<SessionState>({ session: read(), hasEnded: false });

/** Logs in, renews and logs out; everything else is asked with `currentToken`. */
const auth = createClient({
  baseUrl: location.origin,
  onSession: (session) => keep(session, false),
});

function read(): Session | null {
  const text = browserStorage.get(KEY);
  if (text === null) return null;
  try {
    const { token, expiresAt, user } = JSON.parse(text) as Partial<Session>;
    const isWhole = typeof token === 'string' && typeof expiresAt === 'number' && user !== undefined;
    return isWhole ? { token, expiresAt, user } : null;
  } catch {
    return null;
  }
}

function keep(session: Session | null, hasEnded: boolean): void {
  browserStorage.set(KEY, session === null ? null : JSON.stringify(session));
  sessionState.set({ session, hasEnded });
}

/** Other tabs log in, renew and log out, too. */
addEventListener('storage', (event) => {
  if (event.key !== KEY && event.key !== null) return;
  sessionState.set({ session: read(), hasEnded: false });
});

export async function logIn(input: LoginInput): Promise<void> {
  await auth.auth.login(input);
}

export async function logOut(): Promise<void> {
  const { session } = sessionState.get();
  // A service that cannot be reached ends the session by itself in time; this browser forgets it now.
  if (session !== null) await withToken(session.token).catch(() => {});
  keep(null, false);
}

async function withToken(token: string): Promise<void> {
  await createClient({ baseUrl: location.origin, token, retries: 0, timeout: 5_000 }).auth.logout();
}

/** The token to send with a request, renewed first when its end is near. @throws {UnauthorizedError} when there is none. */
export async function currentToken(): Promise<string> {
  const { session } = sessionState.get();
  if (session === null) throw signedOut();
  return session.expiresAt - MARGIN > Date.now() ? session.token : renew(session.token);
}

/** The service did not take this token: true when there is another one by now, false when the session is over. */
export async function replaceToken(refused: string): Promise<boolean> {
  if (sessionState.get().session?.token !== refused) return sessionState.get().session !== null;
  return renew(refused).then(
    () => true,
    (error: unknown) => {
      if (error instanceof UnauthorizedError) return false;
      throw error;
    },
  );
}

let renewing: Promise<string> | null = null;

function renew(old: string): Promise<string> {
  renewing ??= alone(() => renewNow(old)).finally(() => {
    renewing = null;
  });
  return renewing;
}

async function renewNow(old: string): Promise<string> {
  // Another tab may have been quicker.
  const stored = read() ?? sessionState.get().session;
  if (stored === null) throw signedOut();
  if (stored.token !== old && stored.expiresAt - MARGIN > Date.now()) {
    sessionState.set({ session: stored, hasEnded: false });
    return stored.token;
  }
  try {
    return (await auth.auth.refresh({ token: stored.token })).token;
  } catch (error) {
    if (error instanceof UnauthorizedError) keep(null, true);
    throw error;
  }
}

/** Not while another tab does the same. Browsers have locks on secure origins only; elsewhere the service's minute must do. */
function alone<T>(work: () => Promise<T>): Promise<T> {
  // The DOM types do not know that it may be missing.
  const locks = navigator.locks as LockManager | undefined;
  return locks === undefined ? work() : locks.request(LOCK, work);
}

function signedOut(): UnauthorizedError {
  return new UnauthorizedError('UNAUTHORIZED', { message: 'Nobody is signed in.' });
}
