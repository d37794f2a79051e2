import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { WebSocket } from 'ws';
import { makeApiKey } from '../../../src/auth/api-key.ts';
import { createAuthenticator } from '../../../src/auth/authenticate.ts';
import { createApiKeyKind, createOAuthKind, createSessionKind } from '../../../src/auth/credential-kinds.ts';
import { createCredentialExpiryWatcher } from '../../../src/auth/credential-expiry-watcher.ts';
import { createPrincipalCache, type PrincipalCache } from '../../../src/auth/principal-cache.ts';
import { createSessionTokens } from '../../../src/auth/session-token.ts';
import { createIds } from '../../../src/app/ids.ts';
import { createSystemClock } from '../../../src/app/system-clock.ts';
import type { Scope } from '../../../src/contract/scopes.ts';
import { createInProcessEvents } from '../../../src/coordination/in-process/events.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Events, ExecutionUpdate } from '../../../src/ports/events.ts';
import type { Store } from '../../../src/ports/store.ts';
import { createExecutionEvents } from '../../../src/services/executions/execution-events.service.ts';
import { beginning, workflow } from '../../../src/store/conformance/samples.ts';
import { createTempStore } from '../temporary-store.ts';
import { createLog } from '../../../src/api/http/log.ts';
import { createServer, drainServer } from '../../../src/api/http/server.ts';
import { websocketPlugin } from '../../../src/api/websocket/plugin.ts';
import type { SocketLimits } from '../../../src/api/websocket/connection-limits.ts';
import { createConnectionLimits } from '../../../src/api/websocket/connection-limits.ts';
import type { SocketApis } from '../../../src/api/websocket/socket-plugin.ts';

/** The WebSocket APIs on a real store and a real HTTP server, without an engine. The tests publish events. */
export type SocketServer = {
  /** Ends with /v1. */
  readonly url: string;
  readonly bus: Events;
  readonly store: Store;
  readonly cache: PrincipalCache;
  /** The service's side of the connections to `/v1/ws`, in the order of arrival. */
  readonly sockets: WebSocket[];
  /** Lines of the log. */
  readonly lines: string[];
  /** A new user. */
  user(): Promise<string>;
  /** A new session. */
  session(userId: string): Promise<{ id: string; token: string }>;
  key(
    userId: string,
    fields?: { scopes?: Scope[]; expiresAt?: number },
  ): Promise<{ id: string; key: string }>;
  /** A workflow of this owner, with an execution. */
  owned(ownerId: string): Promise<{ workflowId: string; executionId: string }>;
  publish(ownerId: string, update?: Partial<ExecutionUpdate>): void;
  drain(graceMs?: number): Promise<void>;
  close(): Promise<void>;
};

export async function openSocketServer(
  options: { clock?: Clock; caps?: SocketLimits; doors?: SocketApis; trustProxy?: string[] } = {},
): Promise<SocketServer> {
  const clock = options.clock ?? createSystemClock();
  const now = (): number => clock.now();
  const kept = await createTempStore();
  const { store } = kept;
  const { accounts } = store;
  const ids = createIds(now);
  const cache = createPrincipalCache();
  const tokens = createSessionTokens(randomBytes(32));
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const onError = (error: unknown): void => log.error({ err: error }, 'internal error');
  const bus = createInProcessEvents(onError);
  const { authenticateToken } = createAuthenticator({
    accounts: accounts,
    oauth: store.oauth,
    tokens,
    cache,
    readResource: () => null,
    now,
    onTouchFailed: onError,
  });
  const sockets: WebSocket[] = [];
  const api = websocketPlugin({
    authenticate: (token) => authenticateToken(token, '/v1/ws'),
    authenticateCookie: () => null,
    credentials: createCredentialExpiryWatcher({
      kinds: {
        session: createSessionKind(accounts, now),
        api_key: createApiKeyKind(accounts, now),
        oauth: createOAuthKind(store.oauth, now),
      },
      cache,
      clock,
      onError,
    }),
    events: createExecutionEvents({
      executions: store.executions,
      workflows: store.workflows,
      events: bus,
      failed: onError,
    }),
    clock,
    onError,
  });
  const app = createServer({
    config: { version: '1.2.3', corsOrigins: [], trustProxy: options.trustProxy ?? [] },
    admission: {
      admit: () => Promise.reject(new Error('there are no routes')),
      count: () => null,
    },
    routes: [],
    log,
    clock,
    ids,
    sockets: {
      '/v1/ws': {
        ...api,
        accept(socket, peer) {
          sockets.push(socket);
          api.accept(socket, peer);
        },
      },
      ...options.doors,
    },
    ...(options.caps === undefined ? {} : { socketCaps: createConnectionLimits(options.caps) }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  let count = 0;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    bus,
    store,
    cache,
    lines,
    sockets,
    async user() {
      const id = ids.next('user');
      const row = { id, email: `${id}@example.com`, name: '', passwordHash: 'x', createdAt: now() };
      await accounts.createUser({ ...row, role: 'member', plan: 'standard' });
      return id;
    },
    async session(userId) {
      const id = ids.next('session');
      const tokenId = randomBytes(16).toString('base64url');
      const at = now();
      await accounts.createSession({
        id,
        userId,
        tokenId,
        previousTokenId: null,
        rotatedAt: at,
        createdAt: at,
        expiresAt: at + 30 * 86_400_000,
        endedAt: null,
      });
      return { id, token: (await tokens.sign({ userId, sessionId: id, tokenId, issuedAt: at })).token };
    },
    async key(userId, { scopes, expiresAt } = {}) {
      const id = ids.next('apiKey');
      const { key, hash, prefix } = makeApiKey();
      await accounts.createApiKey({
        id,
        ownerId: userId,
        name: 'k',
        hash,
        prefix,
        scopes: scopes ?? null,
        expiresAt: expiresAt ?? null,
        createdAt: now(),
        lastUsedAt: now(),
      });
      return { id, key };
    },
    async owned(ownerId) {
      const workflowId = ids.next('workflow');
      const executionId = ids.next('execution');
      await store.workflows.save(workflow(workflowId, { row: { ownerId } }));
      await store.executions.commit([
        beginning(executionId, { create: { id: executionId, ownerId, workflowId } }),
      ]);
      return { workflowId, executionId };
    },
    publish(ownerId, update = {}) {
      bus.publish({
        kind: 'execution_update',
        ownerId,
        executionId: `ex_${++count}`,
        workflowId: 'wf_1',
        status: 'running',
        progress: 0.5,
        currentNode: 'n',
        timestamp: now(),
        ...update,
      });
    },
    drain: (graceMs = 5_000) => drainServer(app, clock, graceMs),
    async close() {
      await drainServer(app, clock, 1_000);
      await kept.close();
    },
  };
}
