import type { HttpRequest, HttpResponse, NodeContext, Outcome } from '../../contract/node-type.ts';
import { parseDuration } from '../../lib/time/duration.ts';
import { isObject, type JsonObject } from '../../lib/json/json.ts';
import { defineNode } from '../define-node.ts';
import { done, invalid } from '../outcome.ts';
import { httpResult, readResponse, toStatusFailure, readFailureType, readFileInfo } from './response.ts';
import {
  authenticateUrl,
  authenticationSecrets,
  createCredentials,
  listNamedConnections,
  type Proof,
} from './authentication.ts';
import { encodeBody, type Encoded } from './body.ts';
import { fetchPages } from './pagination.ts';
import { validateRequest } from './request-check.ts';
import { HttpRequestConfig, type RequestConfig } from './request-config.ts';
import { excerptRequest } from './request-excerpt.ts';
import { buildUrl } from './url.ts';

/** Default total time of a request: with an in-memory body, and with a file. */
const DEFAULT_TIMEOUT_MS = 60_000;
const FILE_TIMEOUT_MS = 3_600_000;
/** Idle timeout when a file is transferred. */
const FILE_IDLE_TIMEOUT_MS = 60_000;

export const httpRequest = defineNode({
  type: 'http_request',
  version: '1.0.0',
  name: 'HTTP request',
  category: 'http',
  description:
    'Sends an HTTP request. The result is {status, headers, body}: header names are in lower case, a JSON body is parsed, text is returned as a string, and anything else as a file. Redirects are followed. A 4xx response fails with client_error, 5xx with server_error and 429 with rate_limited, respecting Retry-After. Every request has an Idempotency-Key header that stays the same across retries and restarts, unless you set one.',
  icon: 'globe',
  keywords: [
    'request',
    'api',
    'rest',
    'curl',
    'fetch',
    'call api',
    'url',
    'get',
    'post',
    'put',
    'patch',
    'download',
    'upload',
    'endpoint',
    'graphql',
    'authentication',
    'oauth',
  ],
  config: HttpRequestConfig,
  output: httpResult,
  templates: {
    'authentication.type': 'literal',
    'authentication.grant_type': 'literal',
    'authentication.token_url': 'url',
    'authentication.credential': 'literal',
    'authentication.connection': 'literal',
    url: 'url',
    method: 'literal',
    body_type: 'literal',
    responses: 'literal',
    responseType: 'literal',
    idleTimeout: 'literal',
    'pagination.next': 'deferred',
    'pagination.items': 'literal',
  },
  outputs: [{ name: 'out', type: 'object', description: '{status, headers, body}' }],
  effects: 'external',
  secrets: {
    url: 'request',
    query: 'request',
    headers: 'request',
    body: 'request',
    files: 'request',
    ...authenticationSecrets,
    proxy: 'proxy',
  },
  timeout: DEFAULT_TIMEOUT_MS,
  timeoutFor: (config) => (mayTransferFile(config) ? FILE_TIMEOUT_MS : DEFAULT_TIMEOUT_MS),
  check: validateRequest,
  connections: listNamedConnections,
  run: (ctx, config) => sendRequest(ctx, config),
  examples: [
    {
      title: 'Post JSON with a token',
      config: {
        method: 'POST',
        url: 'https://api.example.com/orders',
        authentication: { type: 'bearer', token: '{{ secrets.ORDERS_TOKEN }}' },
        body: { order: '{{ input.id }}', total: '{{ input.total }}' },
      },
      input: { id: 'o-17', total: 99.5 },
      outputs: {
        out: { status: 201, headers: { 'content-type': 'application/json' }, body: { id: 17 } },
      },
    },
    {
      title: 'Search, and accept 404 as a result',
      config: {
        url: 'https://api.example.com/customers',
        query: { email: '{{ input.email }}', limit: 1 },
        responses: { '4xx': 'return' },
      },
      input: { email: 'ada@example.com' },
      outputs: { out: { status: 404, headers: {}, body: null } },
    },
    {
      title: 'Fetch all pages by cursor',
      config: {
        url: 'https://api.example.com/orders',
        query: { limit: 100 },
        pagination: {
          items: 'data',
          next: '{{ value.body.has_more ? {"after": value.body.last_id} : null }}',
        },
      },
      input: {},
      outputs: { out: { status: 200, headers: {}, body: [{ id: 1 }, { id: 2 }], pages: 2, next: null } },
    },
    {
      title: 'Upload a file with retries',
      config: {
        method: 'POST',
        url: 'https://files.example.com/upload',
        body_type: 'form-data',
        body: { title: 'Report' },
        files: { doc: { filename: 'report.txt', content: '{{ input.report }}', content_type: 'text/plain' } },
        retryPolicy: { maxAttempts: 5, initialDelay: '2s', retryConditions: ['network', 'server_error'] },
      },
      input: { report: 'All is well.' },
      outputs: { out: { status: 200, headers: {}, body: 'stored' } },
    },
    {
      title: 'OAuth 2.0 client credentials',
      config: {
        url: 'https://api.example.com/reports',
        authentication: {
          type: 'oauth2',
          grant_type: 'client_credentials',
          token_url: 'https://auth.example.com/token',
          client_id: 'weft',
          client_secret: '{{ secrets.CLIENT_SECRET }}',
          scope: 'reports:read',
        },
      },
      input: {},
      outputs: { out: { status: 200, headers: {}, body: [] } },
    },
    {
      title: 'Use a connected account or a stored API key',
      config: {
        method: 'POST',
        url: 'https://api.github.com/repos/acme/shop/issues',
        authentication: { type: 'connection', connection: 'GITHUB' },
        body: { title: '{{ input.title }}' },
      },
      input: { title: 'The till is slow' },
      outputs: { out: { status: 201, headers: {}, body: { number: 17 } } },
    },
  ],
});

