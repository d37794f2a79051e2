import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import { oauthPaths } from '../../auth/oauth/paths.ts';
import { WeftError } from '../../contract/errors.ts';
import { getClientNetwork } from '../../lib/network/client-network.ts';
import { createAddressLimit, type AddressLimit } from '../../lib/limits/address-limit.ts';
import { renderErrorPage } from './error-page.ts';
import { mountInteractions, type InteractionsOptions } from './interactions.ts';
import { mountResourceMetadata } from './resource-metadata.ts';

/** Limit for bodies with a length. The provider reads at most 56 KiB of a body without one. */
const BODY_LIMIT_BYTES = 16 * 1024;
const MINUTE_MS = 60_000;
/** Requests from one address. */
const REQUESTS_PER_MINUTE = 600;
/**
 * A login needs three of these. The limit for 15 minutes is far below the number of pending authorizations
 * that are kept.
 */
const AUTHORIZATIONS_PER_MINUTE = 120;
const REGISTRATIONS_PER_HOUR = 30;

export type OAuthPluginOptions = InteractionsOptions & {
  readonly now: () => number;
  /** The public origin of the service. */
  readonly origin: () => string;
};

type Endpoint = {
  readonly method: ('GET' | 'POST' | 'OPTIONS')[];
  readonly url: string;
  readonly limit?: AddressLimit;
};

/** The authorization server at the root of the origin: its endpoints, and the login and consent pages. */
export function oauthPlugin(options: OAuthPluginOptions): (app: FastifyInstance) => void {
  const { provider, now } = options;
  let handleRequest: ReturnType<Provider['callback']> | null = null;
  const allRequests = createAddressLimit(REQUESTS_PER_MINUTE, MINUTE_MS, now);
  const authorizations = createAddressLimit(AUTHORIZATIONS_PER_MINUTE, MINUTE_MS, now);
  const endpoints: Endpoint[] = [
    { method: ['GET', 'OPTIONS'], url: '/.well-known/oauth-authorization-server' },
    { method: ['GET', 'OPTIONS'], url: '/.well-known/openid-configuration' },
    { method: ['GET', 'OPTIONS'], url: oauthPaths.jwks },
    { method: ['GET'], url: oauthPaths.authorization, limit: authorizations },
    { method: ['GET'], url: `${oauthPaths.authorization}/:uid`, limit: authorizations },
    { method: ['POST', 'OPTIONS'], url: oauthPaths.token },
    { method: ['POST', 'OPTIONS'], url: oauthPaths.revocation },
    { method: ['POST', 'OPTIONS'], url: oauthPaths.introspection },
    {
      method: ['POST'],
      url: oauthPaths.registration,
      limit: createAddressLimit(REGISTRATIONS_PER_HOUR, 60 * MINUTE_MS, now),
    },
  ];

  return (app) => {
    app.setErrorHandler(sendOAuthError);
    app.addHook('onRequest', (request, reply, done) => {
      const wait = allRequests.hit(getClientNetwork(request.ip));
      if (wait === null) done();
      else rejectRequest(request, reply, wait);
    });
    void app.register((scope, _options, ready) => {
      scope.removeAllContentTypeParsers();
      // The provider reads the body.
      scope.addContentTypeParser('*', (_request, _body, done) => done(null));
      for (const { method, url, limit } of endpoints) {
        scope.route({
          method,
          url,
          bodyLimit: BODY_LIMIT_BYTES,
          async handler(request, reply) {
            const wait =
              request.method === 'OPTIONS' ? null : (limit?.hit(getClientNetwork(request.ip)) ?? null);
            if (wait === null) {
              const server = await provider();
              passToProvider(server.issuer, (handleRequest ??= server.callback()), request, reply);
            } else rejectRequest(request, reply, wait);
            return reply;
          },
        });
      }
      ready();
    });
    void app.register((scope, _options, ready) => {
      mountResourceMetadata(scope, options.origin);
      ready();
    });
    void app.register((scope, _options, ready) => {
      mountInteractions(scope, options);
      ready();
    });
  };
}

/**
 * Passes the request to the provider, which responds on the raw connection. The common headers are copied.
 */
function passToProvider(
  origin: string,
  handleRequest: ReturnType<Provider['callback']>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { raw } = request;
  const issuer = new URL(origin);
  // The provider builds URLs from these headers, so they must not come from the caller. The target may be an
  // absolute URL.
  raw.headers['x-forwarded-for'] = request.ip;
  raw.headers['x-forwarded-host'] = issuer.host;
  raw.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  const { pathname, search } = new URL(raw.url ?? '/', issuer);
  raw.url = pathname + search;
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.setHeader('referrer-policy', 'no-referrer');
  reply.raw.setHeader('x-frame-options', 'DENY');
  // The provider adds the hash of the script of its form_post response.
  reply.raw.setHeader(
    'content-security-policy',
    "default-src 'none'; script-src; frame-ancestors 'none'; base-uri 'none'",
  );
  reply.hijack();
  // The rest of an unread body would block the next request on this connection.
  reply.raw.once('finish', () => raw.resume());
  void handleRequest(raw, reply.raw);
}

/** Sends 429: a page for browsers, and an RFC 6749 error for programs. */
function rejectRequest(request: FastifyRequest, reply: FastifyReply, seconds: number): void {
  const error = {
    error: 'temporarily_unavailable',
    error_description: 'Too many requests from this address.',
  };
  void reply.code(429).header('retry-after', String(seconds)).header('cache-control', 'no-store');
  const isPage = request.url.startsWith(oauthPaths.authorization) || isInteraction(request);
  if (isPage) {
    const page = renderErrorPage(error, request.id);
    void reply.headers(page.headers).send(page.html);
  } else void reply.type('application/json; charset=utf-8').send(JSON.stringify(error));
}

function isInteraction(request: FastifyRequest): boolean {
  return request.url.startsWith(oauthPaths.interaction);
}

function sendOAuthError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const status = toStatus(error);
  if (status === 500) request.log.error({ err: error }, 'request failed');
  const shown =
    status === 500
      ? { error: 'server_error', error_description: 'An internal error occurred.' }
      : { error: 'invalid_request', error_description: 'The request is not valid.' };
  void reply.code(status).header('cache-control', 'no-store');
  if (isInteraction(request)) {
    const page = renderErrorPage(shown, request.id);
    void reply.headers(page.headers).send(page.html);
  } else void reply.type('application/json; charset=utf-8').send(JSON.stringify(shown));
}

/**
 * Errors of Fastify are caused by the caller, such as a body that is too large, of another type or
 * incomplete.
 */
function toStatus(error: unknown): 400 | 429 | 500 {
  if (error instanceof WeftError) return error.status === 429 ? 429 : error.status < 500 ? 400 : 500;
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (code === 'ECONNRESET') return 400;
  return statusCode !== undefined && statusCode < 500 ? 400 : 500;
}
