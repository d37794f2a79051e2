import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../support/service.ts';
import { manual } from '../api/definitions.ts';
import { asAccount, run, readBody, createWorkflow, useConnections } from './oauth-accounts.ts';

/*
 * Accounts, their tokens and what is done with them, at addresses that nodes must not call: a server there
 * would notice. What each spelling comes to is tested at the egress client
 * (test/nodes/egress-of-nodes.test.ts); here every path goes through the APIs.
 */

const fixture = useConnections({ WEFT_ALLOWED_HOSTS: '127.0.0.2' });
let listener: Server;
let port = 0;
let connections = 0;

beforeAll(async () => {
  listener = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve));
  ({ port } = listener.address() as AddressInfo);
});
afterAll(async () => {
  await new Promise((resolve) => listener.close(resolve));
});

const app = (url: string, more: object = {}) => ({
  name: 'ACCOUNT',
  grant_type: 'client_credentials',
  token_url: `${url}/token`,
  client_id: 'c',
  client_secret: 's',
  ...more,
});
const one = (type: string, config: object) => ({
  nodes: [manual, { id: 'node', type, config }],
  connections: [{ from: 'start', to: 'node' }],
});
const refused = { type: 'forbidden', message: expect.stringContaining('may not be called') as string };

describe.each(['127.0.0.1', 'localhost', '[::ffff:7f00:1]'])('%s', (host) => {
  test('issues no token, by any grant, to any node or user', async () => {
    const { call } = fixture;
    const seen = connections;
    const url = `http://${host}:${port}`;
    readBody(await call('POST', '/connections', { body: app(url) }));
    const tested = readBody<{ ok: boolean; message: string }>(
      await call('POST', '/connections/ACCOUNT/test'),
    );
    expect(tested).toMatchObject({ ok: false, message: refused.message });
    const ends = [
      asAccount('http://127.0.0.2:9/'),
      one('http_request', {
        url: 'http://127.0.0.2:9/',
        authentication: { type: 'oauth2', token_url: `${url}/token`, client_id: 'c', refresh_token: 'r' },
      }),
      one('slack', { operation: 'post_message', connection: 'ACCOUNT', channel: 'C', text: 'x' }),
      one('customer_records', {
        service: 'hubspot',
        operation: 'get',
        connection: 'ACCOUNT',
        data: { id: '1' },
      }),
    ];
    for (const definition of ends)
      expect((await run(call, await createWorkflow(call, definition))).error).toMatchObject(refused);
    const polling = await createWorkflow(call, {
      nodes: [
        {
          id: 'poll',
          type: 'trigger',
          config: {
            triggerType: 'polling',
            url: 'http://127.0.0.2:9/',
            interval: '1s',
            key: '{{ item.id }}',
            authentication: { type: 'oauth2', credential: 'ACCOUNT' },
          },
        },
      ],
      connections: [],
    });
    readBody(await call('PUT', `/workflows/${polling}`, { body: { status: 'active' } }));
    const { triggers } = await waitUntil(
      async () =>
        readBody<{ triggers: { last_error: string | null }[] }>(await call('GET', `/workflows/${polling}`)),
      (shown) => typeof shown.triggers[0]?.last_error === 'string',
    );
    expect(triggers[0]?.last_error).toMatch(/may not be called/);
    readBody(await call('PUT', `/workflows/${polling}`, { body: { status: 'inactive' } }));
    readBody(await call('DELETE', '/connections/ACCOUNT?force=true'));

    // A person consents at a provider that may be called, whose token endpoint is elsewhere.
    const made = readBody(
      await call('POST', '/connections', {
        body: app(url, {
          grant_type: 'authorization_code',
          authorization_url: 'https://provider.example/authorize',
        }),
      }),
    );
    const state = new URL(String(made['connect_url'])).searchParams.get('state');
    const back = new URL(String(made['redirect_uri']));
    back.search = new URLSearchParams({ code: 'code-17', state: state ?? '' }).toString();
    const page = await fetch(back, { redirect: 'manual' });
    expect(await page.text()).toContain('may not be called');
    expect(readBody(await call('GET', '/connections/ACCOUNT'))).toMatchObject({ status: 'pending' });
    expect(connections).toBe(seen);
  });
});
