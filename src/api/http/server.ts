import type { Server } from 'node:http';
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import type { CredentialExpiryWatcher } from '../../auth/credential-expiry-watcher.ts';
import { WeftError } from '../../contract/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import { isLoopbackHost } from '../../lib/network/loopback-host.ts';
import { limits } from '../../ports/limits.ts';
import type { Admission } from './admission.ts';
import { limitBodies } from './body-limits.ts';
import { createCors, variesByOrigin } from './cors.ts';
import { sendError } from './errors.ts';
import { createEventStreams, type OpenStreams } from './event-stream.ts';
import { parseJsonBody, requireNoEncoding } from './json-body.ts';
import { mountMetrics, type MetricsPlugin } from './metrics.ts';
import { createAdmit, createLenientAdmit, createHandler } from './request-handler.ts';
import { createRequestLog } from './request-log.ts';
import type { Route } from '../rest/route.ts';
import { checkRoutes } from '../rest/route-check.ts';
import { limitConnections, createSocketOptions } from './connection-limits.ts';
import { createHostCheck } from './host-check.ts';
import type { ConnectionLimits } from '../websocket/connection-limits.ts';
import { withSocketMetrics } from '../websocket/with-metrics.ts';
import type { SocketApis } from '../websocket/socket-plugin.ts';
import { guardUpgrades } from '../websocket/upgrade.ts';
import type { EditorPlugin } from '../editor/plugin.ts';

/**
 * How long a draining server accepts requests on open connections after it has announced `Connection: close`.
 */
const LAST_REQUESTS_DELAY_MS = 100;

/** How often a drain closes connections that have become idle. */
const IDLE_CHECK_INTERVAL_MS = 50;

export type ServerOptions = {
  readonly config: {
    /** The version of the package, sent as `Weft-Version`. */
    readonly version: string;
    /** Origins that browsers may call from; `*` allows all. When empty, CORS is disabled. */
    readonly corsOrigins: readonly string[];
    /** Addresses and CIDR ranges of the proxies whose `X-Forwarded-*` headers are trusted. */
    readonly trustProxy: readonly string[];
    /** A separate origin for webhooks. Without it, webhooks share the origin of the API. */
    readonly webhookUrl?: string | null;
    /**
     * The host to listen on and the public URL. On a loopback host without a public URL, requests must name a
     * loopback host.
     */
    readonly host?: string;
    readonly publicUrl?: string | null;
  };
  readonly admission: Admission;
  /** Closes the streams of a caller whose credential expires or is revoked. Without it, they stay open. */
  readonly credentials?: CredentialExpiryWatcher;
  readonly routes: readonly Route[];
  readonly log: FastifyBaseLogger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** True when the service is about to stop: every response then closes its connection. */
  readonly isLeaving?: () => boolean;
  /** Without it, no metrics are collected and `GET /metrics` does not exist. */
  readonly metrics?: MetricsPlugin;
  /**
   * Mounted in its own scope under `/v1`. Bodies of any content type arrive as a Buffer of at most 16 MiB in
   * `request.body` (undefined without a body). Errors are handled like those of all routes.
   */
  readonly webhooks?: (app: FastifyInstance, streams: OpenStreams) => void | Promise<void>;
  /** Adds the GraphQL routes. Its event streams are closed by a drain. */
  readonly graphql?: (app: FastifyInstance, streams: OpenStreams) => void;
  /** Adds the routes of chat completions. */
  readonly chat?: (app: FastifyInstance, streams: OpenStreams) => void;
  /** Adds the server of the Model Context Protocol. */
  readonly mcp?: (app: FastifyInstance) => void;
  /** The API reference and the documentation site, mounted in their own scope under `/v1`. */
  readonly documents?: (app: FastifyInstance) => void;
  /** The redirect endpoint of OAuth providers, mounted in its own scope under `/v1`. */
  readonly connections?: (app: FastifyInstance) => void;
  /** The pages of decisions for people with a link, mounted in their own scope under `/v1`. */
  readonly decisions?: (app: FastifyInstance) => void;
  /** The pages of chats, mounted as those of forms. */
  readonly chatPages?: (app: FastifyInstance, streams: OpenStreams) => void;
  /** The pages of forms, mounted in their own scope under `/v1`. Bodies arrive as for `webhooks`. */
  readonly forms?: (app: FastifyInstance) => void;
  /** The authorization server, mounted in its own scope at the root of the origin. */
  readonly oauth?: (app: FastifyInstance) => void;
  /** The editor at the root of the origin. */
  readonly web?: EditorPlugin;
  /** The WebSocket APIs by path. */
  readonly sockets?: SocketApis;
  /** Defaults to the values of `limits`. */
  readonly socketCaps?: ConnectionLimits;
};

