import { randomBytes } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { connectSocket, endSocketClients, type SocketClient } from '../support/websocket/websocket-client.ts';
import { deriveKeys } from '../../src/auth/secret-key.ts';
import { createSessionTokens } from '../../src/auth/session-token.ts';
import {
  adminEmail,
  adminPassword,
  spawnService,
  createTempFolder,
  type ApiResponse,
  type SpawnedService,
} from '../support/service.ts';
import { createEchoWorkflow } from '../api/definitions.ts';

/** Sessions by cookie: what a browser gets and sends, and what a page of another origin can make it send. */
const folder = createTempFolder();
const secret = randomBytes(32);
const administrator = { email: adminEmail, password: adminPassword };
let weft: SpawnedService;
let origin: string;
/** The headers that a page of the service sends with every request. */
let proof: Record<string, string>;

beforeAll(async () => {
  weft = await spawnService({
    dataDir: folder.path,
    env: {
      WEFT_SECRET_KEY: secret.toString('base64'),
      WEFT_CORS_ORIGINS: '*',
      WEFT_TRUST_PROXY: 'loopback',
      WEFT_RATE_LIMIT_ENTERPRISE: 'unlimited',
    },
  });
  ({ origin } = new URL(weft.url));
  proof = { 'x-weft-csrf': '1', origin };
});
afterEach(endSocketClients);
afterAll(async () => {
  await weft.stop();
  folder.remove();
});

type Headers = Record<string, string>;
const readErrorCode = ({ status, body }: ApiResponse): [number, string | undefined] => [
  status,
  (body as { error?: { code: string } }).error?.code,
];
const readSetCookie = (response: ApiResponse): string => response.headers.get('set-cookie') ?? '';
const readCookie = (response: ApiResponse): string => readSetCookie(response).split(';', 1)[0]!;
const parseToken = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1);
const me = (headers: Headers): Promise<ApiResponse> => weft.call('GET', '/users/me', { headers });

async function open(headers: Headers = {}, who = administrator): Promise<string> {
  const response = await weft.call('POST', '/auth/session', { body: who, headers: { ...proof, ...headers } });
  expect(response.status, response.text).toBe(200);
  return readCookie(response);
}
const refresh = (cookie: string): Promise<ApiResponse> =>
  weft.call('POST', '/auth/session/refresh', { headers: { ...proof, cookie } });

