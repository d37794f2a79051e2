import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from './browser.ts';
import { ADMIN, CALLBACK, OAuthServer, VERIFIER } from './oauth-server.ts';

let server: OAuthServer;
beforeAll(async () => {
  server = await OAuthServer.open();
});
afterAll(() => server.close());

test('a restart in the middle of each step loses nothing', async () => {
  const client = await server.openClient();
  const own = await server.ownClient();
  const keys = (await server.fetch('/oauth/jwks')).text;
  const browser = new Browser(server.origin);
  const login = await browser.open(server.authorizeUrl(client));
  await server.restart();
  const consent = await browser.press(login, 'login', ADMIN);
  await server.restart();
  const { left } = await browser.press(consent, 'allow');
  const code = left!.searchParams.get('code')!;
  await server.restart();
  const tokens = (await server.exchange(client, code)).body;
  const clientToken = (await server.post('token', own, { grant_type: 'client_credentials' })).body;
  await server.restart();
  expect((await server.fetch('/oauth/jwks')).text).toBe(keys);
  expect(await server.status(tokens['access_token']!)).toBe(200);
  expect(await server.status(clientToken['access_token']!)).toBe(200);
  const renewed = (await server.refresh(client, tokens['refresh_token']!)).body;
  await server.restart();
  // Who was logged in still is, and what was used up still is.
  expect((await browser.open(server.authorizeUrl(client))).text).toContain(ADMIN.email);
  expect((await server.refresh(client, tokens['refresh_token']!)).status).toBe(400);
  expect(await server.status(renewed['access_token']!)).toBe(401);
  expect((await server.exchange(client, code)).status).toBe(400);
});

test('no credential of OAuth is on disk in plain text', async () => {
  const client = await server.openClient();
  const own = await server.ownClient({ name: 'On the disk' });
  const browser = new Browser(server.origin);
  const consent = await server.toConsent(browser, server.authorizeUrl(client));
  const { left } = await browser.press(consent, 'allow');
  const code = left!.searchParams.get('code')!;
  const tokens = (await server.exchange(client, code)).body;
  const shown = [
    code,
    tokens['access_token']!,
    tokens['refresh_token']!,
    own.client_secret,
    ...[...browser.cookies.values()].map(({ value }) => value).filter((value) => value.length > 20),
  ];
  expect(shown.length).toBeGreaterThan(5);
  const files = (await readdir(server.dataDir)).filter((name) => name.startsWith('weft.db'));
  const bytes = Buffer.concat(
    await Promise.all(files.map((name) => readFile(path.join(server.dataDir, name)))),
  );
  expect(bytes.includes('On the disk')).toBe(true);
  for (const secret of shown) expect(bytes.includes(secret)).toBe(false);
  for (const secret of shown) expect(server.logs().includes(secret)).toBe(false);
});

test('deleting a user revokes all tokens; a new password ends the login on the pages', async () => {
  const who = await server.member();
  const client = await server.openClient();
  const own = await server.ownClient({}, who);
  const tokens = await server.tokens(client, {}, who);
  const clientToken = (await server.post('token', own, { grant_type: 'client_credentials' })).body;
  const browser = new Browser(server.origin);
  const consent = await server.toConsent(browser, server.authorizeUrl(client), who);
  expect(await server.status(tokens.access_token)).toBe(200);
  expect(await server.status(clientToken['access_token']!)).toBe(200);

  const session = await server.session(who);
  const password = 'a new password of the member';
  const changed = await server.api('PUT', '/users/me/password', session, {
    current_password: who.password,
    new_password: password,
  });
  expect(changed.status).toBe(200);
  const after = await browser.press(consent, 'allow');
  expect([after.left, after.status]).toEqual([null, 400]);
  expect((await browser.open(server.authorizeUrl(client))).text).toContain('name="password"');
  expect(await server.status(tokens.access_token)).toBe(200);

  const pending = await server.toConsent(browser, server.authorizeUrl(client), { ...who, password });
  expect((await server.api('DELETE', `/users/${who.id}`, await server.session())).status).toBe(200);
  for (const token of [tokens.access_token, clientToken['access_token']!])
    expect(await server.status(token)).toBe(401);
  expect((await server.refresh(client, tokens.refresh_token)).status).toBe(400);
  expect((await server.post('token', own, { grant_type: 'client_credentials' })).status).toBe(401);
  const late = await browser.press(pending, 'allow');
  expect(late.left).toBeNull();
  expect(late.status).toBe(400);
});

