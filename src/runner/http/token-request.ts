import { parseUpstreamJson } from '../../contract/json-input.ts';
import { truncateText } from '../../lib/text/truncate.ts';
import type { HttpRequest, HttpResponse } from '../../contract/node-type.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { isObject } from '../../lib/json/json.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { parseMediaType } from '../../lib/network/media-type.ts';
import type { TokenResponse, TokenGrant } from '../../ports/oauth-tokens.ts';
import { httpFailure } from './http-failure.ts';

/** Timeout of one request; a second attempt gets the same time. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;
const MAX_TOKEN_LENGTH = 16_384;
const MAX_MESSAGE_LENGTH = 300;
/** Characters that a header can contain. */
const TOKEN = /^[\x21-\x7e]+$/;
/** Token types that require more than an Authorization header. */
const UNSUPPORTED_TOKEN_TYPES = new Set(['mac', 'dpop']);

/** Errors of RFC 6749, GitHub and Slack for rejected client credentials. */
const CLIENT_ERRORS = new Set([
  'invalid_client',
  'incorrect_client_credentials',
  'invalid_client_id',
  'bad_client_secret',
]);

export type Send = (request: HttpRequest) => Promise<HttpResponse>;

/**
 * Requests a token. According to RFC 6749 §2.3.1 the client authenticates with HTTP Basic, which every server
 * must support. Servers that accept credentials only in the body respond with invalid_client and are asked
 * again, unless the grant specifies the method. Responses are parsed as JSON or as a form regardless of the
 * status, because Slack and GitHub report errors with status 200.
 */
export async function requestToken(grant: TokenGrant, send: Send): Promise<TokenResponse> {
  const { clientId, clientSecret, clientAuthentication } = grant;
  const form = createForm(grant);
  if (clientSecret === null) {
    form.set('client_id', clientId);
    return readToken(await post(grant, form, {}, send));
  }
  if (clientAuthentication !== 'body') {
    const basic = Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`).toString('base64');
    const first = await post(grant, form, { authorization: `Basic ${basic}` }, send);
    if (clientAuthentication === 'basic' || !isClientRejected(first)) return readToken(first);
  }
  form.set('client_id', clientId);
  form.set('client_secret', clientSecret);
  return readToken(await post(grant, form, {}, send));
}

function createForm(grant: TokenGrant): URLSearchParams {
  const form = new URLSearchParams({ grant_type: grant.type });
  if (grant.type === 'authorization_code') {
    form.set('code', grant.code);
    form.set('redirect_uri', grant.redirectUri);
    if (grant.codeVerifier !== null) form.set('code_verifier', grant.codeVerifier);
    return form;
  }
  if (grant.type === 'refresh_token') form.set('refresh_token', grant.refreshToken);
  if (grant.scope !== '') form.set('scope', grant.scope);
  return form;
}

function post(
  { tokenUrl: url, proxy }: TokenGrant,
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

function isClientRejected(response: HttpResponse): boolean {
  const { error } = parse(response);
  return response.status === 401 || (typeof error === 'string' && CLIENT_ERRORS.has(error));
}

function readToken(response: HttpResponse): TokenResponse {
  const reply = parse(response);
  const { status } = response;
  const isRefused =
    (status !== 200 && status !== 201) || typeof reply['error'] === 'string' || reply['ok'] === false;
  if (isRefused) throw createRefusal(status, reply);
  // Slack: an app that acts only for a user has no token of its own.
  const person = isObject(reply['authed_user']) ? reply['authed_user'] : {};
  const given = reply['access_token'] === undefined ? person : reply;
  const token = given['access_token'];
  if (typeof token !== 'string' || token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token))
    throw httpFailure('server_error', 'The token endpoint responded without an access_token');
  const kind = given['token_type'];
  if (typeof kind === 'string' && UNSUPPORTED_TOKEN_TYPES.has(kind.toLowerCase()))
    throw httpFailure(
      'client_error',
      `The token endpoint returned a token of the unsupported type ${kind}`,
      false,
    );
  const refresh = given['refresh_token'];
  const seconds = Number(given['expires_in'] ?? Number.NaN);
  const scope = given['scope'];
  const apiUrl = reply['instance_url'];
  return {
    accessToken: token,
    refreshToken:
      typeof refresh === 'string' && refresh !== '' && refresh.length <= MAX_TOKEN_LENGTH ? refresh : null,
    expiresIn: seconds > 0 && seconds < 1e10 ? seconds * 1000 : null,
    scopes: typeof scope === 'string' ? scope.split(/[ ,]+/).filter((one) => one !== '') : null,
    apiUrl: typeof apiUrl === 'string' && apiUrl.length <= 2_000 ? apiUrl : null,
  };
}

function createRefusal(status: number, reply: JsonObject): HttpFailure {
  const { error, error_description: described } = reply;
  const code = typeof error === 'string' ? toSingleLine(error) : '';
  const more = typeof described === 'string' && described !== '' ? ` (${toSingleLine(described)})` : '';
  return new HttpFailure({
    type: status === 429 ? 'rate_limited' : status >= 500 ? 'server_error' : 'client_error',
    message: `The token endpoint responded with ${status}${code === '' ? '' : `: ${code}${more}`}`,
    status,
    data: { error: code },
  });
}

function parse(response: HttpResponse): JsonObject {
  const text = new TextDecoder().decode(response.body);
  if (parseMediaType(response.headers['content-type']) === 'application/x-www-form-urlencoded')
    return Object.fromEntries(new URLSearchParams(text));
  const value = parseUpstreamJson(text);
  return isObject(value) ? value : {};
}

function toSingleLine(words: string): string {
  return truncateText(words.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim(), MAX_MESSAGE_LENGTH);
}
