import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from './browser.ts';
import { ADMIN, CALLBACK, OAuthServer, VERIFIER, type OAuthResponse, type Client } from './oauth-server.ts';

let server: OAuthServer;
beforeAll(async () => {
  server = await OAuthServer.open();
});
afterAll(async () => {
  // The library warns of settings that are left as they are for development.
  expect(server.logs()).not.toMatch(/oidc-provider (notice|warning)/i);
  await server.close();
});

const at20 = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 20 }, work));
const statuses = (responses: OAuthResponse[]): number[] =>
  responses.map(({ status }) => status).toSorted((a, b) => a - b);
const oneOf20 = [200, ...Array.from({ length: 19 }, () => 400)];

test('20 exchanges of one code at once: one wins, and all of its tokens are dead then', async () => {
  const client = await server.openClient();
  const code = await server.code(client);
  const responses = await at20(() => server.exchange(client, code));
  expect(statuses(responses)).toEqual(oneOf20);
  for (const { status, body } of responses) if (status === 400) expect(body['error']).toBe('invalid_grant');
  const won = responses.find(({ status }) => status === 200)!;
  expect(await server.status(won.body['access_token']!)).toBe(401);
  expect((await server.refresh(client, won.body['refresh_token']!)).status).toBe(400);
});

test('20 refreshes with one token at once: one wins, and the family is dead then', async () => {
  const client = await server.openClient();
  const tokens = await server.tokens(client);
  const responses = await at20(() => server.refresh(client, tokens.refresh_token));
  expect(statuses(responses)).toEqual(oneOf20);
  const won = responses.find(({ status }) => status === 200)!;
  for (const token of [tokens.access_token, won.body['access_token']!])
    expect(await server.status(token)).toBe(401);
  expect((await server.refresh(client, won.body['refresh_token']!)).status).toBe(400);
});

test('reusing a code or a refresh token revokes its tokens', async () => {
  const client = await server.openClient();
  const code = await server.code(client);
  const first = await server.exchange(client, code);
  expect(await server.status(first.body['access_token']!)).toBe(200);
  const again = await server.exchange(client, code);
  expect([again.status, again.body['error']]).toEqual([400, 'invalid_grant']);
  expect(await server.status(first.body['access_token']!)).toBe(401);
  expect((await server.refresh(client, first.body['refresh_token']!)).body['error']).toBe('invalid_grant');

  const tokens = await server.tokens(client);
  const second = await server.refresh(client, tokens.refresh_token);
  const third = await server.refresh(client, second.body['refresh_token']!);
  expect(await server.status(third.body['access_token']!)).toBe(200);
  expect((await server.refresh(client, tokens.refresh_token)).body['error']).toBe('invalid_grant');
  for (const token of [tokens.access_token, second.body['access_token']!, third.body['access_token']!])
    expect(await server.status(token)).toBe(401);
  expect((await server.refresh(client, third.body['refresh_token']!)).status).toBe(400);
});

test('ending one authorization ends no other of the same client and person', async () => {
  const client = await server.openClient();
  const one = await server.tokens(client);
  const other = await server.tokens(client);
  await server.post('revoke', client, { token: one.access_token });
  expect(await server.status(one.access_token)).toBe(401);
  expect((await server.refresh(client, one.refresh_token)).status).toBe(400);
  expect(await server.status(other.access_token)).toBe(200);
});

test('a code is for its client, its address and its verifier', async () => {
  const client = await server.openClient();
  const other = await server.openClient();
  const code = await server.code(client);
  const wrong: [Client, Record<string, string>][] = [
    [other, {}],
    [client, { code_verifier: 'x'.repeat(50) }],
    [client, { code_verifier: '' }],
    [client, { redirect_uri: `${CALLBACK}/` }],
    [client, { redirect_uri: '' }],
    [client, { code: `${code}x` }],
  ];
  for (const [who, fields] of wrong) {
    const response = await server.post('token', who, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
      ...fields,
    });
    expect([fields, response.status]).toEqual([fields, 400]);
  }
  const tokens = (await server.exchange(client, code)).body;
  expect(await server.status(tokens['access_token']!)).toBe(200);
  expect((await server.refresh(other, tokens['refresh_token']!)).status).toBe(400);
  const foreign = await server.post('revoke', other, { token: tokens['access_token']! });
  expect(foreign.body['error']).toBe('invalid_request');
  const asked = await server.post('introspect', other, { token: tokens['access_token']! });
  expect(asked.body).toEqual({ active: false });
  expect(await server.status(tokens['access_token']!)).toBe(200);
});

