import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { waitUntil } from '../support/service.ts';
import { manual } from '../api/definitions.ts';
import {
  asAccount,
  connect,
  grantConsent,
  run,
  readBody,
  createWorkflow,
  useConnections,
  type ExecutionBody,
} from './oauth-accounts.ts';

const fixture = useConnections();
const shown = async () => readBody(await fixture.call('GET', '/connections/ACCOUNT'));

describe('a token is renewed', () => {
  it('before it ends, and what a server rotates is used once', async () => {
    const provider = await fixture.provider({ expiresIn: 1 });
    await connect(fixture.call, provider);
    const id = await createWorkflow(fixture.call, asAccount(provider.url));
    for (let i = 0; i < 3; i++) {
      await sleep(600);
      expect((await run(fixture.call, id)).status).toBe('completed');
    }
    expect(provider.refreshes.length).toBe(3);
    expect(provider.reused).toBe(0);
    const used = provider.refreshes.map(({ form }) => form['refresh_token']);
    expect(new Set(used).size).toBe(3);
  });

  it('once for fifty executions that find it ended', async () => {
    const provider = await fixture.provider({ expiresIn: 1, wait: 300 });
    await connect(fixture.call, provider);
    const id = await createWorkflow(fixture.call, asAccount(provider.url));
    await sleep(600);
    provider.quirks.expiresIn = 3600;
    const ran = await Promise.all(Array.from({ length: 50 }, () => run(fixture.call, id)));
    expect(ran.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 'completed'));
    expect([provider.refreshes.length, provider.reused, provider.apiCalls.length]).toEqual([1, 0, 50]);
  });

  it('one renewal for fifty responses with 401; each request is repeated once', async () => {
    const provider = await fixture.provider();
    await connect(fixture.call, provider);
    const id = await createWorkflow(fixture.call, asAccount(provider.url));
    provider.revokeAccess();
    const ran = await Promise.all(Array.from({ length: 50 }, () => run(fixture.call, id)));
    expect(ran.filter(({ status }) => status === 'completed').length).toBe(50);
    expect([provider.refreshes.length, provider.reused]).toEqual([1, 0]);
    expect(provider.apiCalls.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(50);
  });

  it('an API that rejects every token is called twice, and the token endpoint once', async () => {
    const provider = await fixture.provider();
    await connect(fixture.call, provider);
    const other = await fixture.provider();
    const id = await createWorkflow(fixture.call, asAccount(other.url));
    for (let i = 0; i < 3; i++)
      expect((await run(fixture.call, id)).error).toMatchObject({ type: 'client_error', status: 401 });
    expect(provider.refreshes.length).toBe(1);
    expect((await shown()).status).toBe('connected');
  });

  it('without a refresh token: used until it expires, then the owner is notified', async () => {
    const provider = await fixture.provider({ refreshTokens: 'none', expiresIn: 1 });
    await connect(fixture.call, provider);
    const id = await createWorkflow(fixture.call, asAccount(provider.url));
    await sleep(600);
    const { error } = await run(fixture.call, id);
    expect(error).toMatchObject({
      type: 'client_error',
      message:
        'The connection ACCOUNT must be authorized again: The access token has expired, and the provider issued no refresh token.',
    });
    expect(await shown()).toMatchObject({ status: 'needs_reauthorization', refreshable: false });
    expect(provider.apiCalls).toEqual([]);
  });

  it('a rejected renewal: the connection and the node report it, and the server is not called again', async () => {
    const provider = await fixture.provider({ expiresIn: 1 });
    await connect(fixture.call, provider);
    const id = await createWorkflow(
      fixture.call,
      asAccount(provider.url, { retryPolicy: { maxAttempts: 3, initialDelay: '10ms' } }),
    );
    provider.revokeAll();
    await sleep(600);
    const message =
      'The connection ACCOUNT must be authorized again: The token endpoint responded with 400: invalid_grant (••• is not good).';
    expect((await run(fixture.call, id)).error).toMatchObject({ type: 'client_error', message });
    expect((await run(fixture.call, id)).error).toMatchObject({ type: 'client_error', message });
    expect(provider.refreshes.length).toBe(1);
    expect(await shown()).toMatchObject({
      status: 'needs_reauthorization',
      error: 'The token endpoint responded with 400: invalid_grant (••• is not good).',
    });
    // The same name, connected again.
    provider.quirks.expiresIn = 3600;
    const { connect_url } = readBody(await fixture.call('POST', '/connections/ACCOUNT/authorize'));
    expect((await grantConsent(String(connect_url))).status).toBe(200);
    expect(await shown()).toMatchObject({ status: 'connected', error: null });
    expect((await run(fixture.call, id)).status).toBe('completed');
  });

  it('settings that the server refuses: failing, and good again as soon as they are', async () => {
    const provider = await fixture.provider({ expiresIn: 1 });
    await connect(fixture.call, provider);
    const id = await createWorkflow(fixture.call, asAccount(provider.url));
    readBody(await fixture.call('PUT', '/connections/ACCOUNT', { body: { client_secret: 'wrong-secret' } }));
    await sleep(600);
    expect((await run(fixture.call, id)).error?.message).toContain(
      'got no token: The token endpoint responded with 401',
    );
    expect(await shown()).toMatchObject({ status: 'failing' });
    readBody(
      await fixture.call('PUT', '/connections/ACCOUNT', { body: { client_secret: 'canary-client-secret' } }),
    );
    expect((await run(fixture.call, id)).status).toBe('completed');
    expect(await shown()).toMatchObject({ status: 'connected', error: null });
  });

  it.each([401, 403, 404, 302])(
    'a response %d without an error code, as of a gateway: the authorization stays, and the next use tries again',
    async (status) => {
      const provider = await fixture.provider({ expiresIn: 1 });
      await connect(fixture.call, provider);
      const id = await createWorkflow(fixture.call, asAccount(provider.url));
      await sleep(600);
      provider.instead = (response) => response.writeHead(status).end('<html>no</html>');
      expect((await run(fixture.call, id)).error?.message).toBe(
        `The connection ACCOUNT got no token: The token endpoint responded with ${status}.`,
      );
      expect(await shown()).toMatchObject({ status: 'failing' });
      provider.instead = null;
      expect((await run(fixture.call, id)).status).toBe('completed');
      expect(await shown()).toMatchObject({ status: 'connected', error: null });
    },
  );

  it.each([
    [503, 'server_error'],
    [429, 'rate_limited'],
  ])('a server that answers %d is asked again by the retry policy', async (status, type) => {
    const provider = await fixture.provider({ expiresIn: 1 });
    await connect(fixture.call, provider);
    const id = await createWorkflow(fixture.call, asAccount(provider.url));
    await sleep(600);
    provider.instead = (response) => response.writeHead(status).end('no');
    expect((await run(fixture.call, id)).error).toMatchObject({ type });
    expect((await shown()).status).toBe('connected');
    const retried = await createWorkflow(
      fixture.call,
      asAccount(provider.url, {
        retryPolicy: { maxAttempts: 5, initialDelay: '50ms', retryConditions: ['any'] },
      }),
    );
    const running = run(fixture.call, retried);
    await sleep(100);
    provider.instead = null;
    expect((await running).status).toBe('completed');
    expect(provider.reused).toBe(0);
  });

  it('a connection that breaks off, and a response that is too large', async () => {
    const provider = await fixture.provider({ expiresIn: 1, refreshTokens: 'keep' });
    await connect(fixture.call, provider);
    const id = await createWorkflow(fixture.call, asAccount(provider.url));
    await sleep(600);
    provider.instead = (response) => void response.destroy();
    expect((await run(fixture.call, id)).error).toMatchObject({ type: 'network' });
    provider.instead = (response) => response.writeHead(200).end(Buffer.alloc(1_000_000, 'a'));
    expect((await run(fixture.call, id)).error).toMatchObject({ type: 'limit' });
    provider.instead = null;
    expect((await run(fixture.call, id)).status).toBe('completed');
  });

  it('by hand, whether it has ended or not', async () => {
    const provider = await fixture.provider();
    const before = await connect(fixture.call, provider);
    const after = readBody(await fixture.call('POST', '/connections/ACCOUNT/refresh'));
    expect(String(after['refreshed_at']) > String(before['refreshed_at'])).toBe(true);
    await Promise.all(
      [1, 2, 3].map(async () => readBody(await fixture.call('POST', '/connections/ACCOUNT/refresh'))),
    );
    expect(provider.reused).toBe(0);
    provider.revokeAll();
    const refused = await fixture.call('POST', '/connections/ACCOUNT/refresh');
    expect(refused.body).toMatchObject({ error: { code: 'CONFLICT', details: { reason: 'client_error' } } });
  });
});

