import { afterAll, afterEach, expect, it } from 'vitest';
import { startFakeImapServer, type FakeImapServer } from '../support/servers/fake-imap-server.ts';
import { startMailServer, type TestMailServer } from '../support/servers/smtp-server.ts';
import { writeLoopbackCertificate } from '../support/servers/tls-certificates.ts';
import { createTempFolder } from '../support/service.ts';
import { manual } from '../api/definitions.ts';
import { connect, run, readBody, createWorkflow, useConnections } from './oauth-accounts.ts';

const certificates = createTempFolder();
const fixture = useConnections({ NODE_EXTRA_CA_CERTS: writeLoopbackCertificate(certificates.path) });
afterAll(() => certificates.remove());
let mails: TestMailServer | null = null;
let mailbox: FakeImapServer | null = null;
afterEach(async () => {
  await mails?.close();
  mails = null;
  await mailbox?.close();
  mailbox = null;
});

const one = (type: string, config: object) => ({
  nodes: [manual, { id: 'node', type, config }],
  connections: [{ from: 'start', to: 'node' }],
});
const ran = async (type: string, config: object) =>
  run(fixture.call, await createWorkflow(fixture.call, one(type, config)));

it('customer_records: HubSpot by its base_url, after a 401 with a new token', async () => {
  const provider = await fixture.provider();
  await connect(fixture.call, provider, { base_url: `${provider.url}/hub` });
  provider.api = () => ({ body: { id: '51' } });
  provider.revokeAccess();
  const config = {
    service: 'hubspot',
    operation: 'get',
    connection: 'ACCOUNT',
    data: { id: '51' },
  };
  expect((await ran('customer_records', config)).output).toEqual({ id: '51' });
  expect(provider.apiCalls.map(({ path, status }) => [path, status])).toEqual([
    ['/hub/crm/v3/objects/contacts/51', 401],
    ['/hub/crm/v3/objects/contacts/51', 200],
  ]);
  expect(provider.refreshes.length).toBe(1);
});

it('customer_records: Salesforce at the URL returned with the tokens, and after a refresh without one', async () => {
  const provider = await fixture.provider({ instanceUrl: true, expiresIn: null, refreshTokens: 'keep' });
  await connect(fixture.call, provider);
  provider.api = () => ({ body: { Id: '003' } });
  const config = { service: 'salesforce', operation: 'get', connection: 'ACCOUNT', data: { id: '003' } };
  expect((await ran('customer_records', config)).output).toEqual({ Id: '003' });
  provider.quirks = { expiresIn: null, refreshTokens: 'keep' };
  provider.revokeAccess();
  expect((await ran('customer_records', config)).output).toEqual({ Id: '003' });
  expect(provider.apiCalls.map(({ path }) => path)).toEqual(
    Array.from({ length: 3 }, () => '/services/data/v60.0/sobjects/Contact/003'),
  );
});

it('customer_records: rest needs to know where', async () => {
  const provider = await fixture.provider();
  await connect(fixture.call, provider);
  const config = { service: 'rest', operation: 'get', connection: 'ACCOUNT', data: { id: 1 } };
  expect((await ran('customer_records', config)).error).toMatchObject({
    type: 'validation',
    message: expect.stringContaining('must be a connection with a base_url'),
  });
  expect(provider.apiCalls).toEqual([]);
});

it('slack: an expired token is reported with 200', async () => {
  const provider = await fixture.provider({ answers: 'slack' });
  await connect(fixture.call, provider, { base_url: provider.url });
  let asked = 0;
  provider.api = () => ({
    body: asked++ === 0 ? { ok: false, error: 'token_expired' } : { ok: true, channel: 'C1', ts: '1' },
  });
  const config = { operation: 'post_message', connection: 'ACCOUNT', channel: 'C1', text: 'Hello' };
  expect((await ran('slack', config)).output).toEqual({ ok: true, channel: 'C1', ts: '1' });
  expect([provider.refreshes.length, provider.apiCalls.length]).toEqual([1, 2]);
  provider.api = () => ({ body: { ok: false, error: 'channel_not_found' } });
  expect((await ran('slack', config)).error).toMatchObject({ type: 'client_error' });
  expect(provider.refreshes.length).toBe(1);
});

it('email: XOAUTH2, once more with a new token when the first is refused', async () => {
  const provider = await fixture.provider({ expiresIn: 3600 });
  await connect(fixture.call, provider);
  const tokens: string[] = [];
  mails = await startMailServer({
    authMethods: ['XOAUTH2'],
    authOptional: false,
    onAuth(auth, _session, done) {
      tokens.push(`${auth.method} ${auth.username} ${auth.accessToken}`);
      if (tokens.at(-1) === tokens[0])
        done(null, { data: { status: '401', schemes: 'bearer', scope: 'mail' } });
      else done(null, { user: auth.username });
    },
  });
  readBody(
    await fixture.call('PUT', '/secrets/MAIL', {
      body: { value: `smtp://ada%40example.com@127.0.0.1:${mails.port}` },
    }),
  );
  const config = {
    service: 'smtp',
    operation: 'send',
    credentials: '{{ secrets.MAIL }}',
    connection: 'ACCOUNT',
    template: { from: 'ada@example.com', to: 'b@example.com', subject: 'Once', text: 'Hello' },
  };
  const { status, error } = await ran('email', config);
  expect(status, JSON.stringify(error)).toBe('completed');
  expect(mails.received.length).toBe(1);
  expect(new Set(tokens).size).toBe(2);
  expect(tokens.every((one) => one.startsWith('XOAUTH2 ada@example.com canary-access-'))).toBe(true);
  expect(provider.refreshes.length).toBe(1);
  readBody(
    await fixture.call('PUT', '/secrets/MAIL', { body: { value: `smtp://ada:pw@127.0.0.1:${mails.port}` } }),
  );
  expect((await ran('email', config)).error).toMatchObject({
    type: 'validation',
    message: expect.stringContaining('without a password'),
  });
});

