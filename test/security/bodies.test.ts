import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEchoWorkflow } from '../api/definitions.ts';
import { spawnService, createTempFolder, type SpawnedService } from '../support/service.ts';

/** Large bodies that are announced but never sent do not affect other clients. */
const folder = createTempFolder();
let weft: SpawnedService;
const sockets: Socket[] = [];
const responses: string[] = [];

beforeAll(async () => {
  weft = await spawnService({ dataDir: folder.path });
  const api = await weft.login();
  const body = { name: 'w', status: 'active', definition: createEchoWorkflow('open') };
  expect((await api('POST', '/workflows', { body })).status).toBe(201);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await weft?.kill9();
  folder.remove();
});

/** Announces a body of `length` bytes at `path` and sends one byte of it. */
async function announce(path: string, length: number): Promise<Socket> {
  const socket = connect(Number(new URL(weft.url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('data', (chunk) => responses.push(String(chunk)));
  await once(socket, 'connect');
  socket.write(
    `POST /v1${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`,
  );
  return socket;
}

test('declared bodies reserve no memory, and time out when no data arrives', async () => {
  const open: Socket[] = [];
  for (const [count, length] of [
    [60, 5 * 1024 * 1024],
    [20, 16 * 1024 * 1024],
    [12, 17_000],
  ] as const)
    for (let i = 0; i < count; i++) open.push(await announce('/webhooks/open', length));
  for (const length of [1_000, 20_000, 200_000, 10_000_000]) {
    const response = await weft.call('POST', '/webhooks/open', { body: 'x'.repeat(length) });
    expect(response.status, response.text.slice(0, 200)).toBe(200);
  }
  await expect.poll(() => open.filter((socket) => !socket.closed).length, { timeout: 30_000 }).toBe(0);
  expect(responses).toHaveLength(open.length);
  for (const response of responses)
    expect(response).toMatch(/^HTTP\/1\.1 400 [^]*"field":"body","issue":"arrives too slowly/);
});
