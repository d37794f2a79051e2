import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import {
  connectSocket,
  endSocketClients,
  type SocketClient,
} from '../../../test/support/websocket/websocket-client.ts';
import { openSocketServer, type SocketServer } from '../../../test/support/servers/websocket-server.ts';
import type { SocketApi } from './socket-plugin.ts';

let server: SocketServer;
afterEach(async () => {
  endSocketClients();
  await server.close();
});

const bounds = {
  sockets: 100,
  socketsPerUser: 100,
  unauthenticatedSockets: 100,
  unauthenticatedSocketsPerAddress: 100,
};
const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': `${'A'.repeat(22)}==`,
};

type Answer = { status: number; headers: IncomingMessage['headers']; body: unknown };

/** The response to an upgrade; a 101 is disconnected immediately. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const asked = httpRequest({
      host: '127.0.0.1',
      port,
      path,
      method,
      headers: { ...handshake, ...headers },
    });
    asked.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers, body: null });
    });
    asked.on('response', (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: JSON.parse(text) }),
      );
    });
    asked.on('error', reject).end();
  });
}
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('The expected response did not arrive.');
}

test('an upgrade to /v1/ws has the common headers', async () => {
  server = await openSocketServer();
  for (const path of ['/v1/ws', '/v1/ws?x=1']) {
    const { status, headers } = await ask(path);
    expect(status).toBe(101);
    expect(headers['weft-version']).toBe('1.2.3');
    expect(headers['x-request-id']).toMatch(/^req_/);
  }
  expect((await ask('/v1/ws', { origin: 'https://anywhere.example' })).status).toBe(101);
});

test.each(['/', '/v1', '/v1/ws/', '/v1/workflows', '/v1/wss', '/ws', '//v1/ws', '/v1/graphql'])(
  'an upgrade to %s is 404 with an error body',
  async (path) => {
    server = await openSocketServer();
    const { status, headers, body } = await ask(path);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['x-request-id']).toMatch(/^req_/);
    expect(body).toEqual({
      error: { code: 'NOT_FOUND', message: 'This path does not serve WebSockets.', details: {} },
    });
  },
);

test('other upgrades are ignored; a plain request gets NOT_FOUND', async () => {
  server = await openSocketServer();
  const { status, body } = await ask('/v1/x', { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' });
  expect([status, body]).toEqual([
    404,
    {
      error: { code: 'NOT_FOUND', message: 'This path does not exist or does not support GET.', details: {} },
    },
  ]);
  const reply = await fetch(`${server.url}/ws`);
  expect([reply.status, await reply.json()]).toEqual([
    404,
    {
      error: {
        code: 'NOT_FOUND',
        message: 'This path serves WebSockets only: the request must be an upgrade.',
        details: {},
      },
    },
  ]);
});

test.each([
  ['another method', {}, 'POST'],
  ['no key', { 'sec-websocket-key': '' }, 'GET'],
  ['an invalid key', { 'sec-websocket-key': 'short' }, 'GET'],
  ['an unsupported version', { 'sec-websocket-version': '7' }, 'GET'],
  ['invalid protocols', { 'sec-websocket-protocol': 'a,,b' }, 'GET'],
])('rejects a handshake with %s with 400', async (_what, headers, method) => {
  server = await openSocketServer();
  const { status, body } = await ask('/v1/ws', headers, method);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { code: 'VALIDATION_ERROR', details: { field: 'upgrade' } } });
});

test('an API at another path gets its sockets with the common subprotocol', async () => {
  const seen: WebSocket[] = [];
  const api: SocketApi = {
    protocols: ['graphql-transport-ws'],
    accept: (socket) => void seen.push(socket),
  };
  server = await openSocketServer({ doors: { '/v1/graphql': api } });
  const { headers } = await ask('/v1/graphql', { 'sec-websocket-protocol': 'other, graphql-transport-ws' });
  expect(headers['sec-websocket-protocol']).toBe('graphql-transport-ws');
  expect((await ask('/v1/graphql', { 'sec-websocket-protocol': 'other' })).headers).not.toHaveProperty(
    'sec-websocket-protocol',
  );
  expect((await ask('/v1/ws', { 'sec-websocket-protocol': 'other' })).headers).not.toHaveProperty(
    'sec-websocket-protocol',
  );
  expect(seen.map(({ protocol }) => protocol)).toEqual(['graphql-transport-ws', '']);
});

test('compression is not negotiated', async () => {
  server = await openSocketServer();
  expect(
    (await ask('/v1/ws', { 'sec-websocket-extensions': 'permessage-deflate' })).headers,
  ).not.toHaveProperty('sec-websocket-extensions');
});

function expectFull(reply: Answer, limit: number): void {
  expect(reply.status).toBe(429);
  expect(reply.headers['retry-after']).toBe('5');
  expect(reply.body).toMatchObject({
    error: { code: 'RATE_LIMITED', details: { reason: 'capacity', limit, retry_after: 5 } },
  });
}

test('the number of sockets is limited, and a closed socket frees its slot', async () => {
  server = await openSocketServer({ caps: { ...bounds, sockets: 3 } });
  const open: SocketClient[] = [];
  for (let i = 0; i < 3; i++) open.push(await connectSocket(server.url));
  expectFull(await ask('/v1/ws'), 3);
  open[0]!.socket.close();
  await until(async () => (await ask('/v1/ws')).status === 101);
});

test('the number of sockets of one user is limited', async () => {
  server = await openSocketServer({ caps: { ...bounds, socketsPerUser: 2 } });
  const { token } = await server.session(await server.user());
  const other = await server.session(await server.user());
  const first = await connectSocket(server.url);
  await first.auth(token);
  // Authenticating again on the same socket counts once.
  await first.auth(token);
  await (await connectSocket(server.url)).auth(token);
  const third = await connectSocket(server.url);
  expect((await third.auth(token)).data).toMatchObject({
    code: 'RATE_LIMITED',
    details: { reason: 'capacity', limit: 2 },
  });
  expect(await third.closed()).toMatchObject({ code: 4429 });
  expect((await (await connectSocket(server.url)).auth(other.token)).type).toBe('auth_success');
  first.end();
  await until(async () => (await (await connectSocket(server.url)).auth(token)).type === 'auth_success');
});

test('unauthenticated sockets are limited in total and by address', async () => {
  server = await openSocketServer({
    caps: { ...bounds, unauthenticatedSockets: 3, unauthenticatedSocketsPerAddress: 2 },
    trustProxy: ['loopback'],
  });
  const { token } = await server.session(await server.user());
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const first = await connectSocket(server.url, from('192.0.2.1'));
  await connectSocket(server.url, from('192.0.2.1'));
  expectFull(await ask('/v1/ws', { 'x-forwarded-for': '192.0.2.1' }), 2);
  await connectSocket(server.url, from('2001:db8::1'));
  expectFull(await ask('/v1/ws', { 'x-forwarded-for': '192.0.2.9' }), 3);
  // Authenticated sockets no longer count.
  await first.auth(token);
  const another = await connectSocket(server.url, from('192.0.2.1'));
  another.end();
  await until(async () => (await ask('/v1/ws', { 'x-forwarded-for': '2001:db8::2' })).status === 101);
});

test('a thousand connections that open and close leave no state', async () => {
  server = await openSocketServer({ caps: { ...bounds, sockets: 50, unauthenticatedSocketsPerAddress: 50 } });
  const { port } = new URL(server.url);
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      Array.from({ length: 25 }, async (_, i) => {
        const peer = connect(Number(port), '127.0.0.1').on('error', () => {});
        const lines = Object.entries(handshake).map(([name, value]) => `${name}: ${value}\r\n`);
        peer.write(`GET /v1/ws HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n`);
        if (i % 2 === 0) await new Promise((resolve) => peer.once('data', resolve));
        peer.destroy();
      }),
    );
  }
  await until(async () => (await ask('/v1/ws')).status === 101);
  const open: SocketClient[] = [];
  await until(async () => {
    try {
      open.push(await connectSocket(server.url));
    } catch {
      // The slot of a socket that was just closed.
    }
    return open.length === 50;
  });
});
