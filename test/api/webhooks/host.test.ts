import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { spawnService, createTempFolder, type Call, type SpawnedService } from '../../support/service.ts';
import { createEchoWorkflow } from '../definitions.ts';

const folder = createTempFolder();
let weft: SpawnedService;
let api: Call;
let id: string;

beforeAll(async () => {
  weft = await start({ WEFT_WEBHOOK_URL: 'https://hooks.example.net' });
  api = await weft.login();
  const created = await api('POST', '/workflows', {
    body: { name: 'w', status: 'active', definition: createEchoWorkflow('orders') },
  });
  expect(created.status, created.text).toBe(201);
  id = (created.body as { id: string }).id;
});
afterAll(async () => {
  await weft?.kill9();
  folder.remove();
});

function start(env: Record<string, string>): Promise<SpawnedService> {
  return spawnService({ dataDir: folder.path, env });
}

type Sent = { status: number; text: string };

/** A request that names `host`, which `fetch` would not let us choose. */
function send(method: string, path: string, host: string, headers: object = {}): Promise<Sent> {
  const { hostname, port } = new URL(weft.url);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        method,
        path,
        headers: { ...headers, host, ...(method === 'POST' && { 'content-type': 'application/json' }) },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(method === 'POST' ? '{}' : undefined);
  });
}

test('addresses that users see are on the webhook origin', async () => {
  const workflow = (await api('GET', `/workflows/${id}`)).body as { triggers: { url: string }[] };
  expect(workflow.triggers[0]?.url).toBe('https://hooks.example.net/v1/webhooks/orders');
  const query = `{ workflow(id: "${id}") { triggers { url } } }`;
  expect((await api('POST', '/graphql', { body: { query } })).text).toContain(
    'https://hooks.example.net/v1/webhooks/orders',
  );
  const listener = (await api('POST', `/workflows/${id}/listen`, { body: {} })).body as { url: string };
  expect(listener.url).toMatch(/^https:\/\/hooks\.example\.net\/v1\/listen\//);
  const { pathname } = new URL(listener.url);
  expect((await send('POST', pathname, 'localhost')).status).toBe(404);
  expect((await send('POST', pathname, 'hooks.example.net')).status).toBe(200);
  const definition = {
    nodes: [
      { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
      { id: 'wait', type: 'wait_for_event', config: { timeout: '1h' } },
    ],
    connections: [{ from: 'start', to: 'wait' }],
  };
  const made = await api('POST', '/workflows', { body: { name: 'waits', definition } });
  const execution = await api('POST', `/workflows/${(made.body as { id: string }).id}/execute`, { body: {} });
  const { id: executionId } = execution.body as { id: string };
  const logs = async () => (await api('GET', `/executions/${executionId}/logs`)).text;
  await expect.poll(logs).toContain('https://hooks.example.net/v1/resume/');
  const [, token = ''] = /v1\/resume\/([\w.~-]+)/.exec(await logs()) ?? [];
  expect((await send('POST', `/v1/resume/${token}`, 'localhost')).status).toBe(404);
  expect((await send('POST', `/v1/resume/${token}`, 'hooks.example.net')).status).toBe(200);
});

test('webhooks are served on their host only, on both code paths of the server', async () => {
  for (const host of [
    'hooks.example.net',
    'HOOKS.example.net',
    'hooks.example.net:8443',
    'hooks.example.net.',
  ])
    expect((await send('POST', '/v1/webhooks/orders', host)).status, host).toBe(200);
  for (const host of ['localhost', '127.0.0.1:80', 'hooks.example.net.evil.example', 'xhooks.example.net']) {
    const plain = await send('POST', '/v1/webhooks/orders', host);
    expect(plain.status, host).toBe(404);
    expect(plain.text).toContain('available only at https://hooks.example.net');
    const chunked = await send('POST', '/v1/webhooks/orders', host, { 'transfer-encoding': 'chunked' });
    expect(chunked.status, host).toBe(404);
  }
  expect((await send('POST', '/v1/%77ebhooks/orders', 'localhost')).status).toBe(404);
});

test('the OpenAPI document names the webhook origin', async () => {
  const { paths } = (await api('GET', '/openapi.json')).body as { paths: Record<string, object> };
  const servers = [{ url: 'https://hooks.example.net/v1' }];
  for (const path of ['/webhooks/{endpoint}', '/listen/{token}', '/resume/{token}'])
    expect(paths[path], path).toMatchObject({ servers });
  expect(paths['/workflows']).not.toHaveProperty('servers');
});

test('the webhook host serves nothing else', async () => {
  const paths = ['/', '/workflows', '/login', '/v1/health', '/v1/users/me', '/v1/graphql', '/v1/docs'];
  const others = ['/v1/openapi.json', '/metrics', '/oauth/authorize', '/.well-known/openid-configuration'];
  for (const path of [...paths, ...others, '/v1/resume', '/v1/%68ealth'])
    expect((await send('GET', path, 'hooks.example.net')).status, path).toBe(404);
  expect((await send('POST', '/v1/auth/login', 'hooks.example.net')).status).toBe(404);
  expect((await send('OPTIONS', '/v1/workflows', 'hooks.example.net')).status).toBe(404);
  expect((await send('GET', '/v1/health', 'localhost')).status).toBe(200);
  const refused = await new Promise<string>((resolve) => {
    const socket = new WebSocket(`${weft.url.replace('http', 'ws')}/ws`, {
      headers: { host: 'hooks.example.net' },
    });
    socket.on('open', () => resolve('open'));
    socket.on('error', (error) => resolve(error.message));
  });
  expect(refused).toContain('404');
});

test('a forwarded host counts when a trusted proxy sends it, and not otherwise', async () => {
  const forwarded = { 'x-forwarded-host': 'hooks.example.net' };
  expect((await send('POST', '/v1/webhooks/orders', 'weft:8080', forwarded)).status).toBe(404);
  await weft.stop();
  weft = await start({ WEFT_WEBHOOK_URL: 'https://hooks.example.net', WEFT_TRUST_PROXY: 'loopback' });
  expect((await send('POST', '/v1/webhooks/orders', 'weft:8080', forwarded)).status).toBe(200);
  expect((await send('GET', '/v1/health', 'weft:8080', forwarded)).status).toBe(404);
  const last = { 'x-forwarded-host': 'hooks.example.net, weft.example.com' };
  expect((await send('POST', '/v1/webhooks/orders', 'hooks.example.net', last)).status).toBe(404);
});
