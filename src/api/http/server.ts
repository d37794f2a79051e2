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
import { limitConnections, socketOptions } from './connection-limits.ts';
import { createHostCheck } from './host-check.ts';
import type { ConnectionLimits } from '../websocket/connection-limits.ts';
import { withSocketMetrics } from '../websocket/with-metrics.ts';
import type { SocketApis } from '../websocket/socket-plugin.ts';
import { guardUpgrades } from '../websocket/upgrade.ts';
import type { EditorPlugin } from '../editor/plugin.ts';

/** How long (ms) requests may still arrive on open connections once their clients could know that the service ends. */
const LAST_REQUESTS = 100;

/** How often (ms) a drain looks for connections that have become idle. */
const IDLE_LOOK = 50;

export type ServerOptions = {
  readonly config: {
    /** Of the package; shown as `Weft-Version`. */
    readonly version: string;
    /** Origins that browsers may call from; `*` is any. Empty: no CORS. */
    readonly corsOrigins: readonly string[];
    /** Addresses and CIDR ranges of proxies whose `X-Forwarded-*` are believed. */
    readonly trustProxy: readonly string[];
    /** The origin that webhooks have for themselves. Without it they share that of everything else. */
    readonly webhookUrl?: string | null;
    /** Where the server listens, and the address that users see. On a loopback host without one, requests must name a loopback host. */
    readonly host?: string;
    readonly publicUrl?: string | null;
  };
  readonly admission: Admission;
  /** Ends the streams of whoever's credential ends. Without it they go on. */
  readonly credentials?: CredentialExpiryWatcher;
  readonly routes: readonly Route[];
  readonly log: FastifyBaseLogger;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The service is about to end: each answer is the last one on its connection. Never unless given. */
  readonly isLeaving?: () => boolean;
  /** Without it nothing is measured, and there is no `GET /metrics`. */
  readonly metrics?: MetricsPlugin;
  /**
   * A door with its own ways: it gets an instance of its own under `/v1`, where every body of any type arrives as a Buffer
   * of at most 16 MiB (`request.body`; undefined when there is none). Errors that it throws are answered like all others.
   */
  readonly webhooks?: (app: FastifyInstance) => void | Promise<void>;
  /** A door that adds its own routes, and may answer with streams that end at a drain. */
  readonly graphql?: (app: FastifyInstance, streams: OpenStreams) => void;
  /** What describes the interface, for programs and for people, in an instance of its own under `/v1`. */
  readonly documents?: (app: FastifyInstance) => void;
  /** Where browsers come back to from other services, in an instance of its own under `/v1`. */
  readonly connections?: (app: FastifyInstance) => void;
  /** A door with its own ways at the root of the origin. Every answer has the headers that all answers have. */
  readonly oauth?: (app: FastifyInstance) => void;
  /** The editor at the root of the origin. */
  readonly web?: EditorPlugin;
  /** What WebSockets are served, by path; none unless given. */
  readonly sockets?: SocketApis;
  /** The bounds of `limits` unless given. */
  readonly socketCaps?: ConnectionLimits;
};

function noSchemas(): never {
  throw new Error('Routes have no schemas of the framework.');
}

