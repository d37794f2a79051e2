import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../../ports/clock.ts';
import { createSocketWriter, type SocketWriter } from './websocket-writer.ts';

const PIECE = 'x'.repeat(64 * 1024);

let server: WebSocketServer;
let client: WebSocket;
let ours: WebSocket;
let writer: SocketWriter;
let timers: { run: () => void; isCancelled: boolean }[];
let slow: number;

beforeEach(async () => {
  timers = [];
  slow = 0;
  server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  const connection = once(server, 'connection') as Promise<[WebSocket, { socket: Socket }]>;
  client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [socket, request] = await connection;
  ours = socket;
  await once(client, 'open');
  const clock: Clock = {
    now: () => 0,
    soon: (run) => void setImmediate(run),
    after(_ms, run) {
      const timer = { run, isCancelled: false };
      timers.push(timer);
      return () => void (timer.isCancelled = true);
    },
  };
  writer = createSocketWriter(ours, request.socket, clock, () => void slow++);
});
afterEach(() => {
  client.terminate();
  server.close();
});

/** Sends until the buffers of the client, which does not read, are full and `send` waits. */
async function fill(): Promise<{ sent: Promise<void> }> {
  for (;;) {
    const sent = writer.send(PIECE);
    let isDone = false;
    void sent.then(() => (isDone = true));
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (!isDone) return { sent };
  }
}

test('a writer waits for a slow client and resumes when its buffer has space', async () => {
  client.pause();
  const { sent } = await fill();
  // At most one message more than the limit is buffered, however many are published.
  expect(ours.bufferedAmount).toBeLessThan(4 * PIECE.length);
  client.resume();
  await sent;
  expect(slow).toBe(0);
  expect(timers.every((timer) => timer.isCancelled)).toBe(true);
});

test('a client that reads nothing is disconnected, and waiting writers are released', async () => {
  client.pause();
  const { sent } = await fill();
  timers.find((timer) => !timer.isCancelled)?.run();
  expect(slow).toBe(1);
  writer.close();
  await sent;
});
