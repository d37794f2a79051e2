import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import type { WeftError } from '../../contract/errors.ts';
import { limitBodies } from './body-limits.ts';
import { clock } from '../../../test/support/servers/echo-server.ts';

const KIB = 1024;
let app: FastifyInstance;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
});

async function listen(intervalMs: number): Promise<number> {
  app = fastify({ bodyLimit: 1024 * KIB });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error: WeftError, _request, reply) => reply.code(error.status).send(error.message));
  limitBodies(app, clock, { maxBytes: 400 * KIB, intervalMs });
  app.post('/', (request) => String((request.body as Buffer).length));
  await app.listen({ port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** Sends headers that announce 150 KiB, and `sent` bytes of the body. */
async function begin(port: number, localAddress: string, sent: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  await once(socket, 'connect');
  const head = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: a/b\r\nContent-Length: ${150 * KIB}\r\n\r\n`;
  socket.write(head + 'x'.repeat(sent));
  return socket;
}
async function readResponse(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test('bodies count by the bytes that have arrived', async () => {
  const port = await listen(60_000);
  for (let i = 0; i < 20; i++) await begin(port, '127.0.0.1', 1);
  expect(await readResponse(await begin(port, '127.0.0.1', 150 * KIB))).toMatch(
    /^HTTP\/1\.1 200 [^]*153600$/,
  );
});

test('one client may use half of the limit', async () => {
  const port = await listen(60_000);
  await begin(port, '127.0.0.1', 140 * KIB);
  await expect
    .poll(async () => readResponse(await begin(port, '127.0.0.1', 150 * KIB)))
    .toMatch(/^HTTP\/1\.1 429 [^]*Too many large requests/);
  expect(await readResponse(await begin(port, '127.0.0.2', 150 * KIB))).toMatch(/^HTTP\/1\.1 200 /);
  const small = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: 'x'.repeat(10 * KIB) });
  expect(small.status).toBe(200);
  const [first] = sockets;
  first!.destroy();
  await expect
    .poll(async () => readResponse(await begin(port, '127.0.0.1', 150 * KIB)))
    .toMatch(/^HTTP\/1\.1 200 /);
});

test('a body that arrives too slowly is rejected', async () => {
  const port = await listen(100);
  expect(await readResponse(await begin(port, '127.0.0.1', 20 * KIB))).toMatch(
    /^HTTP\/1\.1 400 [^]*arrives too slowly/,
  );
});

test('the rest of a rejected body is discarded, and the connection serves the next request', async () => {
  const port = await listen(60_000);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = async (length: number): Promise<number | undefined> => {
    const call = request({ port, agent, method: 'POST' });
    call.end('x'.repeat(length));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return response.statusCode;
  };
  // Larger than the body limit of the route; larger than the limit of one client.
  for (const length of [2_000 * KIB, 300 * KIB]) {
    expect(await send(length)).toBeGreaterThanOrEqual(400);
    expect(await send(20 * KIB)).toBe(200);
  }
  agent.destroy();
});
