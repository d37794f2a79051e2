import { parseUpstreamJson } from '../../contract/json-input.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { HttpRequest, HttpResponse } from '../../contract/node-type.ts';
import { isObject } from '../../lib/json/json.ts';
import type { StoredConnectionSettings } from '../../ports/store/connections.ts';
import type { TokenAccess } from '../../ports/oauth-tokens.ts';
import { isAmong, resolveTestUrl } from './connection-settings.ts';

const TIMEOUT = 15_000;
const MAX_BYTES = 1024 * 1024;

export type ConnectionTest = { ok: boolean; message: string; httpStatus: number | null };

/** Gets a token and, where it is known what to ask, asks with it. A 401 is tried once more with a new token. */
export async function tryConnection(
  settings: StoredConnectionSettings,
  services: {
    token(refused: string | null, signal: AbortSignal): Promise<TokenAccess>;
    send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  },
): Promise<ConnectionTest> {
  const { signal } = new AbortController();
  try {
    let access = await services.token(null, signal);
    const url = resolveTestUrl(settings, access.apiUrl);
    if (url === null)
      return {
        ok: true,
        message: 'There is a token. Without a test_url it was not tried.',
        httpStatus: null,
      };
    const { host } = new URL(url);
    if (settings.hosts !== null && !isAmong(url, settings.hosts))
      return { ok: false, message: `${host} is not among the hosts of the connection`, httpStatus: null };
    const ask = (): Promise<HttpResponse> =>
      services.send(
        {
          method: 'GET',
          url,
          headers: { accept: 'application/json', authorization: `Bearer ${access.token}` },
          redirect: 'return',
          timeout: TIMEOUT,
          maxBytes: MAX_BYTES,
        },
        signal,
      );
    let response = await ask();
    if (response.status === 401) {
      const { token: refused } = access;
      access = await services.token(refused, signal);
      if (access.token !== refused) response = await ask();
    }
    const { status } = response;
    const problem = slackProblem(response);
    const ok = status >= 200 && status < 300 && problem === null;
    return {
      ok,
      message: `${host} answered ${status}${problem === null ? '' : `: ${problem}`}`,
      httpStatus: status,
    };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { ok: false, message: error.failure.message, httpStatus: error.failure.status ?? null };
  }
}

/** Slack says no with 200 and {ok: false, error}. */
function slackProblem({ body }: HttpResponse): string | null {
  const value = parseUpstreamJson(new TextDecoder().decode(body));
  if (!isObject(value) || value['ok'] !== false) return null;
  return typeof value['error'] === 'string' && /^[\w.-]{1,100}$/.test(value['error'])
    ? value['error']
    : 'it refused';
}