test('only access tokens are credentials', async () => {
  const client = await server.ownClient({ redirect_uris: [CALLBACK] });
  const code = await server.code(client);
  expect(await server.status(code)).toBe(401);
  const tokens = (await server.exchange(client, code)).body;
  for (const wrong of [tokens['refresh_token']!, client.client_secret, client.client_id, 'x'.repeat(43)])
    expect(await server.status(wrong)).toBe(401);
  const inQuery = await server.fetch(`/v1/users/me?access_token=${tokens['access_token']!}`);
  expect(inQuery.status).toBe(401);
});

test.each([
  ['no PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
  ['plain PKCE', { code_challenge: VERIFIER, code_challenge_method: 'plain' }, 'invalid_request'],
  ['PKCE without method', { code_challenge_method: null }, 'invalid_request'],
  ['implicit', { response_type: 'token' }, 'unsupported_response_type'],
  ['hybrid', { response_type: 'code id_token', nonce: 'n', scope: 'openid' }, 'unsupported_response_type'],
  ['id_token', { response_type: 'id_token', nonce: 'n', scope: 'openid' }, 'unsupported_response_type'],
  ['no scope', { scope: null }, 'invalid_scope'],
  ['unknown scopes alone', { scope: 'root profile' }, 'invalid_scope'],
  ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  ['a request address', { request_uri: 'https://evil.example/r' }, 'request_uri_not_supported'],
])('%s is refused', async (_name, fields, error) => {
  const client = await server.openClient();
  const { left } = await new Browser(server.origin).open(server.authorizeUrl(client, fields));
  expect(left?.href.startsWith(CALLBACK)).toBe(true);
  const query = left!.hash === '' ? left!.searchParams : new URLSearchParams(left!.hash.slice(1));
  expect([query.get('error'), query.get('iss')]).toEqual([error, server.origin]);
});

test.each([
  'https://app.example.com/cb/',
  'https://app.example.com/cb?x=1',
  'https://app.example.com/CB',
  'https://app.example.com:443/cb',
  'https://app.example.com.evil.example/cb',
  'https://app.example.com@evil.example/cb',
  'https://evil.example',
  '//evil.example',
  'javascript:alert(1)',
  '',
])('no redirect goes to %j, which is not registered', async (redirect_uri) => {
  const client = await server.openClient();
  for (const more of [{}, { response_type: 'token' }, { scope: null }, { code_challenge: null }]) {
    const url = server.authorizeUrl(client, { ...more, redirect_uri });
    const page = await new Browser(server.origin).open(url);
    expect([more, page.left, page.status]).toEqual([more, null, 400]);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  }
});

test('an unknown client is a page here, never a redirect', async () => {
  const url = server.authorizeUrl({ client_id: 'cli_none' }, { redirect_uri: 'https://evil.example' });
  const page = await new Browser(server.origin).open(url);
  expect([page.left, page.status]).toEqual([null, 400]);
  expect(page.text).toContain('Unknown app');
  expect((await server.exchange({ client_id: 'cli_none' }, 'x')).body['error']).toBe('invalid_client');
});

test('there is no password grant, and a client gets only the grants that it was registered for', async () => {
  const open = await server.openClient();
  const own = await server.ownClient();
  const asked: [Client, string, string][] = [
    [own, 'password', 'unsupported_grant_type'],
    [own, 'implicit', 'unsupported_grant_type'],
    [own, 'urn:ietf:params:oauth:grant-type:device_code', 'unsupported_grant_type'],
    [own, 'authorization_code', 'unauthorized_client'],
    [own, 'refresh_token', 'unauthorized_client'],
    [open, 'client_credentials', 'unauthorized_client'],
  ];
  for (const [client, grantType, error] of asked) {
    const { body, status } = await server.post('token', client, {
      grant_type: grantType,
      username: ADMIN.email,
      password: ADMIN.password,
    });
    expect([grantType, status, body['error']]).toEqual([grantType, 400, error]);
  }
  for (const client of [{ ...own, client_secret: 'wrong' }, { client_id: own.client_id }]) {
    const { body, status } = await server.post('token', client, { grant_type: 'client_credentials' });
    expect([status, body['error']]).toEqual([401, 'invalid_client']);
  }
});

test('names of clients are text, in every place', async () => {
  const name = `"><script>alert(1)</script><b title='x' &amp;`;
  const client = await server.openClient({ client_name: name });
  const browser = new Browser(server.origin);
  const login = await browser.open(server.authorizeUrl(client, { login_hint: '"><img src=x>' }));
  const wrong = await browser.press(login, 'login', { email: '"><i>@x.org', password: 'wrong password' });
  const consent = await browser.press(wrong, 'login', ADMIN);
  for (const { text } of [login, wrong, consent]) {
    expect(text).toContain(
      '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;b title=&#39;x&#39; &amp;amp;',
    );
    expect(text).not.toMatch(/<script|<img|<b title|<i>@/);
  }
  for (const odd of ['', ' ', 'a\u202eb', 'a\u200bb', 'a\nb', 'x'.repeat(101), 5, null, { a: 1 }, ['x']]) {
    expect([odd, (await server.register({ client_name: odd })).status]).toEqual([odd, 400]);
  }
  const bad = await server.api('POST', '/oauth/clients', await server.session(), {
    name: 'a\u202eb',
    scopes: ['admin'],
  });
  expect(bad.body['error']).toMatchObject({ code: 'VALIDATION_ERROR', details: { field: 'name' } });
});

test('a form counts only with its proof, in its browser, from its origin', async () => {
  const client = await server.openClient();
  const browser = new Browser(server.origin);
  const consent = await server.toConsent(browser, server.authorizeUrl(client));
  const form = consent.forms.find(({ buttons }) => buttons.includes('allow'))!;
  const send = (fields: Record<string, string>, headers: Record<string, string>, who = browser) =>
    who.open(form.action, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ scope: 'workflows:read', do: 'allow', ...fields }),
    });
  const proof = Object.fromEntries(form.fields)['proof']!;
  expect((await send({}, {})).status).toBe(403);
  expect((await send({ proof: proof.slice(1) }, {})).status).toBe(403);
  expect((await send({ proof }, { origin: 'https://evil.example' })).status).toBe(403);
  expect((await send({ proof }, { origin: 'null' })).status).toBe(403);
  // Without the cookie there is no such step.
  expect((await send({ proof }, {}, new Browser(server.origin))).status).toBe(400);
  const other = new Browser(server.origin);
  const theirs = await server.toConsent(other, server.authorizeUrl(client));
  const foreign = Object.fromEntries(theirs.forms[0]!.fields)['proof']!;
  expect((await send({ proof: foreign }, {})).status).toBe(403);
  // A step is not taken over with its name alone: the cookie is signed.
  const thief = new Browser(server.origin);
  for (const [key, cookie] of browser.cookies) {
    if (!key.includes('.sig')) thief.cookies.set(key, cookie);
  }
  expect((await send({ proof }, {}, thief)).status).toBe(400);
  expect((await send({ proof, do: 'login' }, {})).status).toBe(400);
  expect((await send({ proof }, {})).left?.searchParams.get('code')).toBeTruthy();
  // Finished is finished.
  expect((await send({ proof }, {})).status).toBe(400);
});

