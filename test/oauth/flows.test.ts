import * as oidc from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Browser } from './browser.ts';
import { ADMIN, CALLBACK, OAuthServer } from './oauth-server.ts';

let server: OAuthServer;
beforeAll(async () => {
  server = await OAuthServer.open();
});
afterAll(() => server.close());

test('a client of another make: registration, code flow, refresh, revocation', async () => {
  const issuer = new URL(server.origin);
  const insecure = { execute: [oidc.allowInsecureRequests] };
  const config = await oidc.dynamicClientRegistration(
    issuer,
    { client_name: 'Another make', redirect_uris: [CALLBACK] },
    oidc.None(),
    insecure,
  );
  expect(config.serverMetadata().issuer).toBe(server.origin);
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier();
  const expectedState = oidc.randomState();
  const expectedNonce = oidc.randomNonce();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid workflows:read executions:read',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });

  const browser = new Browser(server.origin);
  const login = await browser.open(url.href);
  expect(login.text).toContain('to continue to <strong><bdi>Another make</bdi></strong>');
  const consent = await browser.press(login, 'login', ADMIN);
  expect(consent.text).toContain('See your workflows');
  expect(consent.text).toContain('app.example.com');
  expect(consent.text).toContain(ADMIN.email);
  const { left } = await browser.press(consent, 'allow');
  expect(left?.searchParams.get('iss')).toBe(server.origin);

  const tokens = await oidc.authorizationCodeGrant(config, left!, {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  });
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
  expect(tokens.scope?.split(' ').toSorted()).toEqual(['executions:read', 'openid', 'workflows:read']);
  const me = await server.api('GET', '/users/me', tokens.access_token);
  expect(me.body).toMatchObject({ email: ADMIN.email });
  expect(tokens.claims()).toMatchObject({ sub: me.body['id'], aud: config.clientMetadata().client_id });
  expect(await server.status(tokens.access_token, '/executions')).toBe(200);
  const forbidden = await server.api('GET', '/secrets', tokens.access_token);
  expect([forbidden.status, forbidden.body['error']]).toMatchObject([403, { code: 'FORBIDDEN' }]);
  expect(await server.status(tokens.access_token, '/api-keys')).toBe(403);
  expect(await server.status(tokens.access_token, '/oauth/clients')).toBe(403);

  const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token!, { scope: 'workflows:read' });
  expect(renewed.scope).toBe('workflows:read');
  expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
  expect(await server.status(renewed.access_token, '/workflows')).toBe(200);
  expect(await server.status(renewed.access_token, '/executions')).toBe(403);
  await expect(
    oidc.refreshTokenGrant(config, renewed.refresh_token!, { scope: 'workflows:read admin' }),
  ).rejects.toMatchObject({ error: 'invalid_scope' });

  await oidc.tokenRevocation(config, renewed.refresh_token!);
  for (const token of [tokens.access_token, renewed.access_token])
    expect(await server.status(token)).toBe(401);
});

