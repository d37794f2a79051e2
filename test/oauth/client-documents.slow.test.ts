import { expect, test } from 'vitest';
import { Assistant } from './assistant.ts';
import { Browser } from './browser.ts';
import { useDocumentHost } from './document-host.ts';
import { ADMIN, OAuthServer } from './oauth-server.ts';

const documents = useDocumentHost();
const { host } = documents;

test('an assistant with a document does not register, and survives a crash after the consent', async () => {
  const assistant = new Assistant(host.publish(documents.path));
  const first = assistant.connect(documents.server.origin);
  await expect(first.client.connect(first.transport)).rejects.toThrow(/Unauthorized/);
  const { authorization } = assistant;
  expect(authorization?.searchParams.get('client_id')).toBe(host.origin + documents.path);
  const browser = new Browser(documents.server.origin);
  const login = await browser.open(authorization!.pathname + authorization!.search);
  await documents.server.crash();
  const consent = await browser.press(login, 'login', ADMIN);
  expect(consent.text).toContain('Document app');
  const { left } = await browser.press(consent, 'allow');
  await documents.server.crash();
  await first.transport.finishAuth(left!.searchParams);

  const second = assistant.connect(documents.server.origin);
  await second.client.connect(second.transport);
  const { tools } = await second.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('weft_create_workflow');
  await second.client.close();
});

test('a client keeps its code and tokens while its document cannot be fetched', async () => {
  const client = { client_id: host.publish(documents.path) };
  const code = await documents.server.code(client);
  const tokens = await documents.server.tokens(client);
  const browser = new Browser(documents.server.origin);
  const consent = await documents.server.toConsent(browser, documents.server.authorizeUrl(client));
  await documents.server.crash();
  await host.close();
  for (const refused of [
    await documents.server.exchange(client, code),
    await documents.server.refresh(client, tokens.refresh_token),
  ])
    expect([refused.status, refused.body['error']]).toEqual([503, 'temporarily_unavailable']);
  expect(await documents.server.status(tokens.access_token)).toBe(200);
  const page = await browser.press(consent, 'allow');
  expect([page.status, page.left]).toEqual([503, null]);
  expect(page.text).toContain('could not read the description of the app');
  await host.listen();
  expect((await documents.server.exchange(client, code)).status).toBe(200);
  expect((await documents.server.refresh(client, tokens.refresh_token)).status).toBe(200);
  expect((await browser.press(consent, 'allow')).left?.searchParams.get('code')).toBeTruthy();
});

test('a document that does not arrive in time is refused', async () => {
  const id = host.serve(documents.path, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{');
  });
  const began = Date.now();
  expect((await documents.authorize(id)).text).toContain('Unknown app');
  expect(Date.now() - began).toBeLessThan(10_000);
});

test('at most 20 documents are fetched at the same time', async () => {
  host.maxPending = 0;
  const ids = Array.from({ length: 30 }, (_, i) =>
    host.serve(`/slow-${i}.json`, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
    }),
  );
  const pages = await Promise.all(ids.map((id) => documents.authorize(id)));
  expect(pages.map(({ status }) => status)).toEqual(ids.map(() => 400));
  expect(host.maxPending).toBe(20);
});

test('a setting turns metadata documents off', async () => {
  const without = await OAuthServer.open({
    WEFT_OAUTH_CLIENT_DOCUMENTS: 'off',
    WEFT_ALLOWED_HOSTS: '127.0.0.1',
  });
  try {
    const { body } = await without.fetch('/.well-known/oauth-authorization-server');
    expect(body).not.toHaveProperty('client_id_metadata_document_supported');
    const page = await new Browser(without.origin).open(
      without.authorizeUrl({ client_id: host.publish(documents.path) }),
    );
    expect(page.text).toContain('Unknown app');
    expect(host.countFetches(documents.path)).toBe(0);
  } finally {
    await without.close();
  }
});