test('pages cannot be framed, load nothing and are not kept; cookies are for http alone', async () => {
  const client = await server.openClient();
  const browser = new Browser(server.origin);
  const page = await browser.open(server.authorizeUrl(client));
  expect(page.headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/app\.example\.com; frame-ancestors 'none'; base-uri 'none'$/,
  );
  expect(page.headers.get('x-frame-options')).toBe('DENY');
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(page.headers.get('x-request-id')).toMatch(/^req_/);
  await browser.press(page, 'login', ADMIN);
  const names = [...browser.cookies.keys()].map((key) => key.split(' ')[0]);
  expect(names).toEqual(expect.arrayContaining(['weft_login', 'weft_login.sig', 'weft_interaction']));
  for (const { attributes } of browser.cookies.values()) {
    const lower = attributes.map((one) => one.toLowerCase());
    expect(lower).toEqual(expect.arrayContaining(['httponly', 'samesite=lax']));
    expect(lower).not.toContain('secure');
  }
});

test('a wrong email and a wrong password get the same response; guessing is delayed as for the login', async () => {
  const client = await server.openClient();
  const browser = new Browser(server.origin);
  let page = await browser.open(server.authorizeUrl(client));
  const seen = new Set<string>();
  for (const who of [
    { email: ADMIN.email, password: 'wrong' },
    { email: 'nobody@example.com', password: 'wrong' },
    { email: '', password: '' },
    { email: 'x'.repeat(1000), password: 'y'.repeat(1000) },
  ]) {
    page = await browser.press(page, 'login', who);
    expect(page.status).toBe(400);
    seen.add(/role="alert">([^<]+)</.exec(page.text)?.[1] ?? '');
  }
  expect([...seen]).toEqual(['The email or the password is wrong.']);
  for (let i = 0; i < 5; i++) page = await browser.press(page, 'login', { email: 'v@x.org', password: 'no' });
  const began = performance.now();
  await browser.press(page, 'login', { email: 'v@x.org', password: 'no' });
  expect(performance.now() - began).toBeGreaterThan(400);
});