test('client credentials act as the user who registered the client', async () => {
  const who = await server.member();
  const client = await server.ownClient({ name: 'CI', scopes: ['workflows:read', 'admin'] }, who);
  const config = await oidc.discovery(
    new URL(server.origin),
    client.client_id,
    undefined,
    oidc.ClientSecretPost(client.client_secret),
    { execute: [oidc.allowInsecureRequests], algorithm: 'oauth2' },
  );
  const all = await oidc.clientCredentialsGrant(config);
  expect(all).toMatchObject({ scope: 'workflows:read admin', expires_in: 3600 });
  expect(all.refresh_token).toBeUndefined();
  expect((await server.api('GET', '/users/me', all.access_token)).body).toMatchObject({ id: who.id });
  // The scope admin is nothing without the role.
  expect(await server.status(all.access_token, '/users')).toBe(403);
  expect(await server.status(all.access_token)).toBe(200);

  const less = await oidc.clientCredentialsGrant(config, { scope: 'admin' });
  expect(less.scope).toBe('admin');
  expect(await server.status(less.access_token)).toBe(403);
  await expect(oidc.clientCredentialsGrant(config, { scope: 'secrets:read' })).rejects.toMatchObject({
    error: 'invalid_scope',
  });

  expect(await oidc.tokenIntrospection(config, all.access_token)).toMatchObject({
    active: true,
    client_id: client.client_id,
    scope: 'workflows:read admin',
    token_type: 'Bearer',
    iss: server.origin,
  });
  await oidc.tokenRevocation(config, all.access_token);
  expect(await server.status(all.access_token)).toBe(401);
  expect(await oidc.tokenIntrospection(config, all.access_token)).toEqual({ active: false });
  expect(await server.status(less.access_token)).toBe(403);

  const session = await server.session(who);
  const listed = await server.api('GET', '/oauth/clients', session);
  expect(listed.body['clients']).toMatchObject([{ client_id: client.client_id, name: 'CI' }]);
  expect(listed.text).not.toContain('secret');
  expect(
    (await server.api('DELETE', `/oauth/clients/${client.client_id}`, await server.session())).status,
  ).toBe(404);
  const gone = await server.api('DELETE', `/oauth/clients/${client.client_id}`, session);
  expect(gone.body).toEqual({ id: client.client_id, deleted: true });
  expect(await server.status(less.access_token)).toBe(401);
  expect((await server.post('token', client, { grant_type: 'client_credentials' })).status).toBe(401);
});

