import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Browser, createNextAddress, type BrowserResponse } from './browser.ts';
import { createDocument, useDocumentHost } from './document-host.ts';
import { ADMIN, CALLBACK } from './oauth-server.ts';

const documents = useDocumentHost();
const { host } = documents;

const toConsent = (id: string, fields: Record<string, string | null> = {}): Promise<BrowserResponse> =>
  documents.server.toConsent(
    new Browser(documents.server.origin),
    documents.server.authorizeUrl({ client_id: id }, fields),
  );

test('the metadata of the server announces metadata documents', async () => {
  const { body } = await documents.server.fetch('/.well-known/oauth-authorization-server');
  expect(body).toMatchObject({ client_id_metadata_document_supported: true });
});

test('a client with a document gets and refreshes tokens after one fetch', async () => {
  const client = { client_id: host.publish(documents.path) };
  const tokens = await documents.server.tokens(client);
  expect(await documents.server.status(tokens.access_token)).toBe(200);
  const renewed = await documents.server.refresh(client, tokens.refresh_token);
  expect(renewed.status, renewed.text).toBe(200);
  const { access_token: token } = renewed.body as Record<string, string>;
  expect(await documents.server.status(token!)).toBe(200);
  expect(host.countFetches(documents.path)).toBe(1);

  const session = await documents.server.session();
  const { grants } = (await documents.server.api('GET', '/oauth/grants', session)).body as unknown as {
    grants: { id: string; client_id: string }[];
  };
  const grant = grants.find((one) => one.client_id === client.client_id)!;
  expect(grant).toMatchObject({ client_name: client.client_id, registered_by: 'document' });
  await documents.server.api('DELETE', `/oauth/grants/${grant.id}`, session);
  expect(await documents.server.status(token!)).toBe(401);
});

test('the pages name the host of the document, and warn of programs on the computer', async () => {
  const redirect_uris = [CALLBACK, 'http://127.0.0.1/cb'];
  const id = host.publish(documents.path, { client_name: 'Claude <b>', redirect_uris });
  const browser = new Browser(documents.server.origin);
  const login = await browser.open(documents.server.authorizeUrl({ client_id: id }));
  const { host: name } = new URL(id);
  expect(login.text).toContain(`<bdi>Claude &lt;b&gt;</bdi> (${name})`);
  const consent = await browser.press(login, 'login', ADMIN);
  expect(consent.text).toContain(`<bdi>Claude &lt;b&gt;</bdi> (${name}) wants to use your Weft`);
  expect(consent.text).toContain(`described by the website <b>${name}</b>`);
  expect(consent.text).toContain(`<dd>${id}</dd>`);
  expect(consent.text).not.toContain('runs on your computer');
  const local = await toConsent(id, { redirect_uri: 'http://127.0.0.1:51234/cb' });
  expect(local.text).toContain('runs on your computer');
});

describe('documents of clients in use', () => {
  const NATIVE = ['http://localhost/callback', 'http://127.0.0.1/callback'];
  test.each<[string, Record<string, unknown>, string]>([
    ['a native app without a type', { redirect_uris: NATIVE }, 'http://localhost:53211/callback'],
    [
      'a native app with a website',
      { redirect_uris: [...NATIVE, CALLBACK], application_type: 'native' },
      CALLBACK,
    ],
    [
      'a client that can also sign',
      {
        token_endpoint_auth_method: 'private_key_jwt',
        token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
        token_endpoint_auth_signing_alg: 'RS256',
        jwks_uri: 'https://127.0.0.1:1/jwks.json',
        logo_uri: 'https://app.example.com/logo.png',
      },
      CALLBACK,
    ],
    [
      'a client of many servers',
      {
        grant_types: [
          'authorization_code',
          'refresh_token',
          'client_credentials',
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
        response_types: ['code', 'token'],
        scope: 'openid offline_access other:scope',
        id_token_signed_response_alg: 'RS256',
        subject_type: 'pairwise',
        sector_identifier_uri: 'https://127.0.0.1:1/sector.json',
        registered_by: 'user',
        unknown: { a: 1 },
      },
      CALLBACK,
    ],
  ])('%s', async (_name, fields, redirectUri) => {
    const client = { client_id: host.publish(documents.path, fields) };
    const code = await documents.server.code(client, { redirect_uri: redirectUri });
    const exchanged = await documents.server.post('token', client, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: 'a-verifier-that-is-long-enough-for-the-specification',
      client_assertion: 'ignored',
      client_assertion_type: 'ignored',
    });
    expect(exchanged.status, exchanged.text).toBe(200);
    const own = await documents.server.post('token', client, { grant_type: 'client_credentials' });
    expect([own.status, own.body['error']]).toEqual([400, 'unauthorized_client']);
  });
});

