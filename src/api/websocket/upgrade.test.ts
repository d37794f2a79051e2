import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import {
  connectSocket,
  endSocketClients,
  type SocketClient,
} from '../../../test/support/websocket-client.ts';
import { openSocketServer, type SocketServer } from '../../../test/support/servers/websocket-server.ts';
import type { SocketApi } from './socket-plugin.ts';

let server: SocketServer;
afterEach(async () => {
  endSocketClients();
  await server.close();
});

const bounds = { sockets: 100, socketsPerUser: 100, unprovedSockets: 100, unprovedSocketsPerAddress: 100 };
const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': `${'A'.repeat(22)}==`,
};

type Answer = { status: number; headers: IncomingMessage['headers']; body: unknown };

/** What is answered to an upgrade; 101 is cut off at once. */
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
  throw new Error('it did not come to that');
}

test('an upgrade to /v1/ws, with the headers of every answer', async () => {
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
  'an upgrade to %s is 404 in our form',
  async (path) => {
    server = await openSocketServer();
    const { status, headers, body } = await ask(path);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['x-request-id']).toMatch(/^req_/);
    expect(body).toEqual({
      error: { code: 'NOT_FOUND', message: 'There is no WebSocket at this path.', details: {} },
    });
  },
);

test('any other upgrade is as if it were not asked for; without one the path says what it is', async () => {
  server = await openSocketServer();
  const { status, body } = await ask('/v1/x', { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' });
  expect([status, body]).toEqual([
    404,
    { error: { code: 'NOT_FOUND', message: 'There is no GET at this path.', details: {} } },
  ]);
  const answer = await fetch(`${server.url}/ws`);
  expect([answer.status, await answer.json()]).toEqual([
    404,
    {
      error: {
        code: 'NOT_FOUND',
        message: 'There is only a WebSocket at this path: the request must ask for an upgrade.',
        details: {},
      },
    },
  ]);
});

test.each([
  ['another method', {}, 'POST'],
  ['no key', { 'sec-websocket-key': '' }, 'GET'],
  ['a key that is none', { 'sec-websocket-key': 'short' }, 'GET'],
  ['a version that is none', { 'sec-websocket-version': '7' }, 'GET'],
  ['protocols that are none', { 'sec-websocket-protocol': 'a,,b' }, 'GET'],
])('%s is no handshake: 400', async (_what, headers, method) => {
  server = await openSocketServer();
  const { status, body } = await ask('/v1/ws', headers, method);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: { code: 'VALIDATION_ERROR', details: { field: 'upgrade' } } });
});

test('a door of another path gets its sockets, with the protocol they have in common', async () => {
  const seen: WebSocket[] = [];
  const door: SocketApi = {
    protocols: ['graphql-transport-ws'],
    accept: (socket) => void seen.push(socket),
  };
  server = await openSocketServer({ doors: { '/v1/graphql': door } });
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

test('compression is not taken', async () => {
  server = await openSocketServer();
  expect(
    (await ask('/v1/ws', { 'sec-websocket-extensions': 'permessage-deflate' })).headers,
  ).not.toHaveProperty('sec-websocket-extensions');
});

function expectFull(answer: Answer, limit: number): void {
  expect(answer.status).toBe(429);
  expect(answer.headers['retry-after']).toBe('5');
  expect(answer.body).toMatchObject({
    error: { code: 'RATE_LIMITED', details: { reason: 'capacity', limit, retry_after: 5 } },
  });
}

test('as many sockets as there may be, and a place that becomes free is given away again', async () => {
  server = await openSocketServer({ caps: { ...bounds, sockets: 3 } });
  const open: SocketClient[] = [];
  for (let i = 0; i < 3; i++) open.push(await connectSocket(server.url));
  expectFull(await ask('/v1/ws'), 3);
  open[0]!.socket.close();
  await until(async () => (await ask('/v1/ws')).status === 101);
});

test('as many of one user', async () => {
  server = await openSocketServer({ caps: { ...bounds, socketsPerUser: 2 } });
  const { token } = await server.session(await server.user());
  const other = await server.session(await server.user());
  const first = await connectSocket(server.url);
  await first.auth(token);
  // Again on the same socket is still one.
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

test('as many that have not said who they are: in all, and of one address', async () => {
  server = await openSocketServer({
    caps: { ...bounds, unprovedSockets: 3, unprovedSocketsPerAddress: 2 },
    trustProxy: ['loopback'],
  });
  const { token } = await server.session(await server.user());
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const first = await connectSocket(server.url, from('192.0.2.1'));
  await connectSocket(server.url, from('192.0.2.1'));
  expectFull(await ask('/v1/ws', { 'x-forwarded-for': '192.0.2.1' }), 2);
  await connectSocket(server.url, from('2001:db8::1'));
  expectFull(await ask('/v1/ws', { 'x-forwarded-for': '192.0.2.9' }), 3);
  // Who proved himself no longer counts.
  await first.auth(token);
  const another = await connectSocket(server.url, from('192.0.2.1'));
  another.end();
  await until(async () => (await ask('/v1/ws', { 'x-forwarded-for': '2001:db8::2' })).status === 101);
});

test('a thousand connections that come and go leave nothing behind', async () => {
  server = await openSocketServer({ caps: { ...bounds, sockets: 50, unprovedSocketsPerAddress: 50 } });
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
      // A place of one that just left.
    }
    return open.length === 50;
  });
});
