import { afterEach, expect, test } from 'vitest';
import { ManualClock } from '../../../test/support/time/manual-clock.ts';
import {
  connectSocket,
  endSocketClients,
  type SocketClient,
} from '../../../test/support/websocket/websocket-client.ts';
import { openSocketServer, type SocketServer } from '../../../test/support/servers/websocket-server.ts';

let server: SocketServer;
afterEach(async () => {
  endSocketClients();
  await server.close();
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Text long enough to fill buffers quickly. */
const currentNode = 'n'.repeat(200);

async function connectClient(token: string): Promise<SocketClient> {
  const client = await connectSocket(server.url);
  await client.auth(token);
  return client;
}

test('with 100,000 events, a client that does not read is closed with 4429, a reading client gets all, and no buffer grows', async () => {
  server = await openSocketServer();
  const userId = await server.user();
  const { token } = await server.session(userId);
  const slow = await connectClient(token);
  const good = await connectClient(token);
  const [ofSlow, ofGood] = server.sockets;
  slow.socket.pause();
  const count = 100_000;
  let longest = 0;
  let most = 0;
  for (let i = 0; i < count; i += 250) {
    const began = performance.now();
    for (let j = i; j < i + 250; j++) server.publish(userId, { executionId: `ex_${j}`, currentNode });
    longest = Math.max(longest, performance.now() - began);
    // The reading client runs in this process too, so the event loop must be yielded to it.
    do await turn();
    while (good.messages.length < i - 1_000);
    most = Math.max(most, ofSlow!.bufferedAmount, ofGood!.bufferedAmount);
    // Once the client is closed, it may read the close frame.
    if (ofSlow!.readyState !== ofSlow!.OPEN) slow.socket.resume();
  }
  await good.next((message) => message.data?.['execution_id'] === `ex_${count - 1}`);
  expect(good.messages.filter(({ type }) => type === 'execution_update')).toHaveLength(count);
  // Publishing never waits for a socket.
  expect(longest).toBeLessThan(2_000);
  // One batch is passed to the socket; the rest waits in the send queue, up to 1 MiB in total.
  expect(most).toBeLessThanOrEqual(66_000);
  expect(await slow.closed()).toMatchObject({ code: 4429 });
  const received = slow.messages.filter(({ type }) => type === 'execution_update').length;
  expect(received).toBeGreaterThan(0);
  expect(received).toBeLessThan(count);
});

test('a client that reads nothing for 30 s is closed, even though its merged queue stays small', async () => {
  const clock = new ManualClock(Date.now());
  server = await openSocketServer({ clock });
  const userId = await server.user();
  const { token } = await server.session(userId);
  const slow = await connectClient(token);
  const good = await connectClient(token);
  slow.socket.pause();
  // More than the buffers of the network.
  for (let round = 0; round < 600; round++) {
    for (let j = 0; j < 100; j++)
      server.publish(userId, { executionId: `ex_${j}`, currentNode, progress: round / 600 });
    await turn();
    clock.advance(4);
    await turn();
  }
  server.publish(userId, { executionId: 'ex_0', progress: 1 });
  clock.advance(29_000);
  await good.next((message) => message.data?.['progress'] === 1);
  expect(slow.socket.readyState).toBe(slow.socket.OPEN);
  clock.advance(1_000);
  await turn();
  slow.socket.resume();
  expect(await slow.closed()).toMatchObject({ code: 4429 });
  expect(good.socket.readyState).toBe(good.socket.OPEN);
});

test('a client that resumes reading in time gets the last update of every execution', async () => {
  const clock = new ManualClock(Date.now());
  server = await openSocketServer({ clock });
  const userId = await server.user();
  const { token } = await server.session(userId);
  const client = await connectClient(token);
  client.socket.pause();
  const rounds = 600;
  for (let round = 0; round <= rounds; round++) {
    for (let j = 0; j < 100; j++)
      server.publish(userId, { executionId: `ex_${j}`, currentNode, progress: round / rounds });
    await turn();
    clock.advance(4);
  }
  client.socket.resume();
  for (let i = 0; i < 2_000 && client.messages.filter((m) => m.data?.['progress'] === 1).length < 100; i++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    clock.advance(4);
  }
  const last = new Map(client.messages.map((m) => [m.data?.['execution_id'], m.data?.['progress']]));
  last.delete(undefined);
  expect(last.size).toBe(100);
  expect([...last.values()].every((progress) => progress === 1)).toBe(true);
  const updates = client.messages.filter(({ type }) => type === 'execution_update').length;
  expect(updates).toBeLessThan(100 * rounds);
});

test('a client that sends messages without reading the responses is closed', async () => {
  const clock = new ManualClock(Date.now());
  server = await openSocketServer({ clock });
  const { token } = await server.session(await server.user());
  const client = await connectClient(token);
  const [socket] = server.sockets;
  client.socket.pause();
  // Each response has 60 KB, because the issue contains the field name.
  const big = JSON.stringify({ type: 'ping', ['x'.repeat(60_000)]: 1 });
  for (let i = 0; i < 400; i++) {
    client.send(big);
    clock.advance(50);
    await turn();
  }
  await expect.poll(() => socket!.readyState, { timeout: 30_000 }).not.toBe(socket!.OPEN);
  client.socket.resume();
  expect(await client.closed()).toMatchObject({ code: 4429 });
});