test('behind https, cookies are bound to the host and to https', async () => {
  const secure = await OAuthServer.open({ WEFT_PUBLIC_URL: 'https://weft.example.com' });
  try {
    const { body } = await secure.fetch('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      issuer: 'https://weft.example.com',
      token_endpoint: 'https://weft.example.com/oauth/token',
    });
    const client = await secure.openClient();
    const began = await secure.fetch(secure.authorizeUrl(client));
    expect(began.headers.get('location')).toMatch(/^\/oauth\/interaction\//);
    const cookies = began.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(1);
    for (const cookie of cookies) expect(cookie).toMatch(/^__Secure-weft_.*; secure; httponly/i);

    const page = await secure.fetch(began.headers.get('location')!, {
      headers: { cookie: cookies.map((one) => one.split(';')[0]).join('; ') },
    });
    const proof = /name="proof" value="([^"]+)"/.exec(page.text)![1]!;
    const jar = cookies.map((one) => one.split(';')[0]).join('; ');
    const done = await secure.fetch(began.headers.get('location')!, {
      method: 'POST',
      headers: { cookie: jar, origin: 'https://weft.example.com' },
      body: new URLSearchParams({ ...ADMIN, proof, do: 'login' }),
    });
    const resume = new URL(done.headers.get('location')!);
    expect(resume.origin).toBe('https://weft.example.com');
    const resumed = await secure.fetch(resume.pathname, { headers: { cookie: jar } });
    const login = resumed.headers.getSetCookie().find((one) => one.startsWith('__Host-weft_login='));
    expect(login).toMatch(/; path=\/; samesite=lax; secure; httponly/i);
    expect(login).not.toMatch(/domain/i);
  } finally {
    await secure.close();
  }
});

