import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createAdmission } from '../api/admission.ts';
import { connectionsDoor } from '../api/connections/door.ts';
import { documentDoor } from '../api/documents/door.ts';
import { lazyGraphql } from '../api/graphql/lazy-graphql.ts';
import type { GraphqlServices } from '../api/graphql/services.ts';
import { oauthDoor } from '../api/oauth/door.ts';
import { healthRoutes } from '../api/rest/routes-health.ts';
import { routeGroups, type RouteServices } from '../api/rest/routes.ts';
import { createServer, type ServerOptions } from '../api/rest/server.ts';
import { createSessionCookies } from '../api/session-cookie.ts';
import { webDoor } from '../api/web/door.ts';
import { webhookDoor } from '../api/webhooks/door.ts';
import { socketDoor } from '../api/ws/door.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { NodeTypes } from '../ports/node-types.ts';
import type { Store } from '../ports/store.ts';
import type { Listen } from '../services/webhooks/listen.service.ts';
import type { RateLimit } from '../services/people/rate-limit.service.ts';
import type { Webhooks } from '../services/webhooks/webhooks.service.ts';
import type { Identity } from './identity.ts';
import type { Observation } from './observation.ts';
import { builtWebFiles } from './web-files.ts';

/** Wires every way in; of a worker, which is nobody's to call, only what watches over it. Nothing listens yet. */
export function composeDoors(options: {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  report(message: string, error: unknown): void;
  baseUrl(): string;
  /** Of webhooks. */
  webhookBaseUrl(): string;
  readonly store: Pick<Store, 'people'>;
  readonly nodeTypes: NodeTypes;
  readonly who: Identity;
  readonly rateLimit: RateLimit;
  readonly services: Omit<RouteServices, 'cookies'> & GraphqlServices & { readonly listen: Listen };
  readonly webhooks: Webhooks;
  readonly observation: Observation;
}): FastifyInstance {
  const { config, clock, ids, log, who, services, webhooks, observation } = options;
  const now = (): number => clock.now();
  const report = (message: string, error: unknown): void => options.report(message, error);
  const baseUrl = (): string => options.baseUrl();
  const cookies = createSessionCookies(config);
  const admission = createAdmission(who.authenticate, options.rateLimit, cookies);
  const { metrics } = observation;
  const shared = {
    config,
    admission,
    log,
    clock,
    ids,
    isLeaving: () => services.health.phase() === 'draining',
    ...(metrics === null || config.metrics === null
      ? {}
      : { metrics: { metrics, token: config.metrics.token } }),
  };
  if (config.role === 'worker') return createServer({ ...shared, routes: healthRoutes(services.health) });

  const groups = routeGroups({ ...services, cookies });
  const graphql = lazyGraphql({
    services,
    authenticate: who.authenticate,
    cookies,
    admission,
    credentials: who.credentials,
    clock,
    introspection: config.graphqlIntrospection,
    onFault: (error) => report('a GraphQL operation failed', error),
  });
  const sockets: ServerOptions['sockets'] = {
    '/v1/ws': socketDoor({
      authenticate: who.authenticateToken,
      authenticateCookie(request) {
        const cookie = cookies.readOfUpgrade(request);
        if (cookie === undefined) return null;
        return who.authenticate({ authorization: undefined, apiKey: undefined, cookie });
      },
      credentials: who.credentials,
      events: services.events,
      clock,
      onFault: (error) => report('a WebSocket connection failed', error),
    }),
    '/v1/graphql': graphql.socket,
  };
  return createServer({
    ...shared,
    routes: groups.flatMap((group) => group.routes),
    credentials: who.credentials,
    graphql: graphql.mount,
    documents: documentDoor({
      version: config.version,
      baseUrl,
      webhookBaseUrl: config.webhookUrl === null ? null : options.webhookBaseUrl(),
      groups,
      nodeTypes: () => options.nodeTypes.all(),
      sdl: () => graphql.sdl(),
    }),
    oauth: oauthDoor({
      provider: who.provider,
      auth: who.services.auth,
      people: options.store.people,
      formKey: who.keys.oauthForms,
      now,
      origin: () => new URL(options.baseUrl()).origin,
    }),
    connections: connectionsDoor({ connections: services.connections, now }),
    webhooks: webhookDoor(
      { ...webhooks, receive: observation.receive((call) => webhooks.receive(call)) },
      services.listen,
      () => options.webhookBaseUrl(),
    ),
    web: webDoor(builtWebFiles()),
    sockets,
  });
}
