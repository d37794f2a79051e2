import { createConnection } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from './browser.ts';
import { ADMIN, CALLBACK, OAuthServer, VERIFIER, type Client } from './oauth-server.ts';

let server: OAuthServer;
let own: Required<Client>;
let open: Client;
beforeAll(async () => {
  server = await OAuthServer.open();
  own = await server.ownClient({
    redirect_uris: [CALLBACK],
    grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
  });
  open = await server.openClient();
});
afterAll(async () => {
  const failures = server
    .logs()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));
  await server.close();
  expect(failures).toEqual([]);
});

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const check = <T>(property: fc.IAsyncProperty<T>, numRuns: number) => fc.assert(property, { seed, numRuns });

const odd = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '%00',
    '\0',
    '__proto__',
    'constructor',
    'a'.repeat(5000),
    '../..',
    '%',
    '\u{1f600}',
  ),
);
const likely = fc.constantFrom(
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'code',
  'none',
  'login',
  'consent',
  'create',
  'openid',
  'workflows:read',
  'S256',
  'plain',
  'query',
  'fragment',
  'form_post',
  'web_message',
  'jwt',
  '0',
  '-1',
  '1e9',
  CALLBACK,
  VERIFIER,
  'access_token',
);
const names = [
  'client_id',
  'client_secret',
  'grant_type',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
  'token',
  'token_type_hint',
  'client_assertion',
  'client_assertion_type',
  'resource',
  'response_type',
  'response_mode',
  'state',
  'nonce',
  'prompt',
  'max_age',
  'id_token_hint',
  'login_hint',
  'acr_values',
  'ui_locales',
  'claims',
  'request',
  'request_uri',
  'code_challenge',
  'code_challenge_method',
  'display',
  'registration',
  'dpop_jkt',
  '__proto__',
  'x',
];
const pairs = fc.array(fc.tuple(fc.constantFrom(...names), fc.oneof(odd, likely)), { maxLength: 8 });
function buildForm(fields: readonly (readonly [string, string])[]): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of fields) form.append(name, value.toWellFormed());
  return form;
}

test(`forms to every endpoint: never a 5xx (seed ${seed})`, async () => {
  const endpoints = ['token', 'revoke', 'introspect'];
  await check(
    fc.asyncProperty(
      fc.record({
        endpoint: fc.constantFrom(...endpoints),
        pairs,
        who: fc.constantFrom('own', 'open', 'basic', 'none'),
        basic: odd,
      }),
      async (one) => {
        const body = buildForm(one.pairs);
        const headers: Record<string, string> = { accept: 'text/html' };
        if (one.who === 'own') {
          headers['authorization'] =
            `Basic ${Buffer.from(`${own.client_id}:${own.client_secret}`).toString('base64')}`;
        }
        if (one.who === 'basic')
          headers['authorization'] = `Basic ${Buffer.from(one.basic).toString('base64')}`;
        if (one.who === 'open') body.set('client_id', open.client_id);
        const { status, text } = await server.fetch(`/oauth/${one.endpoint}`, {
          method: 'POST',
          headers,
          body,
        });
        expect([200, 400, 401, 403]).toContain(status);
        if (status !== 200) expect(JSON.parse(text)).toHaveProperty('error');
      },
    ),
    120,
  );
});

test(`authorization requests: never a 5xx, never a redirect elsewhere (seed ${seed})`, async () => {
  const browser = new Browser(server.origin);
  await server.toConsent(browser, server.authorizeUrl(open));
  await check(
    fc.asyncProperty(fc.record({ pairs, isWhole: fc.boolean(), isOwn: fc.boolean() }), async (one) => {
      const base = one.isWhole ? server.authorizeUrl(one.isOwn ? own : open) : '/oauth/authorize?x=1';
      const more = buildForm(one.pairs);
      const { status, left } = await browser.open(`${base}&${more.toString()}`);
      expect([200, 303, 400, 401, 431]).toContain(status);
      if (left !== null) expect(left.href.startsWith(CALLBACK)).toBe(true);
    }),
    120,
  );
});

test(`registration of any JSON: never a 5xx (seed ${seed})`, async () => {
  const metadata = fc.dictionary(
    fc.constantFrom(
      'client_name',
      'redirect_uris',
      'grant_types',
      'response_types',
      'token_endpoint_auth_method',
      'scope',
      'client_uri',
      'logo_uri',
      'contacts',
      'jwks',
      'jwks_uri',
      'application_type',
      'subject_type',
      'sector_identifier_uri',
      'default_max_age',
      'id_token_signed_response_alg',
      'registered_by',
      '__proto__',
      'constructor',
      'client_id',
    ),
    fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.array(fc.oneof(fc.webUrl(), likely), { maxLength: 3 }),
      likely,
    ),
  );
  await check(
    fc.asyncProperty(fc.oneof(metadata, fc.jsonValue()), async (value) => {
      const { status, text } = await server.fetch('/oauth/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(value),
      });
      expect([201, 400]).toContain(status);
      if (status === 400) expect(JSON.parse(text)).toHaveProperty('error');
    }),
    120,
  );
});