test('one address registers 30 clients an hour, and no more', async () => {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.7' };
  const body = JSON.stringify({ client_name: 'x', redirect_uris: [CALLBACK] });
  const register = (from = headers) =>
    server.fetch('/oauth/register', { method: 'POST', headers: from, body });
  const responses = await Promise.all(Array.from({ length: 32 }, () => register()));
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(30);
  const refused = responses.find(({ status }) => status !== 201)!;
  expect([refused.status, refused.body['error']]).toEqual([429, 'temporarily_unavailable']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
  expect((await register({ ...headers, 'x-forwarded-for': '::ffff:192.0.2.7' })).status).toBe(429);
  expect((await register({ ...headers, 'x-forwarded-for': '192.0.2.8' })).status).toBe(201);
  // Of IPv6 a network of 64 bits counts as one.
  const network = await Promise.all(
    Array.from({ length: 31 }, (_, i) => register({ ...headers, 'x-forwarded-for': `2001:db8:1:2::${i}` })),
  );
  expect(network.filter(({ status }) => status === 201)).toHaveLength(30);
  expect((await register({ ...headers, 'x-forwarded-for': '2001:db8:1:3::1' })).status).toBe(201);
});

test('pages of other sites may call for a public client from its own origin alone', async () => {
  const client = await server.openClient();
  const asked = async (origin: string) =>
    await server.fetch('/oauth/token', {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({
        client_id: client.client_id,
        grant_type: 'refresh_token',
        refresh_token: 'x',
      }),
    });
  const own = await asked('https://app.example.com');
  expect(own.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
  expect(own.body['error']).toBe('invalid_grant');
  const foreign = await asked('https://evil.example');
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  expect(foreign.body['error']).toBe('invalid_request');
  const preflight = await server.fetch('/oauth/token', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(204);
});

test('an app on a device may use any port of its own machine, and a scheme of its own', async () => {
  const client = await server.openClient({
    application_type: 'native',
    redirect_uris: ['http://127.0.0.1/cb', 'com.example.app:/done'],
  });
  for (const [uri, source] of [
    ['http://127.0.0.1:43123/cb', 'http://127.0.0.1:43123'],
    ['com.example.app:/done', 'com.example.app:'],
  ] as const) {
    const browser = new Browser(server.origin);
    const url = server.authorizeUrl(client, { redirect_uri: uri });
    const consent = await server.toConsent(browser, url);
    expect(consent.headers.get('content-security-policy')).toContain(`form-action 'self' ${source};`);
    const { left } = await browser.press(consent, 'allow');
    expect(left?.href.startsWith(uri)).toBe(true);
    const response = await server.post('token', client, {
      grant_type: 'authorization_code',
      code: left!.searchParams.get('code')!,
      redirect_uri: uri,
      code_verifier: VERIFIER,
    });
    expect(response.status).toBe(200);
  }
  const web = await server.openClient({ redirect_uris: ['http://127.0.0.1/cb'] });
  const page = await new Browser(server.origin).open(
    server.authorizeUrl(web, { redirect_uri: 'http://127.0.0.1:43123/cb' }),
  );
  expect([page.left, page.status]).toEqual([null, 400]);
});

test('clients of a user: errors name the field', async () => {
  const session = await server.session();
  const bad: [Record<string, unknown>, string][] = [
    [{}, 'scopes'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['openid'] }, 'scopes[0]'],
    [{ scopes: ['admin'], name: '' }, 'name'],
    [{ scopes: ['admin'], redirect_uris: ['http://x.org'] }, 'redirect_uris[0]'],
    [{ scopes: ['admin'], grant_types: ['authorization_code'] }, 'redirect_uris'],
    [{ scopes: ['admin'], grant_types: ['client_credentials'], redirect_uris: [CALLBACK] }, 'redirect_uris'],
    [{ scopes: ['admin'], grant_types: ['client_credentials', 'refresh_token'] }, 'grant_types'],
    [{ scopes: ['admin'], grant_types: ['password'] }, 'grant_types[0]'],
    [{ scopes: ['admin'], client_secret: 'mine' }, 'client_secret'],
  ];
  for (const [fields, field] of bad) {
    const { status, body } = await server.api('POST', '/oauth/clients', session, { name: 'x', ...fields });
    expect([fields, status, body['error']]).toMatchObject([fields, 400, { details: { field } }]);
  }
  const key = await server.api('POST', '/api-keys', session, { name: 'k' });
  const byKey = await server.fetch('/v1/oauth/clients', { headers: { 'x-api-key': key.body['key']! } });
  expect(byKey.status).toBe(403);
});

test('a client may have both: its own tokens and those of users', async () => {
  const client = await server.ownClient({
    // Refresh tokens need not be named.
    grant_types: ['client_credentials', 'authorization_code'],
    redirect_uris: [CALLBACK],
    scopes: ['workflows:read', 'executions:read'],
  });
  const who = await server.member();
  // Without `scope` it asks for what it was registered for.
  const browser = new Browser(server.origin);
  const consent = await server.toConsent(browser, server.authorizeUrl(client, { scope: null }), who);
  expect(consent.text).toContain('See your executions');
  expect(consent.text).not.toContain('registered itself');
  const { left } = await browser.press(consent, 'allow');
  const code = left!.searchParams.get('code')!;
  const withoutSecret = await server.exchange({ client_id: client.client_id }, code);
  expect(withoutSecret.status).toBe(401);
  const tokens = (await server.exchange(client, code)).body;
  expect((await server.api('GET', '/users/me', tokens['access_token']!)).body).toMatchObject({ id: who.id });
  const tooMuch = await browser.open(server.authorizeUrl(client, { scope: 'admin' }));
  expect(tooMuch.left?.searchParams.get('error')).toBe('invalid_scope');
  const refreshed = await server.refresh(client, tokens['refresh_token']!);
  expect(refreshed.status).toBe(200);
  const session = await server.session();
  expect((await server.api('DELETE', `/oauth/clients/${client.client_id}`, session)).status).toBe(200);
  expect(await server.status(refreshed.body['access_token']!)).toBe(401);
});

test('a user lists grants and revokes them', async () => {
  const who = await server.member();
  const session = await server.session(who);
  const client = await server.openClient({ client_name: 'Allowed' });
  const first = await server.tokens(client, { scope: 'openid workflows:read' }, who);
  const second = await server.tokens(client, {}, who);
  const listed = await server.api('GET', '/oauth/grants?limit=1&page=2', session);
  expect(listed.body).toMatchObject({
    grants: [{ client_id: client.client_id, client_name: 'Allowed', registered_by: 'itself' }],
    pagination: { total: 2 },
  });
  const [grant] = listed.body['grants'] as unknown as { id: string; scopes: string[] }[];
  expect(grant?.scopes).toEqual(['workflows:read']);
  const url = `/oauth/grants/${grant!.id}`;
  expect((await server.api('DELETE', url, await server.session())).status).toBe(404);
  expect((await server.api('DELETE', url, first.access_token)).status).toBe(403);
  expect(await server.status(first.access_token)).toBe(200);
  expect((await server.api('DELETE', url, session)).body).toEqual({ id: grant!.id, deleted: true });
  expect((await server.api('DELETE', url, session)).status).toBe(404);
  expect(await server.status(first.access_token)).toBe(401);
  expect((await server.refresh(client, first.refresh_token)).status).toBe(400);
  expect(await server.status(second.access_token)).toBe(200);
  expect((await server.api('GET', '/oauth/grants', session)).body['pagination']).toMatchObject({ total: 1 });
});

test('a socket accepts the token, and closes when it expires', async () => {
  const client = await server.openClient();
  const tokens = await server.tokens(client, { scope: 'executions:read' });
  const socket = new WebSocket(`${server.origin.replace('http', 'ws')}/v1/ws`);
  const closed = new Promise<number>((resolve) =>
    socket.addEventListener('close', ({ code }) => resolve(code)),
  );
  const proved = new Promise<string>((resolve) =>
    socket.addEventListener('message', ({ data }) => resolve(String(data))),
  );
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  socket.send(JSON.stringify({ type: 'auth', token: tokens.access_token }));
  expect(JSON.parse(await proved)).toMatchObject({ type: 'auth_success' });
  await server.post('revoke', client, { token: tokens.refresh_token });
  expect(await closed).toBe(4401);
});

test('GraphQL accepts the token, within its scopes', async () => {
  const client = await server.openClient();
  const tokens = await server.tokens(client, { scope: 'workflows:read' });
  const ask = (query: string) => server.api('POST', '/graphql', tokens.access_token, { query });
  expect((await ask('{ workflows { id } }')).body).toEqual({ data: { workflows: [] } });
  const forbidden = (await ask('{ executions { id } }')).body['errors'] as unknown;
  expect(forbidden).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  const revoked = await server.post('revoke', client, { token: tokens.access_token });
  // Some clients parse every response as JSON.
  expect([revoked.status, revoked.body]).toEqual([200, {}]);
  expect((await ask('{ workflows { id } }')).status).toBe(401);
});
