import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { createAdmission } from '../api/http/admission.ts';
import { decisionPagesPlugin } from '../api/decisions/plugin.ts';
import { chatPlugin } from '../api/chat/plugin.ts';
import { connectionCallbackPlugin } from '../api/connection-callback/plugin.ts';
import { docsPlugin } from '../api/docs/plugin.ts';
import { WeftError } from '../contract/errors.ts';
import { createLazyGraphql } from '../api/graphql/lazy-graphql.ts';
import { oauthPlugin } from '../api/oauth/plugin.ts';
import { mcpPlugin } from '../api/mcp/plugin.ts';
import { healthRoutes } from '../api/rest/routes-health.ts';
import { routeGroups } from '../api/rest/routes.ts';
import { createServer, type ServerOptions } from '../api/http/server.ts';
import { createSessionCookies } from '../api/http/session-cookie.ts';
import { createEditorPlugin } from '../api/editor/plugin.ts';
import { chatPagesPlugin } from '../api/chat-pages/plugin.ts';
import { formsPlugin } from '../api/forms/plugin.ts';
import { webhookPlugin } from '../api/webhooks/plugin.ts';
import { websocketPlugin } from '../api/websocket/plugin.ts';
import type { AppBase } from './app-base.ts';
import type { Auth } from './auth.ts';
import type { AppStorage } from './storage/create-storage.ts';
import { createEditorAssets } from './editor-assets.ts';
import type { AppEngine } from './engine.ts';
import type { AppServices } from './services.ts';

/** Step 5 of 5: all routes. A worker serves only health and metrics. Nothing listens yet. */
export function createHttpServer(
  base: AppBase,
  { store }: AppStorage,
  auth: Auth,
  { nodeTypes, observability }: AppEngine,
  { api: services, webhooks, packWebhooks, forms, slackInteractions, chatPages, rateLimit }: AppServices,
): FastifyInstance {
  const { config, clock, ids, log } = base;
  const now = (): number => clock.now();
  const report = (message: string, error: unknown): void => base.report(message, error);
  const baseUrl = (): string => base.baseUrl();
  const cookies = createSessionCookies(config);
  const admission = createAdmission(auth.authenticate, rateLimit, cookies);
  const { metrics } = observability;
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

  const editorUrl = (): string => new URL('..', `${base.baseUrl()}/`).href;
  const groups = routeGroups({ ...services, cookies });
  const graphql = createLazyGraphql({
    services,
    authenticate: auth.authenticate,
    cookies,
    admission,
    credentials: auth.credentials,
    clock,
    introspection: config.graphqlIntrospection,
    onError: (error) => report('GraphQL operation failed', error),
  });
  const sockets: ServerOptions['sockets'] = {
    '/v1/ws': websocketPlugin({
      authenticate: (token) => auth.authenticateToken(token, '/v1/ws'),
      authenticateCookie(request) {
        const cookie = cookies.readOfUpgrade(request);
        if (cookie === undefined) return null;
        return auth.authenticate({ authorization: undefined, apiKey: undefined, cookie, path: '/v1/ws' });
      },
      credentials: auth.credentials,
      events: services.events,
      clock,
      onError: (error) => report('WebSocket connection failed', error),
    }),
    '/v1/graphql': graphql.socket,
  };
  /** The user of the session cookie of a page; null without a valid one. */
  async function signedIn(
    request: Parameters<typeof cookies.readOfPage>[0],
  ): Promise<{ userId: string; email: string } | null> {
    const cookie = cookies.readOfPage(request);
    if (cookie === undefined) return null;
    try {
      const { userId } = await auth.authenticate({
        authorization: undefined,
        apiKey: undefined,
        cookie,
        path: request.url ?? '',
      });
      const user = await store.accounts.userById(userId);
      return user === null ? null : { userId, email: user.email };
    } catch (error) {
      if (error instanceof WeftError && error.code === 'UNAUTHORIZED') return null;
      throw error;
    }
  }
  return createServer({
    ...shared,
    routes: groups.flatMap((group) => group.routes),
    credentials: auth.credentials,
    graphql: graphql.mount,
    chat: chatPlugin({ chat: services.chat, admission, credentials: auth.credentials, clock }),
    mcp: mcpPlugin({
      services,
      admission,
      credentials: auth.credentials,
      version: config.version,
      baseUrl,
      onError: (error) => report('MCP request failed', error),
    }),
    documents: docsPlugin({
      version: config.version,
      baseUrl,
      webhookBaseUrl: config.webhookUrl === null ? null : base.webhookBaseUrl(),
      groups,
      nodeTypes: () => nodeTypes.all(),
      sdl: () => graphql.sdl(),
    }),
    oauth: oauthPlugin({
      provider: auth.provider,
      auth: auth.services.auth,
      accounts: store.accounts,
      audit: auth.audit,
      formKey: auth.keys.oauthForms,
      now,
      origin: () => new URL(base.baseUrl()).origin,
    }),
    connections: connectionCallbackPlugin({ connections: services.connections, now }),
    decisions: decisionPagesPlugin({ decisions: services.decisions, slack: slackInteractions, now }),
    forms: formsPlugin({
      forms,
      now,
      signedIn,
      editorUrl,
    }),
    chatPages: chatPagesPlugin({
      chatPages,
      now,
      token: () => randomBytes(24).toString('base64url'),
      signedIn,
      editorUrl,
      baseUrl: () => base.webhookBaseUrl(),
    }),
    webhooks: webhookPlugin(
      { ...webhooks, receive: observability.receive((call) => webhooks.receive(call)) },
      services.listen,
      packWebhooks,
      () => base.webhookBaseUrl(),
    ),
    web: createEditorPlugin(createEditorAssets()),
    sockets,
  });
}
