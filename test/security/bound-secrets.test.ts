import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { spawnService, createTempFolder, type Call, type SpawnedService } from '../support/service.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

/** Secrets are read only in the fields that a node lists, and a secret with hosts reaches no other host. */
const VALUE = 's3cr3t-BOUND-value-ABCDEFGH';
const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let home: Upstream;
let away: Upstream;
let proxy: Server;
let proxyUrl: string;
let proxied: string[];

beforeAll(async () => {
  home = await startUpstream(({ path }) =>
    path.startsWith('/redirect')
      ? { status: 307, headers: { location: `${away.url}/redirected` } }
      : { body: path === '/token' ? { access_token: 'token-1', token_type: 'bearer', expires_in: 60 } : {} },
  );
  away = await startUpstream();
  proxied = [];
  proxy = createServer((request, response) => {
    proxied.push(`${request.method} ${request.url}`);
    response.end('{}');
  });
  proxy.on('connect', (request, socket) => {
    proxied.push(`CONNECT ${request.url}`);
    const [host, port] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  weft = await spawnService({ dataDir: folder.path });
  api = await weft.login();
  const hosts = [new URL(home.url).host];
  expect((await api('PUT', '/secrets/BOUND', { body: { value: VALUE, hosts } })).status).toBe(200);
  expect((await api('PUT', '/secrets/FREE', { body: { value: 'a-free-secret-value' } })).status).toBe(200);
});
beforeEach(() => {
  home.received.length = 0;
  away.received.length = 0;
  proxied.length = 0;
});
afterAll(async () => {
  await weft.kill9();
  await home.close();
  await away.close();
  proxy.closeAllConnections();
  proxy.close();
  folder.remove();
});

type Node = { id: string; type: string; config: object };
const http = (config: object, id = 'call'): Node => ({ id, type: 'http_request', config });
const start = { id: 'start', type: 'trigger', config: { triggerType: 'manual' } };

async function save(nodes: Node[], status = 'draft') {
  const all = [start, ...nodes];
  const connections = nodes.map(({ id }, i) => ({ from: all[i]!.id, to: id }));
  return api('POST', '/workflows', { body: { name: 'w', status, definition: { nodes: all, connections } } });
}

async function run(...nodes: Node[]) {
  const saved = await save(nodes);
  expect(saved.status, saved.text).toBe(201);
  const { id, issues } = saved.body as { id: string; issues: unknown[] };
  expect(issues).toEqual([]);
  const reply = await api('POST', `/workflows/${id}/execute`, { body: { wait: '30s' } });
  expect(reply.status, reply.text).toBe(201);
  return reply.body as { status: string; error: { type: string; message: string } | null };
}

const refused = (host: string) => ({
  status: 'failed',
  error: {
    type: 'forbidden',
    message: `The secret BOUND may not be sent to ${new URL(host).host}; it is bound to ${new URL(home.url).host}`,
  },
});

describe('fields that may read a secret', () => {
  const cases: [string, string, object, string][] = [
    ['crypto', 'value', { operation: 'encode', encoding: 'base64', value: '{{ secrets.FREE }}' }, 'key'],
    ['crypto', 'output', { operation: 'hmac', key: 'k', value: 'v{{ secrets.FREE | size }}' }, 'key'],
    ['notify', 'message', { message: '{{ secrets.FREE | slice: 0, 6 }}' }, ''],
    ['notify', 'channel', { message: 'x', channel: '{{ secrets.FREE }}' }, ''],
    ['set', 'fields', { fields: { a: '{{ secrets.FREE }}' } }, ''],
    ['sub_workflow', 'input', { workflow_id: 'wf_x', input: { a: '{{ secrets.FREE }}' } }, ''],
    ['stop', 'message', { outcome: 'failed', message: '{{ secrets.FREE }}' }, ''],
    [
      'email',
      'template.subject',
      {
        service: 'smtp',
        operation: 'send',
        credentials: '{{ secrets.FREE }}',
        template: { from: 'a@example.com', to: 'b@example.com', subject: '{{ secrets.FREE }}' },
      },
      'credentials',
    ],
    [
      'postgres',
      'parameters[0]',
      {
        operation: 'query',
        credentials: '{{ secrets.FREE }}',
        query: 'SELECT $1',
        parameters: ['{{ secrets.FREE }}'],
      },
      'credentials',
    ],
    [
      'slack',
      'text',
      {
        operation: 'post_message',
        credentials: '{{ secrets.FREE }}',
        channel: '#a',
        text: '{{ secrets.FREE }}',
      },
      'credentials',
    ],
    [
      'http_request',
      'pagination.next',
      { url: 'http://127.0.0.1/', pagination: { items: 'a', next: '{{ secrets.FREE }}' } },
      'url, query',
    ],
  ];

  test.each(cases)('%s refuses a secret in %s', async (type, field, config, allowed) => {
    const draft = await save([{ id: 'node', type, config }]);
    expect(draft.status, draft.text).toBe(201);
    const { id, issues } = draft.body as { id: string; issues: { field: string; issue: string }[] };
    const location =
      field === 'fields' ? 'fields.a' : field === 'input' ? 'input.a' : field === 'output' ? 'value' : field;
    expect(issues).toContainEqual({
      node_id: 'node',
      field: `config.${location}`,
      issue: expect.stringContaining(
        allowed === ''
          ? `must not read a secret; no field of ${type} may`
          : `must not read a secret; ${type} reads secrets only in ${allowed}`,
      ) as string,
    });
    expect((await api('POST', `/workflows/${id}/execute`, { body: {} })).status).toBe(400);
    const active = await save([{ id: 'node', type, config }], 'active');
    expect(active.status).toBe(400);
    expect(active.text).toContain(`definition.nodes[1].config.${location}`);
  });

  test('are in the catalog', async () => {
    const { nodes } = (await api('GET', '/nodes')).body as {
      nodes: { id: string; secret_fields: string[] }[];
    };
    const fields = Object.fromEntries(nodes.map((node) => [node.id, node.secret_fields]));
    expect(fields).toMatchObject({ crypto: ['key'], notify: [], code: [], email: ['credentials'] });
    expect(fields['http_request']).toEqual(expect.arrayContaining(['headers', 'authentication.token']));
  });
});

describe('a secret with hosts', () => {
  test('is sent to its hosts', async () => {
    const config = { url: `${home.url}/in`, headers: { 'x-key': '{{ secrets.BOUND }}' } };
    expect(await run(http(config))).toMatchObject({ status: 'completed' });
    expect(home.received[0]?.headers['x-key']).toBe(VALUE);
  });

  test.each([
    [
      'the URL',
      { url: '{{ away }}/?a={{ secrets.BOUND | slice: 0, 6 }}&b={{ secrets.BOUND | slice: 6, 100 }}' },
    ],
    ['a header, in base64', { url: '{{ away }}', headers: { a: '{{ secrets.BOUND | base64 }}' } }],
    ['the query, split', { url: '{{ away }}', query: { a: '{{ secrets.BOUND | split: "" | join: "-" }}' } }],
    [
      'the body, as a comparison',
      { url: '{{ away }}', method: 'POST', body: { a: '{{ secrets.BOUND == "x" }}' } },
    ],
    ['a hash', { url: '{{ away }}', headers: { a: '{{ secrets.BOUND | sha256 }}' } }],
    [
      'a password',
      {
        url: '{{ away }}',
        authentication: { type: 'basic', username: 'u', password: '{{ secrets.BOUND }}' },
      },
    ],
  ])('is not sent to another one, in %s', async (_what, config) => {
    const text = JSON.stringify(config).replace('{{ away }}', away.url);
    expect(await run(http(JSON.parse(text) as object))).toMatchObject(refused(away.url));
    expect(away.received).toEqual([]);
  });

  test('is not sent by a redirect', async () => {
    const config = { url: `${home.url}/redirect`, query: { a: '{{ secrets.BOUND | slice: 0, 3 }}' } };
    expect(await run(http(config))).toMatchObject(refused(away.url));
    expect(away.received).toEqual([]);
  });

  describe('in the fields of OAuth 2.0', () => {
    const oauth2 = (token: string) => ({
      type: 'oauth2',
      grant_type: 'client_credentials',
      token_url: `${token}/token`,
      client_id: 'weft',
      client_secret: '{{ secrets.BOUND }}',
    });

    test('binds the token request, and the token is sent to other hosts', async () => {
      const config = { url: `${away.url}/api`, authentication: oauth2(home.url) };
      expect(await run(http(config))).toMatchObject({ status: 'completed' });
      expect(away.received[0]?.headers['authorization']).toBe('Bearer token-1');
      expect(away.received.map((one) => JSON.stringify(one)).join()).not.toContain(VALUE);
    });

    test('is not sent to another token endpoint', async () => {
      const config = { url: `${home.url}/api`, authentication: oauth2(away.url) };
      expect(await run(http(config))).toMatchObject(refused(away.url));
      expect(away.received).toEqual([]);
    });

    test('still binds the other fields that read it', async () => {
      const url = `${away.url}/?a={{ secrets.BOUND | slice: 0, 6 }}&b={{ secrets.BOUND | slice: 6, 100 }}`;
      expect(await run(http({ url, authentication: oauth2(home.url) }))).toMatchObject(refused(away.url));
      expect(away.received).toEqual([]);
    });

    test('is not sent in the address of another token endpoint', async () => {
      const authentication = { ...oauth2(home.url), token_url: `${away.url}/{{ secrets.BOUND | base64 }}` };
      expect(await run(http({ url: home.url, authentication }))).toMatchObject(refused(away.url));
      expect(away.received).toEqual([]);
    });
  });

  test('is not sent through a proxy of the node over http', async () => {
    const config = { url: home.url, headers: { a: '{{ secrets.BOUND }}' }, proxy: proxyUrl };
    expect(await run(http(config))).toMatchObject(refused(proxyUrl));
    expect(proxied).toEqual([]);
  });

  test('in the URL of a proxy binds the proxy', async () => {
    const proxyWith = (value: string) => proxyUrl.replace('//', `//u:${value}@`);
    const config = { url: away.url, proxy: proxyWith('{{ secrets.BOUND | url_encode }}') };
    expect(await run(http(config))).toMatchObject(refused(proxyUrl));
    expect(proxied).toEqual([]);
  });

  test('does not leave through the result of another node', async () => {
    const encode = { operation: 'encode', encoding: 'base64', value: '{{ secrets.BOUND }}' };
    const steal = http({ url: `${away.url}/steal?{{ nodes.c }}` });
    const reply = await save([{ id: 'c', type: 'crypto', config: encode }, steal], 'active');
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('crypto reads secrets only in key');
  });

  test('is accepted as a whole key of crypto, and refused in parts', async () => {
    const sign = (key: string): Node => ({
      id: 'c',
      type: 'crypto',
      config: { operation: 'hmac', value: 'x', key },
    });
    expect(await run(sign('{{ secrets.BOUND }}'))).toMatchObject({ status: 'completed' });
    for (const key of [
      '{{ secrets.BOUND | slice: 0, 1 }}',
      'x{{ secrets.BOUND }}',
      '{{ secrets.BOUND == "x" }}',
    ])
      expect(await run(sign(key)), key).toMatchObject({
        status: 'failed',
        error: {
          type: 'validation',
          message: expect.stringContaining('must be exactly {{ secrets.BOUND }}') as string,
        },
      });
    expect(await run(sign('{{ secrets.FREE | slice: 0, 4 }}'))).toMatchObject({ status: 'completed' });
  });

  test('in the credentials of a mail server or a database binds the connection', async () => {
    const hosts = [new URL(home.url).host];
    const port = new URL(away.url).port;
    for (const [name, value] of [
      ['MAIL', `smtp://u:p@127.0.0.1:${port}`],
      ['DB', `postgres://u:p@127.0.0.1:${port}/d`],
      ['MYSQL', `mysql://u:p@127.0.0.1:${port}/d`],
      ['REDIS', `redis://u:p@127.0.0.1:${port}/0`],
      ['S3', JSON.stringify({ access_key_id: 'id-17', secret_access_key: 'key-17' })],
    ])
      expect((await api('PUT', `/secrets/${name}`, { body: { value, hosts } })).status).toBe(200);
    const mail = {
      service: 'smtp',
      operation: 'send',
      credentials: '{{ secrets.MAIL }}',
      template: { from: 'a@example.com', to: 'b@example.com', text: 'x' },
    };
    const query = { operation: 'query', credentials: '{{ secrets.DB }}', query: 'SELECT 1' };
    for (const [type, config] of [
      ['email', mail],
      ['postgres', query],
      ['mysql', { ...query, credentials: '{{ secrets.MYSQL }}' }],
      ['redis', { operation: 'get', credentials: '{{ secrets.REDIS }}', key: 'a' }],
      [
        's3',
        {
          operation: 'get',
          credentials: '{{ secrets.S3 }}',
          endpoint: `http://127.0.0.1:${port}`,
          bucket: 'reports',
          key: 'a',
        },
      ],
    ] as const)
      expect(await run({ id: 'c', type, config }), type).toMatchObject({
        status: 'failed',
        error: {
          type: 'forbidden',
          message: expect.stringContaining(`may not be sent to 127.0.0.1:${port}`) as string,
        },
      });
  });
});