describe('a stop and a time-out', () => {
  const started = async (id: string): Promise<string> =>
    readBody<ExecutionBody>(await fixture.call('POST', `/workflows/${id}/execute`, { body: {} })).id;

  it('end the node at once, and not the request for a token: its response is stored', async () => {
    const provider = await fixture.provider({ expiresIn: 1, wait: 0 });
    await connect(fixture.call, provider);
    const id = await createWorkflow(fixture.call, asAccount(provider.url));
    const limited = await createWorkflow(fixture.call, asAccount(provider.url, { timeout: '200ms' }));
    await sleep(600);
    const reply = Promise.withResolvers<void>();
    provider.quirks = { expiresIn: 3600, wait: reply.promise };
    const execution = await started(id);
    await waitUntil(
      () => Promise.resolve(provider.refreshes.length),
      (n) => n === 1,
    );
    readBody(await fixture.call('POST', `/executions/${execution}/stop`));
    expect((await run(fixture.call, limited)).error).toMatchObject({ type: 'timeout' });
    expect(provider.apiCalls).toEqual([]);
    reply.resolve();
    await waitUntil(shown, ({ refreshed_at, authorized_at }) => refreshed_at !== authorized_at);
    expect((await run(fixture.call, id)).status).toBe('completed');
    expect([provider.refreshes.length, provider.reused]).toEqual([1, 0]);
  });

  it('reach the call itself', async () => {
    const provider = await fixture.provider();
    await connect(fixture.call, provider);
    let closed = 0;
    const silent = createServer((request) => void request.socket.once('close', () => closed++));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/`;
    const limited = await createWorkflow(fixture.call, asAccount(url, { timeout: '300ms' }));
    expect((await run(fixture.call, limited)).error).toMatchObject({ type: 'timeout' });
    const execution = await started(await createWorkflow(fixture.call, asAccount(url)));
    await waitUntil(
      () => new Promise<number>((resolve) => silent.getConnections((_error, n) => resolve(n))),
      (n) => n > 0,
    );
    readBody(await fixture.call('POST', `/executions/${execution}/stop`));
    await waitUntil(
      () => Promise.resolve(closed),
      (n) => n === 2,
    );
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe('client credentials', () => {
  it('need no user, and are requested again when their token ends or is refused', async () => {
    const provider = await fixture.provider({ expiresIn: 3600 });
    const { authorization_url: _url, ...settings } = provider.settings;
    const made = readBody(
      await fixture.call('POST', '/connections', {
        body: { name: 'ACCOUNT', ...settings, grant_type: 'client_credentials', scopes: ['a', 'b'] },
      }),
    );
    expect(made).toMatchObject({ connect_url: null, authorization_url: null, status: 'pending' });
    expect((await fixture.call('POST', '/connections/ACCOUNT/authorize')).body).toMatchObject({
      error: { code: 'CONFLICT' },
    });
    const id = await createWorkflow(fixture.call, asAccount(provider.url));
    await Promise.all(Array.from({ length: 10 }, () => run(fixture.call, id)));
    expect(provider.tokenCalls.length).toBe(1);
    expect(provider.tokenCalls[0]?.form).toEqual({ grant_type: 'client_credentials', scope: 'a b' });
    expect((await shown()).status).toBe('connected');
    provider.revokeAccess();
    expect((await run(fixture.call, id)).status).toBe('completed');
    expect(provider.tokenCalls.length).toBe(2);
  });
});

describe('a refresh token in a configuration', () => {
  it('is replaced by newer ones, which survive a restart', async () => {
    const provider = await fixture.provider({ expiresIn: 1 });
    const account = await connect(fixture.call, provider);
    expect(account.status).toBe('connected');
    // What a person would have copied from elsewhere.
    const refresh = 'canary-refresh-2';
    readBody(await fixture.call('PUT', '/secrets/REFRESH', { body: { value: refresh } }));
    readBody(await fixture.call('PUT', '/secrets/CLIENT', { body: { value: 'canary-client-secret' } }));
    const id = await createWorkflow(fixture.call, {
      nodes: [
        manual,
        {
          id: 'call',
          type: 'http_request',
          config: {
            url: provider.url,
            authentication: {
              type: 'oauth2',
              token_url: `${provider.url}/token`,
              client_id: 'weft-app',
              client_secret: '{{ secrets.CLIENT }}',
              refresh_token: '{{ secrets.REFRESH }}',
            },
          },
        },
      ],
      connections: [{ from: 'start', to: 'call' }],
    });
    for (let i = 0; i < 3; i++) {
      expect((await run(fixture.call, id)).status).toBe('completed');
      await sleep(600);
    }
    expect(provider.refreshes.map(({ form }) => form['refresh_token'])).toEqual([
      refresh,
      'canary-refresh-3',
      'canary-refresh-4',
    ]);
    expect(provider.reused).toBe(0);
  });
});

describe('a test of a connection', () => {
  const test = async () =>
    readBody<Record<string, unknown>>(await fixture.call('POST', '/connections/ACCOUNT/test'));

  it('requests a token, calls the service with it, and reports the response', async () => {
    const provider = await fixture.provider();
    await connect(fixture.call, provider, { test_url: `${provider.url}/me` });
    expect(await test()).toMatchObject({ ok: true, http_status: 200, status: 'connected' });
    provider.revokeAccess();
    expect(await test()).toMatchObject({ ok: true, http_status: 200 });
    expect(provider.refreshes.length).toBe(1);
    provider.api = () => ({ status: 403, body: { error: 'no scope' } });
    expect(await test()).toMatchObject({ ok: false, http_status: 403 });
    provider.api = () => ({ body: { ok: false, error: 'missing_scope' } });
    expect(await test()).toMatchObject({ ok: false, message: expect.stringContaining('missing_scope') });
    provider.revokeAll();
    expect(await test()).toMatchObject({ ok: false, status: 'connected' });
  });

  it('without an address: whether there is a token; before it is connected: that it is not', async () => {
    const provider = await fixture.provider();
    readBody(await fixture.call('POST', '/connections', { body: { name: 'ACCOUNT', ...provider.settings } }));
    expect(await test()).toMatchObject({ ok: false, http_status: null, status: 'pending' });
    readBody(await fixture.call('DELETE', '/connections/ACCOUNT'));
    await connect(fixture.call, provider);
    expect(await test()).toMatchObject({ ok: true, http_status: null });
  });
});
