import { createInProcessBuses } from '../../../src/coordination/in-process/bus.ts';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createAuthenticator } from '../../../src/auth/authenticate.ts';
import { createLoginThrottle } from '../../../src/auth/login-throttle.ts';
import { createPasswords } from '../../../src/auth/passwords.ts';
import { createPrincipalCache } from '../../../src/auth/principal-cache.ts';
import { createSecretBox } from '../../../src/auth/secret-box.ts';
import { createSessionTokens } from '../../../src/auth/session-token.ts';
import { createTimeOrderedIds } from '../../../src/lib/ids.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { idPrefixes, type Ids } from '../../../src/ports/ids.ts';
import type { AccountStore } from '../../../src/ports/store/accounts/accounts.ts';
import { createAuditLog } from '../../../src/services/audit/audit-log.ts';
import { createApiKeysService } from '../../../src/services/accounts/api-keys.service.ts';
import { createAuthService } from '../../../src/services/accounts/auth.service.ts';
import { createRateLimit, type RateLimits } from '../../../src/services/accounts/rate-limit.service.ts';
import { createRateLimitWindows } from '../../../src/services/accounts/rate-limit-windows.ts';
import {
  createSecretsService,
  type SecretsService,
} from '../../../src/services/credentials/secrets.service.ts';
import { createUsersService, ensureFirstAdmin } from '../../../src/services/accounts/users.service.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-store.ts';
import { createAdmission } from '../../../src/api/http/admission.ts';
import { createSessionCookies } from '../../../src/api/http/session-cookie.ts';
import { createLog } from '../../../src/api/http/log.ts';
import { accountRoutes } from '../../../src/api/rest/routes-accounts.ts';
import { createServer, drainServer } from '../../../src/api/http/server.ts';
import { assertConforms } from '../openapi/assert-openapi.ts';

export const ADMIN = { email: 'Admin@Example.com', password: 'correct horse battery' };

export type FakeResponse = {
  status: number;
  headers: Record<string, unknown>;
  // Tests read bodies of many shapes.
  body: Record<string, never>;
  text: string;
};

/** The accounts API of the service on a real store in a temporary folder. Its clock can be advanced. */
export type AccountsServer = {
  app: FastifyInstance;
  accounts: AccountStore;
  secrets: SecretsService;
  dataDir: string;
  lines: string[];
  removedUsers: string[];
  clock: Clock;
  forward(ms: number): void;
  call(
    method: string,
    url: string,
    options?: { token?: string | undefined; key?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<FakeResponse>;
  login(email?: string, password?: string): Promise<string>;
  /** A new user with a session. */
  member(
    fields?: Record<string, unknown>,
  ): Promise<{ id: string; email: string; password: string; token: string }>;
  close(): Promise<void>;
};

export async function openAccountsServer(options: { rateLimits?: RateLimits } = {}): Promise<AccountsServer> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'weft-people-'));
  let ahead = 0;
  const clock: Clock = {
    now: () => Date.now() + ahead,
    after(ms, run) {
      const timer = setTimeout(run, ms).unref();
      return () => clearTimeout(timer);
    },
    soon: (run) => void setImmediate(run),
  };
  const now = (): number => clock.now();
  const nextId = createTimeOrderedIds(now, (bytes) =>
    crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>),
  );
  const ids: Ids = { next: (kind) => `${idPrefixes[kind]}_${nextId()}` };
  const store = await openSqliteStore({ dataDir, now });
  const { accounts } = store;
  const passwords = createPasswords();
  const tokens = createSessionTokens(randomBytes(32));
  const cache = createPrincipalCache();
  const removedUsers: string[] = [];
  const audit = createAuditLog({
    store: store.audit,
    ids,
    clock,
    report: (message, err) => log.error({ err }, message),
  });
  await ensureFirstAdmin({ accounts: accounts, passwords, audit, ids, now }, ADMIN);
  const secrets = createSecretsService({
    accounts: accounts,
    box: createSecretBox(randomBytes(32)),
    audit,
    now,
  });
  const lines: string[] = [];
  const log = createLog('debug', { write: (line: string) => void lines.push(line) });
  const throttle = createLoginThrottle({
    bus: createInProcessBuses(() => {}).join(),
    store: store.throttling,
    clock,
    key: randomBytes(32),
    report: (message, err) => log.error({ err }, message),
  });
  const counter = createRateLimitWindows({
    store: store.throttling,
    clock,
    report: (message, err) => log.error({ err }, message),
  });
  const cookies = createSessionCookies({ publicUrl: null, trustProxy: ['loopback'] });
  const app = createServer({
    config: { version: '1.2.3', corsOrigins: [], trustProxy: ['loopback'] },
    admission: createAdmission(
      createAuthenticator({
        accounts: accounts,
        oauth: store.oauth,
        tokens,
        cache,
        readResource: () => null,
        now,
        onTouchFailed: (err) => log.warn({ err }, 'touch failed'),
      }).authenticate,
      createRateLimit({
        limits: options.rateLimits ?? { standard: null, pro: null, enterprise: null },
        counter,
        clock,
      }),
      cookies,
    ),
    routes: accountRoutes({
      auth: createAuthService({
        accounts: accounts,
        passwords,
        tokens,
        cache,
        throttle,
        audit,
        ids,
        now,
        firstUser: Promise.resolve(),
      }),
      users: createUsersService({
        afterRequests: () => {},
        accounts: accounts,
        passwords,
        cache,
        audit,
        ids,
        now,
        beforeRemove: async (id) => void removedUsers.push(id),
      }),
      apiKeys: createApiKeysService({ accounts: accounts, cache, audit, ids, now }),
      secrets,
      cookies,
    }),
    log,
    clock,
    ids,
  });

  const server: AccountsServer = {
    app,
    accounts: accounts,
    secrets,
    dataDir,
    lines,
    removedUsers,
    clock,
    forward: (ms) => void (ahead += ms),
    async call(method, url, { token, key, body, headers = {} } = {}) {
      const response = await app.inject({
        method: method as 'GET',
        url: `/v1${url}`,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(key === undefined ? {} : { 'x-api-key': key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
      assertConforms({
        method,
        path: url,
        status: response.statusCode,
        header: (name) => (response.headers[name] === undefined ? null : String(response.headers[name])),
        text: response.body,
      });
      return {
        status: response.statusCode,
        headers: response.headers,
        body: response.json(),
        text: response.body,
      };
    },
    async login(email = ADMIN.email, password = ADMIN.password) {
      const { status, body, text } = await server.call('POST', '/auth/login', { body: { email, password } });
      if (status !== 200) throw new Error(`login of ${email}: ${text}`);
      return body['token']!;
    },
    async member(fields = {}) {
      const email = `m${randomBytes(6).toString('hex')}@example.com`;
      const password = 'password of a member';
      const token = await server.login();
      const made = await server.call('POST', '/users', { token, body: { email, password, ...fields } });
      if (made.status !== 201) throw new Error(made.text);
      return { id: made.body['id']!, email, password, token: await server.login(email, password) };
    },
    async close() {
      await drainServer(app, clock, 1000);
      await Promise.all([counter.close(), throttle.close()]);
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
  return server;
}