test('bodies that are none, of other types, too large, or cut off', async () => {
  const large = `grant_type=${'x'.repeat(100_000)}`;
  for (const endpoint of ['token', 'revoke', 'introspect', 'register']) {
    for (const [type, body] of [
      ['application/json', '{'],
      ['application/json', '[]'],
      ['application/json', 'null'],
      ['application/json', '"x"'],
      ['text/plain', 'x'],
      ['multipart/form-data; boundary=x', 'x'],
      ['application/x-www-form-urlencoded', large],
      ['application/x-www-form-urlencoded; charset=utf-16', 'a=b'],
      ['application/x-www-form-urlencoded; charset=nope', 'a=b'],
      ['application/json; charset=nope', '{}'],
      ['application/json', `{"a":"${'x'.repeat(100_000)}"}`],
      ['application/json', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
      ['', ''],
      ['x', 'x'],
      ['application/x-www-form-urlencoded', ''],
    ] as const) {
      const { status, text } = await server.fetch(`/oauth/${endpoint}`, {
        method: 'POST',
        headers: type === '' ? {} : { 'content-type': type },
        body,
      });
      expect([endpoint, type, body.slice(0, 20), status, text.slice(0, 10)]).toEqual([
        endpoint,
        type,
        body.slice(0, 20),
        400,
        '{"error":"',
      ]);
    }
  }
  const port = Number(new URL(server.origin).port);
  for (const endpoint of ['token', 'register']) {
    const socket = createConnection(port, '127.0.0.1');
    socket.write(
      `POST /oauth/${endpoint} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"a"`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
  }
  expect((await server.fetch('/oauth/jwks')).status).toBe(200);
});

test('other methods and paths are not found; an absolute URL as path does not change the host', async () => {
  for (const [method, url] of [
    ['GET', '/oauth/token'],
    ['PUT', '/oauth/token'],
    ['DELETE', '/oauth/register'],
    ['GET', '/oauth/register/cli_1'],
    ['POST', '/oauth/authorize'],
    ['POST', '/oauth/jwks'],
    ['GET', '/oauth'],
    ['GET', '/oauth/session/end'],
    ['POST', '/session/end/confirm'],
    ['GET', '/interaction/x'],
    ['GET', '/me'],
  ] as const) {
    const { status, body } = await server.fetch(url, { method });
    expect([method, url, status, body['error']]).toMatchObject([method, url, 404, { code: 'NOT_FOUND' }]);
  }
  const port = Number(new URL(server.origin).port);
  const response = await new Promise<string>((resolve) => {
    let text = '';
    const socket = createConnection(port, '127.0.0.1');
    socket.on('data', (bytes) => (text += bytes.toString()));
    socket.on('close', () => resolve(text));
    socket.write(
      'GET http://evil.example/.well-known/oauth-authorization-server HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
  });
  expect(response).not.toContain('evil.example');
});

test('steps that are none', async () => {
  const browser = new Browser(server.origin);
  for (const uid of ['x', '%00', 'a'.repeat(90), '..', '__proto__']) {
    for (const method of ['GET', 'POST']) {
      const page = await browser.open(`/oauth/interaction/${uid}`, { method });
      expect([400, 404]).toContain(page.status);
      const resumed = await browser.open(`/oauth/authorize/${uid}`);
      expect([400, 404]).toContain(resumed.status);
    }
  }
  const login = await browser.open(server.authorizeUrl(open));
  const action = login.forms[0]!.action;
  for (const body of ['', '{', 'x'.repeat(20_000), 'do=allow&do=login', 'proof=%00&do=%00']) {
    const page = await browser.open(action, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body,
    });
    expect([body.slice(0, 5), [400, 403].includes(page.status)]).toEqual([body.slice(0, 5), true]);
  }
  const json = await browser.open(action, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(json.status).toBe(400);
  expect((await browser.press(login, 'login', ADMIN)).status).toBe(200);
});

test('a body that is too large does not block the next request of its connection', async () => {
  for (const path of ['/oauth/token', '/oauth/revoke', '/oauth/introspect', '/oauth/register']) {
    const type = path === '/oauth/register' ? 'application/json' : 'application/x-www-form-urlencoded';
    const socket = createConnection(Number(new URL(server.origin).port), '127.0.0.1');
    let response = '';
    socket.on('data', (data) => (response += data.toString('latin1')));
    socket.on('error', () => {});
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (let i = 0; i < 20; i++) socket.write(`4000\r\n${'a'.repeat(0x4000)}\r\n`);
    socket.write('0\r\n\r\nGET /v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve));
    expect([path, ...[...response.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => match[1])]).toEqual([
      path,
      '400',
      '200',
    ]);
  }
});