/**
 * Sends the request of one attempt. Other nodes fill in the configuration: they pass a body that is already
 * encoded, and the fields of this configuration that contain a secret.
 */
export async function sendRequest(
  ctx: NodeContext,
  config: RequestConfig,
  given: { body?: Encoded; secretFields?: readonly string[] } = {},
): Promise<Outcome> {
  const url = buildUrl(config.url, config.query);
  if (url === null) return invalid('url', 'must be an http or https URL');
  const encoding = given.body ?? encodeBody(ctx, config);
  const encoded = encoding instanceof Promise ? await encoding : encoding;
  if ('fault' in encoded) return invalid(encoded.fault.field, encoded.fault.issue);
  const own = Object.fromEntries(
    Object.entries(config.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const times = readTimeouts(config, encoded.holdsFile === true || config.responseType === 'file');
  const credentials = createCredentials(ctx, config.authentication, config.proxy);
  /** `renewed`: the token was already renewed, so the response is final. */
  const toFile = (isRenewed: boolean): NonNullable<HttpRequest['toFile']> => {
    const renews = credentials.isRenewable && !isRenewed;
    return (head) =>
      readFailureType(config, head.status) !== null || (renews && head.status === 401)
        ? null
        : readFileInfo(head, config.responseType ?? 'auto');
  };
  let sent: { request: HttpRequest; proof: Proof } | null = null;
  const sendWith = (
    proof: Proof,
    at: string,
    page: number,
    renewed: boolean,
    maxBytes?: number,
  ): Promise<HttpResponse> => {
    const request: HttpRequest = {
      method: config.method ?? 'GET',
      url: authenticateUrl(at, proof.query),
      headers: {
        ...(encoded.contentType === null ? {} : { 'content-type': encoded.contentType }),
        // Each page is a separate request. The key of the first page could return the response of that page
        // again.
        'idempotency-key': page === 1 ? ctx.idempotencyKey : `${ctx.idempotencyKey}-${page}`,
        ...own,
        ...proof.headers,
      },
      ...(encoded.body === null ? {} : { body: encoded.body }),
      redirect: (config.responses?.['3xx'] ?? 'follow') === 'follow' ? 'follow' : 'return',
      ...times,
      ...(config.proxy === undefined ? {} : { proxy: config.proxy }),
      ...(maxBytes === undefined ? { toFile: toFile(renewed) } : { maxBytes }),
    };
    sent = { request, proof };
    return ctx.http.send(request);
  };
  const send = (at: string, page: number, renewed: boolean, maxBytes?: number): Promise<HttpResponse> => {
    const proof = credentials.proof();
    return proof instanceof Promise
      ? proof.then((loaded) => sendWith(loaded, at, page, renewed, maxBytes))
      : sendWith(proof, at, page, renewed, maxBytes);
  };
  const fetch = async (at: string, page: number, maxBytes?: number): Promise<HttpResponse | Outcome> => {
    let response = await send(at, page, false, maxBytes);
    // Renew once; the second response is final.
    if (response.status === 401 && (await credentials.renew()))
      response = await send(at, page, true, maxBytes);
    const failure = toStatusFailure(ctx, config, response);
    if (failure === null) return response;
    return sent === null
      ? failure
      : withRequest(
          failure,
          excerptRequest(sent.request, config, given.secretFields ?? ctx.secretFields, sent.proof),
        );
  };
  if (config.pagination !== undefined) return fetchPages(ctx, config.pagination, url, fetch);
  const response = await fetch(url, 1);
  if ('kind' in response) return response;
  const reply = readResponse(ctx, response, config.responseType);
  return done(reply instanceof Promise ? await reply : reply);
}

function withRequest(failure: Outcome, request: JsonObject): Outcome {
  if (failure.kind !== 'failed' || !isObject(failure.error.data ?? null)) return failure;
  return {
    kind: 'failed',
    error: { ...failure.error, data: { ...(failure.error.data as JsonObject), request } },
  };
}

function readTimeouts(
  { timeout, idleTimeout }: { timeout?: string; idleTimeout?: string },
  movesFile: boolean,
): { timeout: number; idleTimeout?: number } {
  const idle = idleTimeout === undefined ? null : parseDuration(idleTimeout);
  return {
    timeout:
      (timeout === undefined ? null : parseDuration(timeout)) ??
      (movesFile ? FILE_TIMEOUT_MS : DEFAULT_TIMEOUT_MS),
    ...(idle === null ? (movesFile ? { idleTimeout: FILE_IDLE_TIMEOUT_MS } : {}) : { idleTimeout: idle }),
  };
}

/** Called before templates are evaluated: a body that is a single placeholder may evaluate to a file. */
function mayTransferFile(config: JsonObject): boolean {
  const { responseType, files, body, body_type: type } = config;
  if (responseType === 'file' || files !== undefined || type === 'binary') return true;
  return type === undefined && typeof body === 'string' && /^\{\{[^}]*\}\}$/.test(body.trim());
}