test('metadata is at the root of the origin, with any Host header', async () => {
  const paths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  for (const path of paths) {
    const { body, headers, text } = await server.fetch(path, {
      headers: { 'x-forwarded-host': 'evil.localhost', 'x-forwarded-proto': 'https' },
    });
    expect(body).toMatchObject({
      issuer: server.origin,
      authorization_endpoint: `${server.origin}/oauth/authorize`,
      token_endpoint: `${server.origin}/oauth/token`,
      registration_endpoint: `${server.origin}/oauth/register`,
      revocation_endpoint: `${server.origin}/oauth/revoke`,
      introspection_endpoint: `${server.origin}/oauth/introspect`,
      jwks_uri: `${server.origin}/oauth/jwks`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(text).not.toContain('evil');
    expect(headers.get('x-request-id')).toMatch(/^req_/);
    expect(headers.get('weft-version')).not.toBeNull();
  }
  for (const resource of ['', '/v1']) {
    const { body } = await server.fetch(`/.well-known/oauth-protected-resource${resource}`);
    expect(body).toMatchObject({
      resource: `${server.origin}${resource}`,
      authorization_servers: [server.origin],
      bearer_methods_supported: ['header'],
    });
  }
  const { body } = await server.fetch('/oauth/jwks');
  const [key] = body['keys'] as unknown as Record<string, string>[];
  expect(Object.keys(key ?? {}).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
});

test('denied on either page: the client gets an error and no code', async () => {
  const client = await server.openClient();
  const browser = new Browser(server.origin);
  const login = await browser.open(server.authorizeUrl(client));
  const first = await browser.press(login, 'deny');
  const consent = await server.toConsent(browser, server.authorizeUrl(client));
  const second = await browser.press(consent, 'deny');
  for (const { left } of [first, second]) {
    expect(left?.origin + left!.pathname).toBe(CALLBACK);
    expect(Object.fromEntries(left!.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'The user denied access.',
      state: 'st',
      iss: server.origin,
    });
  }
});

test('a user may grant fewer scopes than requested; a logged-in user is asked for consent again', async () => {
  const client = await server.openClient();
  const browser = new Browser(server.origin);
  const scope = 'workflows:read workflows:write secrets:write';
  const consent = await server.toConsent(browser, server.authorizeUrl(client, { scope }));
  const none = await browser.press(consent, 'allow', {}, () => false);
  expect([none.status, none.text]).toEqual([400, expect.stringContaining('at least one')]);
  const { left } = await browser.press(none, 'allow', {}, (one) => one !== 'secrets:write');
  const { body } = await server.exchange(client, left!.searchParams.get('code')!);
  expect(body['scope']).toBe('workflows:read workflows:write');

  const again = await browser.open(server.authorizeUrl(client, { scope }));
  expect(again.text).not.toContain('name="password"');
  expect(again.text).toContain('wants to use your Weft');
  const silent = await browser.open(server.authorizeUrl(client, { scope, prompt: 'none' }));
  expect(silent.left?.searchParams.get('error')).toBe('consent_required');
});

test('the consent page names and highlights the use of secrets', async () => {
  const client = await server.openClient();
  const readScopes = async (scope: string): Promise<string[]> => {
    const consent = await server.toConsent(
      new Browser(server.origin),
      server.authorizeUrl(client, { scope }),
    );
    return [...consent.text.matchAll(/<label class="scope strong">.*?<b>(.*?)<\/b>/gs)].map(
      (found) => found[1]!,
    );
  };
  expect(await readScopes('workflows:write')).toEqual([]);
  expect(await readScopes('workflows:write secrets:use')).toEqual([
    'Use your secrets and connected accounts',
  ]);
});

test('only an administrator can give the scope admin away', async () => {
  const who = await server.member();
  const client = await server.openClient();
  const browser = new Browser(server.origin);
  const url = server.authorizeUrl(client, { scope: 'admin workflows:read' });
  const consent = await server.toConsent(browser, url, who);
  expect(consent.text).toContain('Only an administrator can allow this');
  const { left } = await browser.press(consent, 'allow');
  const { body } = await server.exchange(client, left!.searchParams.get('code')!);
  expect(body['scope']).toBe('workflows:read');
  const tokens = await server.tokens(client, { scope: 'admin' });
  expect(await server.status(tokens.access_token, '/users')).toBe(200);
});

test('another account: the first login ends', async () => {
  const who = await server.member();
  const client = await server.openClient();
  const browser = new Browser(server.origin);
  const first = await server.toConsent(browser, server.authorizeUrl(client));
  expect(first.text).toContain(ADMIN.email);
  const login = await browser.press(first, 'switch');
  expect(login.text).toContain('name="password"');
  const second = await browser.press(login, 'login', who);
  expect(second.text).toContain(who.email);
  const { left } = await browser.press(second, 'allow');
  const { body } = await server.exchange(client, left!.searchParams.get('code')!);
  expect((await server.api('GET', '/users/me', body['access_token']!)).body).toMatchObject({ id: who.id });
});

test('with prompt=login, the page shows the account and requires only its password', async () => {
  const who = await server.member();
  const client = await server.openClient();
  const browser = new Browser(server.origin);
  await server.toConsent(browser, server.authorizeUrl(client), who);
  const login = await browser.open(server.authorizeUrl(client, { prompt: 'login' }));
  expect(login.text).toContain(`value="${who.email}"`);
  const wrong = await browser.press(login, 'login', ADMIN);
  expect(wrong.status).toBe(400);
  const consent = await browser.press(wrong, 'login', { email: ADMIN.email, password: who.password });
  expect(consent.text).toContain(who.email);
});

test('a response by form_post: its script is the only one that the page allows', async () => {
  const client = await server.openClient();
  const browser = new Browser(server.origin);
  const url = server.authorizeUrl(client, { response_mode: 'form_post' });
  const page = await browser.press(await server.toConsent(browser, url), 'allow');
  expect(page.forms[0]).toMatchObject({ action: CALLBACK });
  expect(page.forms[0]?.fields.map(([name]) => name).toSorted()).toEqual(['code', 'iss', 'state']);
  expect(page.headers.get('content-security-policy')).toMatch(/script-src 'sha256-[^']{44}'/);
});
