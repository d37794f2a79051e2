import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import { oauthPaths } from '../../auth/oauth/paths.ts';
import { WeftError } from '../../contract/errors.ts';
import { clientNetwork } from '../../lib/network/client-network.ts';
import { createAddressLimit, type AddressLimit } from './address-limit.ts';
import { errorPage } from './error-page.ts';
import { mountInteractions, type InteractionsOptions } from './interactions.ts';
import { mountResourceMetadata } from './resource-metadata.ts';

/** Of a body with a length: forms of a few fields. The provider itself reads at most 56 KiB of one without a length. */
const BODY_LIMIT_BYTES = 16 * 1024;
const MINUTE = 60_000;
/** Requests of one address. */
const PER_MINUTE = 600;
/** One login takes three of these. Far fewer in 15 minutes than the pending ones that are kept. */
const AUTHORIZATIONS_PER_MINUTE = 120;
const REGISTRATIONS_PER_HOUR = 30;

export type OAuthPluginOptions = InteractionsOptions & {
  readonly now: () => number;
  /** The public origin. */
  readonly origin: () => string;
};

type Endpoint = {
  readonly method: ('GET' | 'POST' | 'OPTIONS')[];
  readonly url: string;
  readonly limit?: AddressLimit;
};

/** The authorization server, at the root of the origin: its endpoints, and the pages where people log in and consent. */
export function oauthPlugin(options: OAuthPluginOptions): (app: FastifyInstance) => void {
  const { provider, now } = options;
  let serve: ReturnType<Provider['callback']> | null = null;
  const all = createAddressLimit(PER_MINUTE, MINUTE, now);
  const authorizations = createAddressLimit(AUTHORIZATIONS_PER_MINUTE, MINUTE, now);
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
      limit: createAddressLimit(REGISTRATIONS_PER_HOUR, 60 * MINUTE, now),
    },
  ];

  return (app) => {
    app.setErrorHandler(answerError);
    app.addHook('onRequest', (request, reply, done) => {
      const wait = all.hit(clientNetwork(request.ip));
      if (wait === null) done();
      else refuse(request, reply, wait);
    });
    void app.register((scope, _options, ready) => {
      scope.removeAllContentTypeParsers();
      // The provider reads the body itself.
      scope.addContentTypeParser('*', (_request, _body, done) => done(null));
      for (const { method, url, limit } of endpoints) {
        scope.route({
          method,
          url,
          bodyLimit: BODY_LIMIT_BYTES,
          async handler(request, reply) {
            const wait =
              request.method === 'OPTIONS' ? null : (limit?.hit(clientNetwork(request.ip)) ?? null);
            if (wait === null) {
              const server = await provider();
              handOver(server.issuer, (serve ??= server.callback()), request, reply);
            } else refuse(request, reply, wait);
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

/** The provider answers on the raw connection, with the headers that every answer has. */
function handOver(
  origin: string,
  serve: ReturnType<Provider['callback']>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { raw } = request;
  const issuer = new URL(origin);
  // It makes its addresses of these, so they are ours and not the caller's. The path may have come as a whole address.
  raw.headers['x-forwarded-host'] = issuer.host;
  raw.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  const { pathname, search } = new URL(raw.url ?? '/', issuer);
  raw.url = pathname + search;
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.setHeader('referrer-policy', 'no-referrer');
  reply.raw.setHeader('x-frame-options', 'DENY');
  // The library adds the hash of the script that sends a form_post answer on.
  reply.raw.setHeader(
    'content-security-policy',
    "default-src 'none'; script-src; frame-ancestors 'none'; base-uri 'none'",
  );
  reply.hijack();
  // A body that it stopped reading would stand in the way of whatever comes next over this connection.
  reply.raw.once('finish', () => raw.resume());
  void serve(raw, reply.raw);
}

/** 429, for people as a page and for programs as RFC 6749 writes errors. */
function refuse(request: FastifyRequest, reply: FastifyReply, seconds: number): void {
  const error = {
    error: 'temporarily_unavailable',
    error_description: 'Too many requests from this address.',
  };
  void reply.code(429).header('retry-after', String(seconds)).header('cache-control', 'no-store');
  const isPage = request.url.startsWith(oauthPaths.authorization) || isInteraction(request);
  if (isPage) {
    const page = errorPage(error, request.id);
    void reply.headers(page.headers).send(page.html);
  } else void reply.type('application/json; charset=utf-8').send(JSON.stringify(error));
}

function isInteraction(request: FastifyRequest): boolean {
  return request.url.startsWith(oauthPaths.interaction);
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const status = statusOf(error);
  if (status === 500) request.log.error({ err: error }, 'request failed');
  const shown =
    status === 500
      ? { error: 'server_error', error_description: 'Something went wrong on our side.' }
      : { error: 'invalid_request', error_description: 'The request cannot be read.' };
  void reply.code(status).header('cache-control', 'no-store');
  if (isInteraction(request)) {
    const page = errorPage(shown, request.id);
    void reply.headers(page.headers).send(page.html);
  } else void reply.type('application/json; charset=utf-8').send(JSON.stringify(shown));
}

/** What the framework refuses is the caller's fault: a body that is too large, of another type, cut off. */
function statusOf(error: unknown): 400 | 429 | 500 {
  if (error instanceof WeftError) return error.status === 429 ? 429 : error.status < 500 ? 400 : 500;
  const { statusCode, code } = error as { statusCode?: number; code?: string };
  if (code === 'ECONNRESET') return 400;
  return statusCode !== undefined && statusCode < 500 ? 400 : 500;
}
