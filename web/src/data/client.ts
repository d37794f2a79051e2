import { createClient, type Client, type WebSocketClass } from 'weft-client';
import { noteAnswer, noteLoss } from './connection.ts';
import { noteRateLimit } from './rate-limit.ts';
import { currentToken, replaceToken } from './session.ts';

/** ms: the live updates go on trying for as long as a page may stay open. */
const NEVER_GIVE_UP = 2 ** 31 - 1;

/** The one client of the page. Everything that the page knows of the service it knows through this. */
export const client: Client = createClient({
  baseUrl: location.origin,
  token: currentToken,
  fetch: observedFetch,
  WebSocket: observedSocket(),
  giveUpAfter: NEVER_GIVE_UP,
});

/** Notes whether the service answers and what is left of the plan. A token that was renewed meanwhile is replaced. */
async function observedFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const answer = await send(input, init);
  if (answer.status !== 401) return answer;
  const headers = new Headers(init?.headers);
  const sent = headers.get('authorization')?.replace(/^Bearer /, '');
  if (sent === undefined || !(await replaceToken(sent))) return answer;
  headers.set('authorization', `Bearer ${await currentToken()}`);
  return send(input, { ...init, headers });
}

async function send(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
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
