import type { LookupFunction } from 'node:net';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectSocket, endSocketClients } from '../support/websocket/websocket-client.ts';
import { freePort } from '../support/servers/free-port.ts';
import { testCertificate } from '../support/servers/tls-certificates.ts';
import {
  adminEmail,
  adminPassword,
  runWeft,
  spawnService,
  createTempFolder,
  type SpawnedService,
} from '../support/service.ts';
import { nginxProgram, startNginx } from './nginx.ts';

/* The published nginx configuration, with TLS, in front of the built program. */

const HOST = 'weft.test';
const folder = createTempFolder();
const lookupLoopback: LookupFunction = (_name, options, done) =>
  options.all === true ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
const agent = new Agent({ connect: { ca: testCertificate, lookup: lookupLoopback } });

let weft: SpawnedService;
let nginx: { stop(): Promise<void> };
let origin: string;
let httpPort: number;
let token: string;

describe.skipIf(nginxProgram === null)('behind nginx with TLS', () => {
  beforeAll(async () => {
    const httpsPort = await freePort();
    const upstream = await freePort();
    httpPort = await freePort();
    origin = `https://${HOST}:${httpsPort}`;
    weft = await spawnService({
      dataDir: folder.path,
      env: { PORT: String(upstream), WEFT_PUBLIC_URL: origin, WEFT_TRUST_PROXY: 'loopback' },
    });
    const files = createTempFolder();
    const server = await startNginx({ folder: files.path, host: HOST, httpPort, httpsPort, upstream });
    nginx = {
      async stop() {
        await server.stop();
        files.remove();
      },
    };
    const login = await ask('POST', '/v1/auth/login', { email: adminEmail, password: adminPassword });
    token = (login.body as { token: string }).token;
  });
  afterAll(async () => {
    endSocketClients();
    await agent.close();
    await nginx?.stop();
    await weft?.stop();
    folder.remove();
  });

  type Response = { status: number; headers: Headers; text: string; body: unknown };
  async function ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const response = await fetch(path.startsWith('http') ? path : `${origin}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
      dispatcher: agent,
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers as unknown as Headers,
      text,
      body: isJson ? JSON.parse(text) : null,
    };
  }

  test('http redirects to https', async () => {
    const { status, headers } = await ask('GET', `http://127.0.0.1:${httpPort}/workflows?page=2`);
    expect([status, headers.get('location')]).toEqual([301, 'https://127.0.0.1/workflows?page=2']);
  });

  test('the editor, the documents and OAuth use the public URL', async () => {
    const page = await ask('GET', '/');
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<div id="root">')]);
    const asset = /(?:src|href)="(\/assets\/[^"]+)"/.exec(page.text)?.[1];
    expect((await ask('GET', asset ?? '')).status).toBe(200);
    const openapi = (await ask('GET', '/v1/openapi.json')).body as { servers: { url: string }[] };
    expect(openapi.servers[0]?.url).toBe(`${origin}/v1`);
    const asyncapi = (await ask('GET', '/v1/asyncapi.json')).body as { servers: Record<string, object> };
    expect(Object.values(asyncapi.servers)[0]).toMatchObject({ host: new URL(origin).host, protocol: 'wss' });
    const metadata = (await ask('GET', '/.well-known/oauth-authorization-server')).body;
    expect(metadata).toMatchObject({ issuer: origin, token_endpoint: `${origin}/oauth/token` });
  });

  const nodes = (endpoint: string) => [
    {
      id: 'hook',
      type: 'trigger',
      config: {
        triggerType: 'webhook',
        endpoint,
        method: 'POST',
        authentication: 'none',
        respond: 'on_completion',
      },
    },
    { id: 'size', type: 'set', config: { fields: { size: '{{ size(trigger.body.text) }}' }, mode: 'only' } },
  ];
  async function createWebhook(endpoint: string): Promise<{ id: string }> {
    const definition = { nodes: nodes(endpoint), connections: [{ from: 'hook', to: 'size' }] };
    const created = await ask('POST', '/v1/workflows', { name: endpoint, status: 'active', definition });
    expect(created.status, created.text).toBe(201);
    return created.body as { id: string };
  }

  test('a webhook accepts a body of several MiB, and test URLs begin with the public URL', async () => {
    const { id } = await createWebhook('large');
    const reply = await ask('POST', '/v1/webhooks/large', { text: 'x'.repeat(3 * 1024 * 1024) });
    expect([reply.status, reply.text.slice(0, 200)]).toEqual([200, expect.stringContaining('3145728')]);
    const test = await ask('POST', `/v1/workflows/${id}/listen`);
    expect(test.body).toMatchObject({ url: expect.stringContaining(`${origin}/v1/listen/`) });
  });

  test('a WebSocket follows an execution', async () => {
    const { id } = await createWebhook('watched');
    const { host, port } = new URL(origin);
    const client = await connectSocket(`https://127.0.0.1:${port}/v1`, {
      ca: testCertificate,
      // The certificate is for the host name, but this connection uses the address.
      checkServerIdentity: () => undefined as never,
      headers: { host },
    });
    expect((await client.auth(token)).type).toBe('auth_success');
    await ask('POST', '/v1/webhooks/watched', { text: 'x' });
    const update = await client.next(
      ({ type, data }) => type === 'execution_update' && data?.['status'] === 'completed',
    );
    expect(update.data).toMatchObject({ workflow_id: id });
  });

  test('the live log of an execution arrives while it runs', async () => {
    const definition = {
      nodes: [
        { id: 'start', type: 'trigger', config: { triggerType: 'manual' } },
        { id: 'wait', type: 'delay', config: { duration: '1h' } },
      ],
      connections: [{ from: 'start', to: 'wait' }],
    };
    const workflow = (await ask('POST', '/v1/workflows', { name: 'slow', definition })).body as {
      id: string;
    };
    const run = (await ask('POST', `/v1/workflows/${workflow.id}/execute`, {})).body as { id: string };
    const response = await fetch(`${origin}/v1/executions/${run.id}/logs`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      dispatcher: agent,
    });
    expect(response.status).toBe(200);
    const reader = response.body!.getReader();
    let text = '';
    while (!text.includes('wait')) {
      const { value, done } = await reader.read();
      if (done) break;
      text += Buffer.from(value as Uint8Array).toString();
    }
    expect(text).toContain('wait');
    await reader.cancel();
    expect((await ask('POST', `/v1/executions/${run.id}/stop`)).status).toBe(200);
  });
});

test('a public URL with a path is rejected at the start', async () => {
  const data = createTempFolder();
  const { code, stderr } = await runWeft(['start'], {
    PORT: '0',
    WEFT_DATA_DIR: data.path,
    WEFT_PUBLIC_URL: 'https://weft.example.com/weft',
  });
  data.remove();
  expect(code).not.toBe(0);
  expect(stderr).toMatch(
    /WEFT_PUBLIC_URL is "https:\/\/weft\.example\.com\/weft"; it must be an http or https origin without a path/,
  );
});