describe('the cookie', () => {
  test('is HttpOnly and SameSite=Lax, lasts as long as the session, and the response contains no token', async () => {
    const response = await weft.call('POST', '/auth/session', { body: administrator, headers: proof });
    const { port } = new URL(weft.url);
    expect(readSetCookie(response)).toMatch(
      new RegExp(`^weft_session_${port}=[\\w.-]+; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax$`),
    );
    expect(response.body).toEqual({ expires_in: 3600, user: expect.objectContaining({ email: adminEmail }) });
    expect(response.text).not.toContain(parseToken(readCookie(response)));
  });

  test('is Secure and bound to the host behind a proxy with https', async () => {
    const headers = { ...proof, 'x-forwarded-proto': 'https', origin: origin.replace('http:', 'https:') };
    const response = await weft.call('POST', '/auth/session', { body: administrator, headers });
    expect(readSetCookie(response)).toMatch(
      /^__Host-weft_session=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const cookie = readCookie(response);
    expect((await me({ ...headers, cookie })).status).toBe(200);
    // What was planted without https is no session there.
    const planted = cookie.replace(/^[^=]*/, 'weft_session');
    expect(readErrorCode(await me({ ...headers, cookie: planted }))).toEqual([401, 'UNAUTHORIZED']);
  });

  test('authenticates REST and GraphQL, and may do what a session may', async () => {
    const headers = { ...proof, cookie: `theme=dark; ${await open()}` };
    expect((await me(headers)).body).toMatchObject({ email: adminEmail });
    expect((await weft.call('POST', '/api-keys', { body: { name: 'k' }, headers })).status).toBe(201);
    const response = await weft.call('POST', '/graphql', { body: { query: '{ me { email } }' }, headers });
    expect(response.body).toEqual({ data: { me: { email: adminEmail } } });
  });

  test('is not tried beside another credential, right or wrong', async () => {
    const cookie = await open();
    expect((await me({ ...proof, cookie, authorization: 'Bearer nonsense' })).status).toBe(401);
    expect((await me({ ...proof, cookie, 'x-api-key': `weft_${'x'.repeat(43)}` })).status).toBe(401);
    const member = { email: 'member@example.com', password: 'password of a member' };
    const api = await weft.login();
    expect((await api('POST', '/users', { body: member })).status).toBe(201);
    const login = await weft.call('POST', '/auth/login', { body: member });
    const authorization = `Bearer ${(login.body as { token: string }).token}`;
    expect((await me({ cookie, authorization, origin: 'https://evil.example' })).body).toMatchObject({
      email: member.email,
    });
  });

  test('given twice is no credential: one of them may be injected', async () => {
    const cookie = await open();
    expect(readErrorCode(await me({ ...proof, cookie: `${cookie}; ${cookie}` }))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
  });

  test('contains only a session token', async () => {
    const api = await weft.login();
    const { key } = (await api('POST', '/api-keys', { body: { name: 'cookie' } })).body as { key: string };
    const name = (await open()).split('=', 1)[0]!;
    expect(readErrorCode(await me({ ...proof, cookie: `${name}=${key}` }))).toEqual([401, 'UNAUTHORIZED']);
  });

  test('is ignored where callers need no credential, and no workflow receives it', async () => {
    const cookie = await open();
    const health = await weft.call('GET', '/health', { headers: { cookie } });
    expect(Object.keys(health.body as object)).toEqual(
      Object.keys((await weft.call('GET', '/health')).body as object),
    );
    const api = await weft.login();
    const definition = createEchoWorkflow('cookies', { credentialHeaders: ['cookie'] });
    const body = { name: 'x', status: 'active', definition };
    expect((await api('POST', '/workflows', { body })).status).toBe(201);
    const called = await weft.call('POST', '/webhooks/cookies', { body: {}, headers: { ...proof, cookie } });
    expect(called.status).toBe(200);
    const executions = await api('GET', '/executions?limit=1');
    const { id } = (executions.body as { executions: { id: string }[] }).executions[0]!;
    expect((await api('GET', `/executions/${id}`)).text).not.toContain(parseToken(cookie));
    const form = { grant_type: 'client_credentials' };
    const token = await fetch(`${origin}/oauth/token`, {
      method: 'POST',
      headers: { ...proof, cookie },
      body: new URLSearchParams(form),
    });
    expect([400, 401]).toContain(token.status);
  });
});

describe('a forged request', () => {
  const forgeries: [string, (own: Headers) => Headers][] = [
    ['without the header', ({ origin: from }) => ({ origin: from! })],
    ['from another origin', (own) => ({ ...own, origin: 'https://evil.example' })],
    ['from another port of the host', (own) => ({ ...own, origin: 'http://127.0.0.1:1' })],
    ['from a sandboxed page', (own) => ({ ...own, origin: 'null' })],
    ['from another site, as the browser says', (own) => ({ ...own, 'sec-fetch-site': 'cross-site' })],
    ['from another subdomain, as the browser says', (own) => ({ ...own, 'sec-fetch-site': 'same-site' })],
    ['that does not say where it comes from', () => ({ 'x-weft-csrf': '1' })],
  ];
  const ways: [string, string, object | undefined][] = [
    ['POST', '/workflows', { name: 'forged' }],
    ['DELETE', '/api-keys/key_1', undefined],
    ['POST', '/graphql', { query: 'mutation { createWorkflow(input: { name: "forged" }) { id } }' }],
    ['POST', '/auth/session', administrator],
    ['POST', '/auth/session/refresh', undefined],
    ['DELETE', '/auth/session', undefined],
    ['POST', '/auth/logout', undefined],
  ];

  test.each(forgeries)('%s is refused and does nothing', async (_, forge) => {
    const cookie = await open();
    for (const [method, path, body] of ways) {
      const headers = { ...forge(proof), cookie };
      const response = await weft.call(method, path, { ...(body === undefined ? {} : { body }), headers });
      expect([response.status, response.text], `${method} ${path}`).toEqual([
        403,
        expect.stringContaining('FORBIDDEN'),
      ]);
      expect(response.headers.has('set-cookie')).toBe(false);
    }
    const after = await weft.call('GET', '/workflows?search=forged', { headers: { ...proof, cookie } });
    expect(after.body).toMatchObject({ pagination: { total: 0 } });
  });

  test('that reads is refused without the header, and from another origin', async () => {
    const cookie = await open();
    expect(readErrorCode(await me({ cookie }))).toEqual([403, 'FORBIDDEN']);
    expect(readErrorCode(await me({ ...proof, cookie, origin: 'https://evil.example' }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    // Browsers leave Origin out here.
    expect((await me({ 'x-weft-csrf': '1', cookie })).status).toBe(200);
    expect((await me({ 'x-weft-csrf': '1', 'sec-fetch-site': 'same-origin', cookie })).status).toBe(200);
  });

  test('of a form, which can send no header, does nothing', async () => {
    const cookie = await open();
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
    ]) {
      for (const path of [
        '/workflows',
        '/auth/session',
        '/auth/session/refresh',
        '/graphql',
        '/auth/logout',
      ]) {
        const headers = { cookie, origin: 'https://evil.example', 'content-type': type };
        const response = await weft.call('POST', path, { raw: '{"name":"forged"}', headers });
        expect([400, 403], `${type} ${path}: ${response.text}`).toContain(response.status);
        expect(response.headers.has('set-cookie')).toBe(false);
      }
    }
    expect((await me({ ...proof, cookie })).status).toBe(200);
  });

  test('gets no preflight: not even CORS for all origins allows cookies or the header', async () => {
    const preflight = await fetch(`${weft.url}/workflows`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-weft-csrf',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).not.toMatch(/csrf/i);
    expect(preflight.headers.has('access-control-allow-credentials')).toBe(false);
  });
});

describe('the session', () => {
  test('of an injected cookie is not reused by a login, and ends with it', async () => {
    const planted = await open();
    const own = await open({ cookie: planted });
    expect(own).not.toBe(planted);
    expect((await me({ ...proof, cookie: own })).status).toBe(200);
    expect((await me({ ...proof, cookie: planted })).status).toBe(401);
  });

  test('gets a new token by renewal; the old one returns the same new token to a second tab', async () => {
    const first = await open();
    const renewed = await refresh(first);
    expect([renewed.status, renewed.body]).toMatchObject([200, { expires_in: 3600 }]);
    const second = readCookie(renewed);
    expect(renewed.text).not.toContain(parseToken(second));
    expect(readSetCookie(renewed)).toContain('; Max-Age=2592000; ');
    expect(second).not.toBe(first);
    expect((await me({ ...proof, cookie: first })).status).toBe(401);
    expect((await me({ ...proof, cookie: second })).status).toBe(200);
    expect(readCookie(await refresh(first))).toBe(second);
    // After the new token was renewed, a use of the first one is a theft.
    const third = readCookie(await refresh(second));
    expect((await refresh(first)).status).toBe(401);
    expect((await me({ ...proof, cookie: third })).status).toBe(401);
  });

  test('cannot be renewed without a cookie, by a bearer token, or into a token that is shown', async () => {
    const api = await weft.call('POST', '/auth/login', { body: administrator });
    const authorization = `Bearer ${(api.body as { token: string }).token}`;
    const refused = await weft.call('POST', '/auth/session/refresh', {
      headers: { ...proof, authorization },
    });
    expect(readErrorCode(refused)).toEqual([401, 'UNAUTHORIZED']);
    const cookie = await open();
    const shown = await weft.call('POST', '/auth/refresh', { headers: { ...proof, cookie } });
    expect(readErrorCode(shown)).toEqual([401, 'UNAUTHORIZED']);
  });

  test('ends with its cookie, whose token may have expired', async () => {
    for (const age of [0, 2 * 3_600_000]) {
      const cookie = await open();
      const [name, token] = [cookie.split('=', 1)[0]!, parseToken(cookie)];
      const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Headers;
      const { token: aged } = await createSessionTokens(deriveKeys(secret).tokens).sign({
        userId: claims['sub']!,
        sessionId: claims['sid']!,
        tokenId: claims['jti']!,
        issuedAt: Date.now() - age,
      });
      const closed = await weft.call('DELETE', '/auth/session', {
        headers: { ...proof, cookie: `${name}=${aged}` },
      });
      expect([closed.status, closed.body]).toEqual([200, { success: true }]);
      expect(readSetCookie(closed)).toBe(`${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`);
      expect((await me({ ...proof, cookie })).status).toBe(401);
      expect((await refresh(cookie)).status).toBe(401);
    }
    const none = await weft.call('DELETE', '/auth/session', { headers: proof });
    expect(none.status).toBe(200);
  });

  test('is bound to its service: a token of another service is rejected', async () => {
    const { token } = await createSessionTokens(randomBytes(32)).sign({
      userId: 'usr_1',
      sessionId: 'ses_1',
      tokenId: 'x',
      issuedAt: Date.now(),
    });
    const cookie = `${(await open()).split('=', 1)[0]}=${token}`;
    expect(readErrorCode(await me({ ...proof, cookie }))).toEqual([401, 'UNAUTHORIZED']);
    expect(await open({ cookie })).not.toBe(cookie);
  });
});

describe('a WebSocket', () => {
  async function connect(headers: Headers): Promise<SocketClient> {
    const client = await connectSocket(weft.url, { headers });
    client.send({ type: 'auth' });
    return client;
  }
  async function expectRefused(headers: Headers): Promise<void> {
    const client = await connect(headers);
    expect(await client.closed()).toMatchObject({ code: 4401 });
    expect(client.messages).toEqual([
      { type: 'error', data: expect.objectContaining({ code: 'UNAUTHORIZED' }) },
    ]);
  }

  test('of the service opens by cookie, and closes with 4401 when the session ends', async () => {
    const cookie = await open();
    const client = await connect({ cookie, origin });
    expect((await client.next()).type).toBe('auth_success');
    await weft.call('DELETE', '/auth/session', { headers: { ...proof, cookie } });
    expect(await client.closed()).toMatchObject({ code: 4401 });
  });

  test('of another origin, or of none, is refused', async () => {
    const cookie = await open();
    await expectRefused({ cookie, origin: 'https://evil.example' });
    await expectRefused({ cookie, origin: 'http://127.0.0.1:1' });
    await expectRefused({ cookie, origin: 'null' });
    await expectRefused({ cookie });
    await expectRefused({ cookie, origin, 'sec-fetch-site': 'same-site' });
    await expectRefused({ origin });
  });

  test('of another origin opens with a token, as before', async () => {
    const client = await connectSocket(weft.url, {
      headers: { cookie: await open(), origin: 'https://evil.example' },
    });
    const login = await weft.call('POST', '/auth/login', { body: administrator });
    expect((await client.auth((login.body as { token: string }).token)).type).toBe('auth_success');
  });

  test('of GraphQL opens by cookie, from the service alone', async () => {
    const cookie = await open();
    async function readFirstMessage(headers: Headers): Promise<unknown> {
      class Socket extends WebSocket {
        constructor(url: string, protocols: string[]) {
          super(url, protocols, { headers });
        }
      }
      const client = createClient({
        url: `${weft.url.replace(/^http/, 'ws')}/graphql`,
        webSocketImpl: Socket,
        retryAttempts: 0,
      });
      try {
        const responses = client.iterate({ query: 'subscription { systemHealth { status } }' });
        return (await responses.next()).value;
      } finally {
        await client.dispose();
      }
    }
    expect(await readFirstMessage({ cookie, origin })).toMatchObject({
      data: { systemHealth: { status: 'ok' } },
    });
    for (const headers of [{ cookie, origin: 'https://evil.example' }, { cookie }, { origin }])
      await expect(readFirstMessage(headers)).rejects.toMatchObject({ code: 4403 });
  });
});

test('with an https public address the cookie is Secure, and pages of that address may send it', async () => {
  const data = createTempFolder();
  const env = { WEFT_PUBLIC_URL: 'https://weft.example.com' };
  const published = await spawnService({ dataDir: data.path, env });
  try {
    const page = { 'x-weft-csrf': '1', origin: 'https://weft.example.com' };
    const opened = await published.call('POST', '/auth/session', { body: administrator, headers: page });
    expect(readSetCookie(opened)).toMatch(
      /^__Host-weft_session=.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    const cookie = readCookie(opened);
    const asPage = (headers: Headers): Promise<ApiResponse> =>
      published.call('POST', '/workflows', { body: { name: 'x' }, headers: { ...headers, cookie } });
    expect((await asPage(page)).status).toBe(201);
    expect((await asPage({ ...page, origin: 'https://evil.example' })).status).toBe(403);
    const client = await connectSocket(published.url, { headers: { cookie, origin: page.origin } });
    client.send({ type: 'auth' });
    expect((await client.next()).type).toBe('auth_success');
  } finally {
    await published.stop();
    data.remove();
  }
});
