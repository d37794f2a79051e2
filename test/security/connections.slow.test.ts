import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spawnService, createTempFolder, type Call, type SpawnedService } from '../support/service.ts';

/**
 * Clients that take connections and time: who behaves is served all the while, and the others lose theirs.
 */
const folder = createTempFolder();
let weft: SpawnedService;
let call: Call;
let port: number;
const sockets: Socket[] = [];

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  call = await weft.login();
  port = Number(new URL(weft.url).port);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await weft.stop();
  folder.remove();
});

type Slow = { name: string; got: string; closedAfter: number | null };

/** Sends `first`, then `more` again and again, until the service has had enough. */
function slow(name: string, first: string, more: string): Slow {
  const began = performance.now();
  const result: Slow = { name, got: '', closedAfter: null };
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.write(first, 'latin1');
  const timer = more === '' ? null : setInterval(() => socket.write(more, 'latin1'), 700);
  socket.on('data', (data) => (result.got += data.toString('latin1')));
  socket.on('error', () => {});
  socket.on('close', () => {
    if (timer !== null) clearInterval(timer);
    result.closedAfter = performance.now() - began;
  });
  return result;
}

const upgrade = (path: string, protocol = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${protocol}\r\n`;

test('slow headers on every API, 1,000 idle connections, silent sockets', async () => {
  const paths = [
    '/v1/health',
    '/v1/auth/login',
    '/v1/webhooks/x',
    '/v1/graphql',
    '/v1/ws',
    '/oauth/token',
    '/oauth/authorize',
    '/v1/docs',
  ];
  const heads = paths.map((path) =>
    slow(`a slow head of ${path}`, `POST ${path} HTTP/1.1\r\nHost: localhost\r\n`, 'X-More: x\r\n'),
  );
  const firstLine = slow('a slow first line', 'GET ', 'x');
  const silent = [
    slow('a socket that says nothing', upgrade('/v1/ws'), ''),
    slow('a socket that only pings', upgrade('/v1/ws'), '\u0089\u0080\u0000\u0000\u0000\u0000'),
    slow(
      'a GraphQL socket that says nothing',
      upgrade('/v1/graphql', 'Sec-WebSocket-Protocol: graphql-transport-ws\r\n'),
      '',
    ),
  ];
  // A frame that is announced, and never comes.
  const half = slow('half of a frame', `${upgrade('/v1/ws')}\u0081\u00fe\u00ff\u00ff`, '');
  for (let count = 0; count < 1_000; count++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    if (count % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  // Some of them leave without a word, others with half of a body.
  for (const socket of sockets.slice(-300)) socket.destroy();
  for (const socket of sockets.slice(-600, -300))
    socket.write('POST /v1/webhooks/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{');

  let slowest = 0;
  const all = [...heads, firstLine, ...silent, half];
  const end = performance.now() + 40_000;
  while (performance.now() < end && all.some(({ closedAfter }) => closedAfter === null)) {
    const began = performance.now();
    expect((await call('GET', '/users/me')).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  expect(all.filter(({ closedAfter }) => closedAfter === null).map(({ name }) => name)).toEqual([]);
  expect(slowest).toBeLessThan(10_000);
  for (const { name, got } of [...heads, firstLine])
    expect(got, name).toMatch(/^HTTP\/1\.1 400 [^]*did not arrive in time/);
  for (const { name, got } of silent.slice(0, 2)) expect(got, name).toContain('UNAUTHORIZED');
  expect(weft.child.exitCode).toBeNull();
  expect(
    weft
      .logs()
      .split('\n')
      .filter((line) => line.startsWith('{"level":"error"')),
  ).toEqual([]);
});