describe('a document is refused', () => {
  const json = { 'content-type': 'application/json' };
  const other = { client_id: 'https://127.0.0.1/other.json' };
  const valid = (url: string, fields = {}): string => JSON.stringify(createDocument(url, fields));
  test.each<[string, number, Record<string, string>, (url: string) => string | Buffer]>([
    ['with another client_id', 200, json, (url) => valid(url, other)],
    ['with a client_id that is normalized', 200, json, (url) => valid(url.replace('https', 'HTTPS'))],
    ['without redirect_uris', 200, json, (url) => valid(url, { redirect_uris: [] })],
    ['with an insecure redirect', 200, json, (url) => valid(url, { redirect_uris: ['http://a.example/cb'] })],
    ['with a script as redirect', 200, json, (url) => valid(url, { redirect_uris: ['javascript:alert(1)'] })],
    ['with redirects that are no list', 200, json, (url) => valid(url, { redirect_uris: { 0: CALLBACK } })],
    ['with a secret', 200, json, (url) => valid(url, { client_secret: 'x' })],
    [
      'with a shared secret',
      200,
      json,
      (url) => valid(url, { token_endpoint_auth_method: 'client_secret_post' }),
    ],
    [
      'of a client that must sign',
      200,
      json,
      (url) =>
        valid(url, { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://127.0.0.1/jwks' }),
    ],
    ['without the code flow', 200, json, (url) => valid(url, { grant_types: ['client_credentials'] })],
    ['with an invisible name', 200, json, (url) => valid(url, { client_name: 'a\u202Eb' })],
    [
      'that is too large',
      200,
      json,
      (url) => valid(url, { client_uri: `https://a.example/${'x'.repeat(6_000)}` }),
    ],
    [
      'that is compressed and too large',
      200,
      { ...json, 'content-encoding': 'gzip' },
      () =>
        Buffer.from('H4sIAAAAAAAC/+3BMQEAAADCoCrrn9IaHkABAAAAAAAAAAAAAAAAAAAAAAAA8GAoxAiFIE4AAA==', 'base64'),
    ],
    ['that is cut off', 200, json, (url) => valid(url).slice(0, -1)],
    ['that is a list', 200, json, (url) => `[${valid(url)}]`],
    ['that is null', 200, json, () => 'null'],
    ['that is empty', 200, json, () => ''],
    ['that is HTML', 200, { 'content-type': 'text/html' }, (url) => valid(url)],
    ['without a type', 200, {}, (url) => valid(url)],
    ['with a redirect', 302, { location: '/client-1.json' }, () => ''],
    ['with the status 201', 201, json, (url) => valid(url)],
    ['with the status 204', 204, {}, () => ''],
    ['with the status 404', 404, json, (url) => valid(url)],
    ['with the status 500', 500, json, (url) => valid(url)],
  ])('%s', async (_name, status, headers, respond) => {
    const id = host.serve(documents.path, (_request, response, url) => {
      response.writeHead(status, headers).end(respond(url));
    });
    const page = await documents.authorize(id);
    expect([page.status, page.left]).toEqual([400, null]);
    expect(page.text).toMatch(/Unknown app|uses a redirect URL that is not registered/);
    // Once, and not from a cache.
    expect(host.countFetches(documents.path)).toBe(1);
    await documents.authorize(id);
    expect(host.countFetches(documents.path)).toBe(2);
    const token = await documents.server.exchange({ client_id: id }, 'x');
    expect(token.status).toBe(status === 500 ? 503 : 400);
  });

  test.each([
    'http://127.0.0.1/c.json',
    'HTTPS://127.0.0.1/c.json',
    'https://user@127.0.0.1/c.json',
    'https://127.0.0.1/c.json#f',
    'https://127.0.0.1/a/../c.json',
    'https://127.0.0.1/a/%2e%2e/c.json',
    'https://127.0.0.1\\@evil.example/c.json',
    'https:///c.json',
    'https://',
    `https://127.0.0.1/${'x'.repeat(1_000)}`,
  ])('at %j, without a fetch', async (id) => {
    const { length } = host.received;
    const target = id.replace('127.0.0.1', `127.0.0.1:${host.port}`);
    expect((await documents.authorize(target)).status).toBe(400);
    expect(host.received.length).toBe(length);
  });
});

test.each([
  '127.0.0.2',
  '[::ffff:127.0.0.2]',
  '2130706434',
  '0x7f000002',
  '169.254.169.254',
  '[::1]',
  'metadata.internal',
])('no connection is opened to %s', async (name) => {
  let connections = 0;
  const hidden = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => hidden.listen(0, '0.0.0.0', resolve));
  const { port } = hidden.address() as AddressInfo;
  const page = await documents.authorize(`https://${name}:${port}/c.json`);
  await new Promise((resolve) => hidden.close(resolve));
  expect([page.status, connections]).toEqual([400, 0]);
  // The page does not say why.
  expect(page.text).not.toContain('allowed');
});

test('odd values in a document never cause an internal error', async () => {
  const names = [
    'application_type',
    'client_id',
    'client_name',
    'client_uri',
    'grant_types',
    'redirect_uris',
    'jwks',
    'response_types',
    'scope',
    'token_endpoint_auth_method',
    'token_endpoint_auth_methods_supported',
    'registered_by',
    'contacts',
    'default_max_age',
    '__proto__',
    'constructor',
  ];
  const values = [null, 0, '', ' ', true, [], {}, [null], [['code']], { length: 1 }, 'x'.repeat(3_000)];
  const statuses = await Promise.all(
    names.map(async (name) => {
      const found: number[] = [];
      for (const [i, value] of values.entries()) {
        const id = host.serve(`/odd-${name}-${i}.json`, (_request, response, url) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          const fields = JSON.stringify(createDocument(url)).slice(0, -1);
          response.end(`${fields},${JSON.stringify(name)}:${JSON.stringify(value)}}`);
        });
        found.push((await documents.authorize(id)).status);
      }
      return found;
    }),
  );
  expect(new Set(statuses.flat())).toEqual(new Set([200, 400]));
});

test('requests of one address cause at most 30 fetches a minute', async () => {
  const address = createNextAddress();
  const before = host.received.length;
  const pages: string[] = [];
  for (let i = 0; i < 40; i++) {
    const url = documents.server.authorizeUrl({ client_id: `${host.origin}/missing-${i}.json` });
    pages.push((await documents.server.fetch(url, { headers: { 'x-forwarded-for': address } })).text);
  }
  expect(host.received.length - before).toBe(30);
  expect(pages.slice(0, 30).every((text) => text.includes('Unknown app'))).toBe(true);
  expect(pages.slice(30).every((text) => text.includes('Too many attempts'))).toBe(true);
  // A document that is cached needs no fetch.
  const id = host.publish(documents.path);
  await toConsent(id);
  const url = documents.server.authorizeUrl({ client_id: id });
  expect((await documents.server.fetch(url, { headers: { 'x-forwarded-for': address } })).status).toBe(303);
});
