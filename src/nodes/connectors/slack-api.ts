import type { Json } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { CredentialsError, readBaseUrl, readJsonCredentials } from './credentials.ts';
import { printValue } from './data-fields.ts';
import type { ConnectorService, Credentials, Problem } from './connector-service.ts';

/** Temporary errors of Slack; all others are permanent. */
const TEMPORARY_ERRORS = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
]);

/** Errors that Slack returns with status 200 for an expired token. */
const TOKEN_ERRORS = new Set(['token_expired', 'invalid_auth', 'token_revoked']);

/** Slack's Web API, without its operations. */
export const slackApi: Omit<ConnectorService, 'operations' | 'check'> = {
  title: 'a bot',
  holds: 'the token (xoxb-…), or JSON with token and base_url',
  credentials: readToken,
  ofConnection: ({ token, apiUrl }) => ({ token, ...(apiUrl === null ? {} : { base_url: apiUrl }) }),
  isRefused: (body) => isObject(body) && TOKEN_ERRORS.has(printValue(body['error'] ?? '')),
  baseUrl: ({ base_url = 'https://slack.com/api' }) => readBaseUrl('base_url', base_url),
  authorize: ({ token }) => ({ authorization: `Bearer ${token}` }),
  problem: readApiProblem,
};

function readToken(secret: string): Credentials {
  if (secret.startsWith('{')) return readJsonCredentials(secret, ['token'], ['base_url']);
  if (!/^[\w.-]{8,1000}$/.test(secret))
    throw new CredentialsError(
      'the secret must contain a bot token (xoxb-…), JSON with token and base_url, or the URL of an incoming webhook',
    );
  return { token: secret };
}

/** Slack reports errors with status 200 and {ok: false, error}. */
function readApiProblem(status: number, body: Json): Problem | null {
  if (isObject(body) && body['ok'] === true) return null;
  const error = isObject(body) && typeof body['error'] === 'string' ? body['error'] : null;
  if (error === null)
    return status >= 400 ? null : { type: 'server_error', message: 'the response did not come from Slack' };
  const details =
    isObject(body) && isObject(body['response_metadata']) ? body['response_metadata']['messages'] : null;
  const message = [error, ...(Array.isArray(details) ? details : [])].map(String).join('; ');
  if (error === 'ratelimited' || error === 'rate_limited') return { type: 'rate_limited', message };
  if (TEMPORARY_ERRORS.has(error)) return { type: 'server_error', message };
  return status >= 400 ? { message } : { type: 'client_error', message };
}