function rejectSchemas(): never {
  throw new Error('Routes must not use the schemas of Fastify.');
}

/** Creates the HTTP server. Start it with `app.listen({ host, port })` and stop it with `drainServer`. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { config, ids, routes, webhooks, oauth } = options;
  const hosts = createHostCheck({
    webhookUrl: config.webhookUrl ?? null,
    isLoopbackOnly: config.publicUrl === null && isLoopbackHost(config.host ?? ''),
    trustProxy: config.trustProxy,
  });
  const varies = variesByOrigin(config.corsOrigins);
  /** The headers of every response. */
  const commonHeaders = (id: string): Record<string, string> => ({
    'x-request-id': id,
    'weft-version': config.version,
    'x-content-type-options': 'nosniff',
    ...(varies && { vary: 'Origin' }),
  });
  const streams = createEventStreams(options.clock, options.metrics?.metrics);
  const settings: FastifyHttpOptions<Server> = {
    ...createSocketOptions(config.version, ids),
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    childLoggerFactory: createRequestLog,
    genReqId: () => ids.next('request'),
    bodyLimit: limits.requestBodyBytes,
    // The token of a resume URL contains the ids of an execution and of a node run.
    routerOptions: { maxParamLength: limits.pathParameterChars },
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    // Services validate requests themselves. Without this, Fastify would load its own compilers at every
    // start.
    schemaController: { compilersFactory: { buildValidator: rejectSchemas, buildSerializer: rejectSchemas } },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id).header('weft-version', config.version);
      sendError(error, request, reply);
    },
  };
  const app = fastify(settings);
  let isDraining = false;
  const isLeaving = (): boolean => isDraining || options.isLeaving?.() === true;
  app.decorateRequest('principal', null);
  if (options.metrics === undefined) app.setErrorHandler(sendError);
  else {
    const { metrics } = options.metrics;
    app.setErrorHandler((error, request, reply) => {
      // Requests over the plan's limit are counted by the rate limiter, for all APIs alike.
      if (error instanceof WeftError && error.code === 'RATE_LIMITED' && error.details['reason'] !== 'plan')
        metrics.refused(String(error.details['reason']));
      sendError(error, request, reply);
    });
    mountMetrics(app, options.metrics);
  }
  app.setNotFoundHandler({ preHandler: createLenientAdmit(options.admission) }, async (request, reply) => {
    if ((await options.web?.fallback(request, reply)) === true) return reply;
    const isSocket = Object.hasOwn(options.sockets ?? {}, request.url.split('?', 1)[0] ?? '');
    throw new WeftError(
      'NOT_FOUND',
      isSocket
        ? 'This path serves WebSockets only: the request must be an upgrade.'
        : `This path does not exist or does not support ${request.method}.`,
    );
  });

  const cors = createCors(config.corsOrigins);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request.id));
    if (isLeaving()) reply.header('connection', 'close');
    const refusal = hosts?.refusal(request.raw, request.routeOptions.url) ?? null;
    if (refusal !== null) {
      sendError(refusal, request, reply);
      return;
    }
    if (cors === null || !cors(request, reply)) done();
  });
  limitConnections(app, config.version, ids);
  limitBodies(app, options.clock);
  guardUpgrades(app, {
    apis:
      options.metrics === undefined
        ? (options.sockets ?? {})
        : withSocketMetrics(options.sockets ?? {}, options.metrics.metrics),
    ...(options.socketCaps === undefined ? {} : { connectionLimits: options.socketCaps }),
    hosts,
    trustProxy: config.trustProxy,
    version: config.version,
    clock: options.clock,
    ids,
  });
  app.addHook('preClose', (done) => {
    isDraining = true;
    streams.closeAll();
    done();
  });
  if (app.log.level === 'debug' || app.log.level === 'trace') logRequests(app);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.-]+\+)?json\b/,
    { parseAs: 'buffer' },
    (request, body, done) => {
      try {
        requireNoEncoding(request.headers['content-encoding']);
        done(null, parseJsonBody(body as Buffer));
      } catch (error) {
        done(error as Error);
      }
    },
  );

  const admit = createAdmit(options.admission);
  const admitAlways = createAdmit(options.admission, true);
  const admitLeniently = createLenientAdmit(options.admission);
  const createHooks = (route: Route) => {
    if (route.scope === 'public') return route.readsCredential === true ? { onRequest: admitLeniently } : {};
    return { onRequest: route.isRateLimitExempt === true ? admitAlways : admit };
  };
  checkRoutes(routes);
  for (const route of routes) {
    const { beforeBody } = route;
    app.route({
      method: route.method,
      url: toFastifyPath(route),
      ...(beforeBody === undefined
        ? {}
        : {
            preParsing: async (request: FastifyRequest) => {
              await beforeBody(request.params as Record<string, string>);
            },
          }),
      ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
      ...createHooks(route),
      handler: createHandler(route, streams, options.credentials ?? null),
    });
  }
  addOptions(app, routes);
  options.graphql?.(app, streams);
  options.mcp?.(app);
  options.chat?.(app, streams);
  const { documents } = options;
  if (documents !== undefined) {
    const mount = (scope: FastifyInstance, _options: object, ready: () => void): void => {
      documents(scope);
      ready();
    };
    void app.register(mount, { prefix: '/v1' });
  }
  const { connections } = options;
  if (connections !== undefined) {
    const mount = (scope: FastifyInstance, _options: object, ready: () => void): void => {
      connections(scope);
      ready();
    };
    void app.register(mount, { prefix: '/v1' });
  }
  const { decisions } = options;
  if (decisions !== undefined) {
    const mount = (scope: FastifyInstance, _options: object, ready: () => void): void => {
      decisions(scope);
      ready();
    };
    void app.register(mount, { prefix: '/v1' });
  }
  if (oauth !== undefined) {
    void app.register((scope, _options, ready) => {
      oauth(scope);
      ready();
    });
  }
  options.web?.mount(app);
  for (const mount of [webhooks, options.forms, options.chatPages])
    if (mount !== undefined)
      void app.register((scope) => mountWithRawBodies(scope, (inner) => mount(inner, streams)), {
        prefix: '/v1',
      });
  return app;
}

