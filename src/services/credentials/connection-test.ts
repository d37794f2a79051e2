import type { RequestCredentials } from '../../contract/connections/connection-fields.ts';
import { parseUpstreamJson } from '../../contract/json-input.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { HttpRequest, HttpResponse } from '../../contract/node-type.ts';
import { isObject } from '../../lib/json/json.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import type { StoredConnectionSettings } from '../../ports/store/connections.ts';
import type { ConnectionAccess } from '../../ports/oauth-tokens.ts';
import { isAmong, resolveTestUrl } from './connection-settings.ts';

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 1024 * 1024;

export type ConnectionTest = { ok: boolean; message: string; httpStatus: number | null };

/**
 * Gets a token or the fields and, if a URL is known, makes a request with them. A 401 is tried once more with
 * a new token.
 */
export async function testConnection(
  settings: StoredConnectionSettings,
  services: {
    access(refused: string | null, signal: AbortSignal): Promise<ConnectionAccess>;
    send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  },
): Promise<ConnectionTest> {
  const { signal } = new AbortController();
  let redact: (text: string) => string = (text) => text;
  try {
    let access = await services.access(null, signal);
    redact = createRedactor(access.secrets);
    const url = await resolveTestUrl(settings, access.apiUrl);
    if (url === null)
      return {
        ok: true,
        message: `${settings.grantType === 'fields' ? 'The fields are stored' : 'There is a token'}. Without a test_url it was not tried.`,
        httpStatus: null,
      };
    const { host } = new URL(url);
    if (settings.hosts !== null && !isAmong(url, settings.hosts))
      return { ok: false, message: `${host} is not among the hosts of the connection`, httpStatus: null };
    const ask = (): Promise<HttpResponse> =>
      services.send(buildTestRequest(settings.testMethod, url, access.credentials), signal);
    let response = await ask();
    if (response.status === 401 && access.token !== null && settings.grantType !== 'fields') {
      const { token: refused } = access;
      access = await services.access(refused, signal);
      if (access.token !== refused) response = await ask();
    }
    const { status } = response;
    const problem = readSlackProblem(response);
    const isExpected =
      settings.testStatus === null ? status >= 200 && status < 300 : status === settings.testStatus;
    const expected =
      settings.testStatus === null || isExpected ? '' : `, and the test expects ${settings.testStatus}`;
    return {
      ok: isExpected && problem === null,
      message: redact(`${host} responded with ${status}${problem === null ? '' : `: ${problem}`}${expected}`),
      httpStatus: status,
    };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { ok: false, message: redact(error.failure.message), httpStatus: error.failure.status ?? null };
  }
}

function buildTestRequest(
  method: StoredConnectionSettings['testMethod'],
  text: string,
  { headers, query }: RequestCredentials,
): HttpRequest {
  const url = new URL(text);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return {
    method,
    url: url.href,
    headers: { accept: 'application/json', ...headers },
    redirect: 'return',
    timeout: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  };
}

/** Slack says no with 200 and {ok: false, error}. */
function readSlackProblem({ body }: HttpResponse): string | null {
  const value = parseUpstreamJson(new TextDecoder().decode(body));
  if (!isObject(value) || value['ok'] !== false) return null;
  return typeof value['error'] === 'string' && /^[\w.-]{1,100}$/.test(value['error'])
    ? value['error']
    : 'it refused';
}
