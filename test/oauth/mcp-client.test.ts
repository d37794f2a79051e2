import { afterAll, beforeAll, expect, test } from 'vitest';
import { Assistant } from './assistant.ts';
import { Browser } from './browser.ts';
import { OAuthServer } from './oauth-server.ts';

let server: OAuthServer;
beforeAll(async () => {
  server = await OAuthServer.open();
});
afterAll(() => server.close());

test('an assistant finds the authorization server, registers, asks for consent, and lists the tools', async () => {
  const assistant = new Assistant();
  const first = assistant.connect(server.origin);
  await expect(first.client.connect(first.transport)).rejects.toThrow(/Unauthorized/);
  const { authorization } = assistant;
  expect(authorization?.searchParams.get('resource')).toBe(`${server.origin}/v1/mcp`);

  const browser = new Browser(server.origin);
  const consent = await server.toConsent(browser, authorization!.pathname + authorization!.search);
  expect(consent.text).toContain('Assistant');
  const { left } = await browser.press(consent, 'allow');
  await first.transport.finishAuth(left!.searchParams);

  const second = assistant.connect(server.origin);
  await second.client.connect(second.transport);
  const { tools } = await second.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('weft_create_workflow');
  await second.client.close();
});

test('a token for a resource is refused elsewhere, also after a refresh', async () => {
  const client = await server.openClient();
  const resource = `${server.origin}/v1/mcp`;
  const mcp = (token: string): Promise<number> => server.status(token, '/mcp');
  const tokens = await server.tokens(client, { resource, scope: 'workflows:read executions:read' });
  expect(tokens.scope).toContain('workflows:read');
  expect(await server.status(tokens.access_token)).toBe(401);
  // The server accepts the token, and GET only with a stream.
  expect(await mcp(tokens.access_token)).toBe(405);
  expect(await server.status(tokens.access_token, '/files/missing')).toBe(404);
  const refused = await server.fetch('/v1/workflows', {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  expect(refused.body).toMatchObject({
    error: { code: 'UNAUTHORIZED', message: 'The token is valid for /v1/mcp only.' },
  });
  const query = await server.fetch('/v1/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ workflows { id } }' }),
  });
  expect(query.status).toBe(401);
  const renewed = await server.refresh(client, tokens.refresh_token);
  expect(renewed.status, renewed.text).toBe(200);
  const { access_token: again } = renewed.body as Record<string, string>;
  expect([await server.status(again!), await mcp(again!)]).toEqual([401, 405]);
  const wider = await server.refresh(client, renewed.body['refresh_token']!, {
    resource: `${server.origin}/v1`,
  });
  expect(wider.body).toMatchObject({ error: 'invalid_target' });

  const ofApi = await server.tokens(client, { resource: `${server.origin}/v1` });
  expect([await server.status(ofApi.access_token), await mcp(ofApi.access_token)]).toEqual([200, 405]);
  for (const fields of [{}, { resource: server.origin }] as Record<string, string>[]) {
    const whole = await server.tokens(client, fields);
    expect([await server.status(whole.access_token), await mcp(whole.access_token)]).toEqual([200, 405]);
  }
});

test('a token of the credentials of a client is for the resource that it names', async () => {
  const client = await server.ownClient({ grant_types: ['client_credentials'] });
  const ask = (resource: string) =>
    server.post('token', client, { grant_type: 'client_credentials', resource });
  const given = await ask(`${server.origin}/v1/mcp/`);
  expect(given.status, given.text).toBe(200);
  const { access_token: token } = given.body as Record<string, string>;
  expect([await server.status(token!), await server.status(token!, '/mcp')]).toEqual([401, 405]);
  expect((await ask('https://other.example.com')).body).toMatchObject({ error: 'invalid_target' });
});

test('a resource of another service is refused', async () => {
  const client = await server.openClient();
  const browser = new Browser(server.origin);
  for (const [resource, error] of [
    ['https://other.example.com/mcp', 'invalid_target'],
    [`${server.origin}/v1/mcp`, null],
    [server.origin, null],
  ] as const) {
    const seen = await browser.open(server.authorizeUrl(client, { resource }));
    expect(seen.left?.searchParams.get('error') ?? null).toBe(error);
  }
});