test('a client that registers itself is public, for the code flow, with addresses that are safe', async () => {
  const bad: [Record<string, unknown>, string][] = [
    [{ token_endpoint_auth_method: 'client_secret_basic' }, 'invalid_client_metadata'],
    [
      { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://evil.example' },
      'invalid_client_metadata',
    ],
    [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ grant_types: ['authorization_code', 'implicit'] }, 'invalid_client_metadata'],
    [{ grant_types: ['refresh_token'] }, 'invalid_client_metadata'],
    [{ grant_types: 'authorization_code' }, 'invalid_client_metadata'],
    [{ response_types: ['token'] }, 'invalid_client_metadata'],
    [{ response_types: [] }, 'invalid_client_metadata'],
    [{ scope: 'root' }, 'invalid_client_metadata'],
    [{ scope: 5 }, 'invalid_client_metadata'],
    [{ client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: undefined }, 'invalid_redirect_uri'],
    [{ redirect_uris: 'https://x.org' }, 'invalid_redirect_uri'],
    [{ redirect_uris: [5] }, 'invalid_redirect_uri'],
    [{ redirect_uris: Array.from({ length: 11 }, (_, i) => `https://x.org/${i}`) }, 'invalid_redirect_uri'],
    ...[
      'http://x.org/cb',
      'https://x.org/#f',
      'https://u:p@x.org/',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'myapp:/cb',
      '/cb',
      'https://x.org/ x',
      'https://x.org\\@y.org',
      `https://x.org/${'a'.repeat(2000)}`,
      'https://x\u00f6.org/',
    ].map((uri): [Record<string, unknown>, string] => [{ redirect_uris: [uri] }, 'invalid_redirect_uri']),
  ];
  for (const [i, [metadata, error]] of bad.entries()) {
    const response = await server.register(metadata);
    expect([i, metadata, response.status, response.body['error']]).toEqual([i, metadata, 400, error]);
  }
  const good = await server.register({
    redirect_uris: ['http://127.0.0.1:1/cb', 'http://[::1]/cb', 'http://localhost/cb'],
    sector_identifier_uri: 'https://evil.example/s',
    jwks_uri: 'https://evil.example/j',
    logo_uri: 'https://evil.example/l',
    registered_by: 'user',
    client_id: 'cli_mine',
    client_secret: 'mine',
    owner_id: 'usr_1',
  });
  expect(good.status).toBe(201);
  expect(good.text).not.toContain('evil');
  expect(good.body).toMatchObject({ registered_by: 'itself', token_endpoint_auth_method: 'none' });
  expect(good.body['client_id']).not.toBe('cli_mine');
  expect(good.body['client_secret']).toBeUndefined();
  const app = await server.register({
    application_type: 'native',
    redirect_uris: ['com.example.app:/cb'],
  });
  expect(app.status).toBe(201);
});
