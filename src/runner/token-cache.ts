import { createHash } from 'node:crypto';
import type { HttpRequest, HttpResponse, TokenRequest } from '../contract/node-type.ts';
import { HttpFailure } from '../contract/node-type.ts';
import { isObject } from '../lib/json.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Clock } from '../ports/clock.ts';
import { httpFailure } from './http-failure.ts';

const CACHE_SIZE = 1000;
/** When a token endpoint does not say how long a token lives, ms. */
const DEFAULT_LIFETIME_MS = 300_000;
/** A token is given up this long before it ends, ms, so that it does not end on its way. */
const MARGIN_MS = 30_000;
const TIMEOUT_MS = 30_000;
const MAX_BYTES = 256 * 1024;

type Send = (request: HttpRequest) => Promise<HttpResponse>;
type Entry = {
  token: string | null;
  expiresAt: number;
  /** The refresh token that replaced the one of the request, where the server rotates them. */
  refreshToken: string | null;
  flight: Promise<string> | null;
};

/**
 * Access tokens by owner and request, used until they end; one request at a time per token. Bounded: the longest
 * unused goes first. Nothing is kept on disk, so a rotated refresh token is known only while the process lives.
 */
export type TokenCache = {
  /** `send` goes through the gate on behalf of the attempt that needs the token. Rejects with HttpFailure. */
  token(ownerId: string, request: TokenRequest, fresh: boolean, send: Send): Promise<string>;
};

export function createTokenCache(clock: Pick<Clock, 'now'>): TokenCache {
  const cache = new Map<string, Entry>();

  function entryOf(key: string): Entry {
    const entry = cache.get(key) ?? { token: null, expiresAt: 0, refreshToken: null, flight: null };
    cache.delete(key);
    cache.set(key, entry);
    if (cache.size > CACHE_SIZE) cache.delete(cache.keys().next().value ?? '');
    return entry;
  }

  async function ask(entry: Entry, request: TokenRequest, send: Send): Promise<string> {
    const answer = await requestToken(request, entry.refreshToken, send);
    const token = answer['access_token'];
    if (typeof token !== 'string' || token === '' || !/^[\x21-\x7e]+$/.test(token))
      throw httpFailure('server_error', 'The token endpoint answered without an access_token');
    const seconds = Number(answer['expires_in']);
    const lifetime = seconds > 0 ? seconds * 1000 : DEFAULT_LIFETIME_MS;
    entry.token = token;
    entry.expiresAt = clock.now() + Math.max(lifetime / 2, lifetime - MARGIN_MS);
    const rotated = answer['refresh_token'];
    if (typeof rotated === 'string' && rotated !== '') entry.refreshToken = rotated;
    return token;
  }

  return {
    async token(ownerId, request, fresh, send) {
      const entry = entryOf(keyOf(ownerId, request));
      if (entry.flight !== null) {
        const joined = await entry.flight.catch(() => null);
        if (joined !== null) return joined;
        // The attempt that asked may only have been given up; one of those that joined it asks again.
        if (entry.flight !== null) return entry.flight;
      }
      if (!fresh && entry.token !== null && entry.expiresAt > clock.now()) return entry.token;
      entry.flight = ask(entry, request, send).finally(() => {
        entry.flight = null;
      });
      return entry.flight;
    },
  };
}

/** A digest, so that no secret is held as a key. */
function keyOf(ownerId: string, request: TokenRequest): string {
  const { token_url, client_id, client_secret, scope, refresh_token } = request;
  const text = JSON.stringify([ownerId, token_url, client_id, client_secret, scope, refresh_token]);
  return createHash('sha256').update(text).digest('base64');
}

/**
 * RFC 6749 §2.3.1: the client authenticates by HTTP Basic, which every server must support; those that take the
 * credentials only in the body refuse with invalid_client and are asked again that way.
 */
async function requestToken(request: TokenRequest, rotated: string | null, send: Send): Promise<JsonObject> {
  const form = new URLSearchParams(
    request.refresh_token === undefined
      ? { grant_type: 'client_credentials' }
      : { grant_type: 'refresh_token', refresh_token: rotated ?? request.refresh_token },
  );
  if (request.scope !== undefined && request.scope !== '') form.set('scope', request.scope);
  const { client_id, client_secret } = request;
  if (client_secret === undefined) {
    form.set('client_id', client_id);
    return answerOf(await post(request, form, {}, send));
  }
  const basic = Buffer.from(`${formEncode(client_id)}:${formEncode(client_secret)}`).toString('base64');
  const first = await post(request, form, { authorization: `Basic ${basic}` }, send);
  if (!refusedClient(first)) return answerOf(first);
  form.set('client_id', client_id);
  form.set('client_secret', client_secret);
  return answerOf(await post(request, form, {}, send));
}

function post(
  { token_url: url, proxy }: TokenRequest,
  form: URLSearchParams,
  headers: Record<string, string>,
  send: Send,
): Promise<HttpResponse> {
  return send({
    method: 'POST',
    url,
    headers: { ...headers, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    redirect: 'return',
    ...(proxy === undefined ? {} : { proxy }),
    timeout: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  });
}

function formEncode(text: string): string {
  return new URLSearchParams({ x: text }).toString().slice(2);
}

function refusedClient(response: HttpResponse): boolean {
  return (
    response.status === 401 || (response.status === 400 && parse(response)['error'] === 'invalid_client')
  );
}

function answerOf(response: HttpResponse): JsonObject {
  const answer = parse(response);
  if (response.status === 200 || response.status === 201) return answer;
  const code = typeof answer['error'] === 'string' ? `: ${answer['error'].slice(0, 200)}` : '';
  const { status } = response;
  throw new HttpFailure({
    type: status === 429 ? 'rate_limited' : status >= 500 ? 'server_error' : 'client_error',
    message: `The token endpoint answered ${status}${code}`,
    status,
  });
}

function parse(response: HttpResponse): JsonObject {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(response.body));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
