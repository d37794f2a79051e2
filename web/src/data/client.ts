import {
  createClient,
  UnauthorizedError,
  type Client,
  type CookieSession,
  type LoginInput,
  type WebSocketClass,
} from 'weft-client';
import { noteAnswer, noteLoss } from './connection.ts';
import { noteRateLimit } from './rate-limit.ts';
import { keepSession, sessionStore } from './session.ts';

/** ms: the live updates go on trying for as long as a page may stay open. */
const NEVER_GIVE_UP = 2 ** 31 - 1;

/** The one client of the page. Everything that the page knows of the service it knows through this. */
export const client: Client = createClient({
  baseUrl: location.origin,
  cookie: sessionStore,
  fetch: observedFetch,
  WebSocket: observedSocket(),
  giveUpAfter: NEVER_GIVE_UP,
});

/** Logs in. @throws when the service refuses, or this browser does not keep the cookie. */
export async function logIn(input: LoginInput): Promise<void> {
  let begun: CookieSession | null = null;
  // The page goes on only once the cookie has proved to work.
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
      'This browser did not keep the session cookie. Allow cookies for this address, or open the editor at the public address of the service.',
      { cause: error },
    );
  }
  keepSession(begun, false);
}

/** @throws when the service cannot be reached: only it can remove the cookie. */
export async function logOut(): Promise<void> {
  const leaving = createClient({
    baseUrl: location.origin,
    cookie: { ...sessionStore, set: () => keepSession(null, false) },
  });
  await leaving.auth.session.close({ retries: 0, timeout: 5_000 });
}

/** Notes whether the service answers and what is left of the plan. */
async function observedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  try {
    const answer = await fetch(input, init);
    noteAnswer();
    noteRateLimit(answer.headers);
    return answer;
  } catch (error) {
    if (init?.signal?.aborted !== true) noteLoss();
    throw error;
  }
}

/** The browser's WebSocket; the page learns from it that the service went away, and that it is back. */
function observedSocket(): WebSocketClass {
  class ObservedSocket extends WebSocket {
    constructor(url: string) {
      super(url);
      this.addEventListener('open', noteAnswer);
      // 1000 and 1005 are ends that one of us wanted.
      this.addEventListener('close', ({ code }) => {
        if (code !== 1000 && code !== 1005) noteLoss();
      });
    }
  }
  return ObservedSocket as unknown as WebSocketClass;
}