it('imap and an email trigger: XOAUTH2, once more with a new token when the first is refused', async () => {
  const provider = await fixture.provider({ expiresIn: 3600 });
  await connect(fixture.call, provider);
  const tokens: string[] = [];
  mailbox = await startFakeImapServer(({ tag, name, rest }) => {
    if (name !== 'AUTHENTICATE') return undefined;
    const [method, response = ''] = rest.split(' ');
    tokens.push(`${method} ${Buffer.from(response, 'base64').toString().replaceAll('\u0001', ' ')}`);
    return tokens.at(-1) === tokens[0] ? `${tag} NO [AUTHENTICATIONFAILED] expired\r\n` : undefined;
  });
  const account = { host: '127.0.0.1', port: mailbox.port, user: 'ada@example.com', connection: 'ACCOUNT' };
  const { status, error, output } = await ran('imap', { operation: 'search', ...account });
  expect([status, output], JSON.stringify(error)).toEqual(['completed', { messages: [], total: 0 }]);
  expect(new Set(tokens).size).toBe(2);
  expect(
    tokens.every((one) => one.startsWith('XOAUTH2 user=ada@example.com auth=Bearer canary-access-')),
  ).toBe(true);
  expect(provider.refreshes.length).toBe(1);
  const opened = mailbox.commands.filter(({ name }) => name === 'EXAMINE').length;
  const config = { triggerType: 'email', ...account, interval: '1s' };
  const id = await createWorkflow(fixture.call, {
    nodes: [{ id: 'inbox', type: 'trigger', config }],
    connections: [],
  });
  readBody(await fixture.call('PUT', `/workflows/${id}`, { body: { status: 'active' } }));
  await expect
    .poll(() => mailbox!.commands.filter(({ name }) => name === 'EXAMINE').length)
    .toBeGreaterThan(opened);
  readBody(await fixture.call('DELETE', `/workflows/${id}`));
});

it('a polling trigger uses the account', async () => {
  const provider = await fixture.provider();
  await connect(fixture.call, provider);
  provider.api = () => ({ body: [{ id: 1 }] });
  const id = await createWorkflow(fixture.call, {
    nodes: [
      {
        id: 'poll',
        type: 'trigger',
        config: {
          triggerType: 'polling',
          url: `${provider.url}/items`,
          interval: '1s',
          key: '{{ item.id }}',
          authentication: { type: 'oauth2', credential: 'ACCOUNT' },
        },
      },
    ],
    connections: [],
  });
  const put = await fixture.call('PUT', `/workflows/${id}`, { body: { status: 'active' } });
  expect(put.status, put.text).toBe(200);
  await expect.poll(() => provider.apiCalls.length).toBeGreaterThan(0);
  expect(provider.apiCalls[0]).toMatchObject({ path: '/items', status: 200 });
  readBody(await fixture.call('DELETE', `/workflows/${id}`));
});

it.each([
  [
    { operation: 'post_message', channel: 'C', text: 'x' },
    'config.credentials',
    /is required unless connection is set/,
  ],
  [
    {
      operation: 'post_message',
      channel: 'C',
      text: 'x',
      connection: 'ACCOUNT',
      credentials: '{{ secrets.A }}',
    },
    'config.connection',
    /must not be set with credentials/,
  ],
  [
    { operation: 'post_message', channel: 'C', text: 'x', connection: 'NOBODY' },
    'config.connection',
    /needs the connection NOBODY, which is not there/,
  ],
])('errors are reported when it is saved: %j', async (config, field, issue) => {
  const id = await createWorkflow(fixture.call, one('slack', config));
  const { issues } = readBody<{ issues: { field: string; issue: string }[] }>(
    await fixture.call('GET', `/workflows/${id}`),
  );
  expect(issues[0]).toMatchObject({ field, issue: expect.stringMatching(issue) });
});

it('tokens with hosts go nowhere else, and no token is requested from a forbidden address', async () => {
  const provider = await fixture.provider();
  const other = await fixture.provider();
  const { host } = new URL(provider.url);
  await connect(fixture.call, provider, { hosts: [host] });
  const call = (url: string) =>
    ran('http_request', { url, authentication: { type: 'oauth2', credential: 'ACCOUNT' } });
  expect((await call(`${provider.url}/a`)).status).toBe('completed');
  expect((await call(`${other.url}/a`)).error).toMatchObject({
    type: 'forbidden',
    message: expect.stringContaining('The credential of the connection ACCOUNT may not be sent to'),
  });
  expect(other.apiCalls).toEqual([]);
  provider.api = () => ({ status: 302, body: null });
  readBody(await fixture.call('DELETE', '/connections/ACCOUNT'));
  readBody(
    await fixture.call('POST', '/connections', {
      body: {
        name: 'ACCOUNT',
        grant_type: 'client_credentials',
        token_url: `${provider.url.replace('127.0.0.1', '127.0.0.2')}/token`,
        client_id: 'weft-app',
        client_secret: 'canary-client-secret',
      },
    }),
  );
  expect((await call(`${provider.url}/a`)).error).toMatchObject({ type: 'forbidden' });
  expect(readBody(await fixture.call('POST', '/connections/ACCOUNT/test'))).toMatchObject({ ok: false });
});