/** The HTTP server, not listening yet: `app.listen({ host, port })`; `drainServer` ends it. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { config, ids, routes, webhooks, oauth } = options;
  const hosts = createHostCheck({
    webhookUrl: config.webhookUrl ?? null,
    isLoopbackOnly: config.publicUrl === null && isLoopbackHost(config.host ?? ''),
    trustProxy: config.trustProxy,
  });
  const varies = variesByOrigin(config.corsOrigins);
  /** What every answer carries. */
  const standing = (id: string): Record<string, string> => ({
    'x-request-id': id,
    'weft-version': config.version,
    'x-content-type-options': 'nosniff',
    ...(varies && { vary: 'Origin' }),
  });
  const streams = createEventStreams(options.clock, options.metrics?.metrics);
  const settings: FastifyHttpOptions<Server> = {
    ...socketOptions(config.version, ids),
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    childLoggerFactory: createRequestLog,
    genReqId: () => ids.next('request'),
    bodyLimit: limits.requestBody,
    // The token of an address to resume by names an execution and a node run.
    routerOptions: { maxParamLength: limits.pathParameter },
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    // `check` looks at what comes: the framework's own compilers would only be loaded, at every start.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id).header('weft-version', config.version);
      sendError(error, request, reply);
    },
  };
  const app = fastify(settings);
  let draining = false;
  const isLeaving = (): boolean => draining || options.isLeaving?.() === true;
  app.decorateRequest('principal', null);
  if (options.metrics === undefined) app.setErrorHandler(sendError);
  else {
    const { metrics } = options.metrics;
    app.setErrorHandler((error, request, reply) => {
      // The plan's refusals are counted where they are made, for all doors.
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
        ? 'There is only a WebSocket at this path: the request must ask for an upgrade.'
        : `There is no ${request.method} at this path.`,
    );
  });

  const cors = createCors(config.corsOrigins);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(standing(request.id));
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
    doors:
      options.metrics === undefined
        ? (options.sockets ?? {})
        : withSocketMetrics(options.sockets ?? {}, options.metrics.metrics),
    ...(options.socketCaps === undefined ? {} : { caps: options.socketCaps }),
    hosts,
    trustProxy: config.trustProxy,
    version: config.version,
    clock: options.clock,
    ids,
  });
  app.addHook('preClose', (done) => {
    draining = true;
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
  const hookOf = (route: Route) => {
    if (route.scope === 'public') return route.readsCredential === true ? { onRequest: admitLeniently } : {};
    return { onRequest: route.hasAlwaysRoom === true ? admitAlways : admit };
  };
  checkRoutes(routes);
  for (const route of routes) {
    const { beforeBody } = route;
    app.route({
      method: route.method,
      url: pathOf(route),
      ...(beforeBody === undefined
        ? {}
        : {
            preParsing: async (request: FastifyRequest) => {
              await beforeBody(request.params as Record<string, string>);
            },
          }),
      ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
      ...hookOf(route),
      handler: createHandler(route, streams, options.credentials ?? null),
    });
  }
  addOptions(app, routes);
  options.graphql?.(app, streams);
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
  if (oauth !== undefined) {
    void app.register((scope, _options, ready) => {
      oauth(scope);
      ready();
    });
  }
  options.web?.mount(app);
  if (webhooks !== undefined) void app.register((scope) => mountWebhooks(scope, webhooks), { prefix: '/v1' });
  return app;
}

/**
 * While the server still serves, and each answer closes its connection: resolves when none is open, or after a moment. To close idle
 * ones at once would cut off requests that are on their way on them.
 */
export async function lastRequests(app: FastifyInstance, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    app.server.getConnections((_error, open) => {
      if (open === 0) resolve();
      else clock.after(LAST_REQUESTS, resolve);
    });
  });
}

/**
 * Stops listening, ends streams and idle connections, lets requests in flight finish within `graceMs`, then cuts what is
 * left. Safe to call twice.
 */
export async function drainServer(app: FastifyInstance, clock: Clock, graceMs: number): Promise<void> {
  const cancel = clock.after(graceMs, () => app.server.closeAllConnections());
  // A connection whose request was under way is idle only later; nobody else would close it before the grace is over.
  let next = (): void => {};
  const look = (): void => {
    app.server.closeIdleConnections();
    next = clock.after(IDLE_LOOK, look);
  };
  next = clock.after(IDLE_LOOK, look);
  try {
    await app.close();
  } finally {
    cancel();
    next();
  }
}

function pathOf(route: Route): string {
  return `/v1${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
}

/** `OPTIONS` on a path of the table says what it takes. */
function addOptions(app: FastifyInstance, routes: readonly Route[]): void {
  const methods = new Map<string, string[]>();
  for (const route of routes)
    methods.set(pathOf(route), [...(methods.get(pathOf(route)) ?? []), route.method]);
  for (const [url, list] of methods) {
    const allow = [...list, ...(list.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    app.options(url, (_request, reply) => reply.header('allow', allow).code(200).send(''));
  }
}

async function mountWebhooks(
  scope: FastifyInstance,
  webhooks: NonNullable<ServerOptions['webhooks']>,
): Promise<void> {
  scope.removeAllContentTypeParsers();
  scope.addHook('onRoute', (route) => {
    route.bodyLimit ??= limits.webhookBody;
  });
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  await webhooks(scope);
}

/** At `debug`: one line for each answer. The pattern of the path, not the path: that may carry a token. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    request.log.debug(
      { method: request.method, route: request.routeOptions.url, status: reply.statusCode, ms },
      'answered',
    );
    done();
  });
}