/**
 * Waits, while the server still accepts requests, until no connection is open or `LAST_REQUESTS_DELAY_MS` has
 * passed. Closing idle connections at once would cut off requests that are already on their way.
 */
export async function waitForLastRequests(app: FastifyInstance, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    app.server.getConnections((_error, open) => {
      if (open === 0) resolve();
      else clock.after(LAST_REQUESTS_DELAY_MS, resolve);
    });
  });
}

/**
 * Stops listening, closes streams and idle connections, waits up to `graceMs` for requests in flight, then
 * closes the remaining connections. Safe to call twice.
 */
export async function drainServer(app: FastifyInstance, clock: Clock, graceMs: number): Promise<void> {
  const cancel = clock.after(graceMs, () => app.server.closeAllConnections());
  // Node closes idle connections only once; connections that become idle later are closed here.
  let cancelCheck = (): void => {};
  const closeIdle = (): void => {
    app.server.closeIdleConnections();
    cancelCheck = clock.after(IDLE_CHECK_INTERVAL_MS, closeIdle);
  };
  cancelCheck = clock.after(IDLE_CHECK_INTERVAL_MS, closeIdle);
  try {
    await app.close();
  } finally {
    cancel();
    cancelCheck();
  }
}

function toFastifyPath(route: Route): string {
  return `/v1${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

/** `OPTIONS` returns the methods of a path in `Allow`. */
function addOptions(app: FastifyInstance, routes: readonly Route[]): void {
  const methods = new Map<string, string[]>();
  for (const route of routes)
    methods.set(toFastifyPath(route), [...(methods.get(toFastifyPath(route)) ?? []), route.method]);
  for (const [url, list] of methods) {
    const allow = [...list, ...(list.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    app.options(url, (_request, reply) => reply.header('allow', allow).code(200).send(''));
  }
}

/** Bodies of any content type arrive as a Buffer. */
async function mountWithRawBodies(
  scope: FastifyInstance,
  mount: (app: FastifyInstance) => void | Promise<void>,
): Promise<void> {
  scope.removeAllContentTypeParsers();
  scope.addHook('onRoute', (route) => {
    route.bodyLimit ??= limits.webhookBodyBytes;
  });
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  await mount(scope);
}

/**
 * Logs one line for each response at `debug`. It contains the route pattern, because the path may contain a
 * token.
 */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    request.log.debug(
      { method: request.method, route: request.routeOptions.url, status: reply.statusCode, ms },
      'request completed',
    );
    done();
  });
}
