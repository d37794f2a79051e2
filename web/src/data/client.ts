import {
  createClient,
  UnauthorizedError,
  type Client,
  type CookieSession,
  type LoginInput,
  type WebSocketClass,
} from 'weft-client';
import { recordResponse, recordConnectionLoss } from './live/connection.ts';
import { recordRateLimit } from './rate-limit.ts';
import { keepSession, sessionStore } from './session.ts';
import { t } from '../i18n/index.ts';

/** ms: live updates reconnect for as long as a page may stay open. */
const NO_TIME_LIMIT_MS = 2 ** 31 - 1;

/** The API client that the whole page shares. */
export const client: Client = createClient({
  baseUrl: location.origin,
  cookie: sessionStore,
  fetch: observedFetch,
  WebSocket: observedSocket(),
  giveUpAfter: NO_TIME_LIMIT_MS,
});

/** Logs in. @throws when the service rejects the login or the browser does not store the cookie. */
export async function logIn(input: LoginInput): Promise<void> {
  let begun: CookieSession | null = null;
  // The page continues only after a request with the cookie has succeeded.
  const attempt = createClient({
    baseUrl: location.origin,
    cookie: { ...sessionStore, get: () => begun, set: (session) => void (begun = session) },
  });
  await attempt.auth.session.open(input);
  try {
    await attempt.users.me();
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    throw new Error(
      t(
        'This browser did not keep the session cookie. Allow cookies for this address, or open the editor at the public address of the service.',
      ),
      { cause: error },
    );
  }
  keepSession(begun, false);
}

/** @throws when the service cannot be reached: only the service can remove the cookie. */
export async function logOut(): Promise<void> {
  const leaving = createClient({
    baseUrl: location.origin,
    cookie: { ...sessionStore, set: () => keepSession(null, false) },
  });
  await leaving.auth.session.close({ retries: 0, timeout: 5_000 });
}

/** Records the connection state and the remaining rate limit of each response. */
async function observedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  try {
    const response = await fetch(input, init);
    recordResponse();
    recordRateLimit(response.headers);
    return response;
  } catch (error) {
    if (init?.signal?.aborted !== true) recordConnectionLoss();
    throw error;
  }
}

/** The browser's WebSocket, which also updates the connection state of the page. */
function observedSocket(): WebSocketClass {
  class ObservedSocket extends WebSocket {
    constructor(url: string) {
      super(url);
      this.addEventListener('open', recordResponse);
      // 1000 and 1005 are intended closes.
      this.addEventListener('close', ({ code }) => {
        if (code !== 1000 && code !== 1005) recordConnectionLoss();
      });
    }
  }
  return ObservedSocket as unknown as WebSocketClass;
}
