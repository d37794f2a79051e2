import { once } from 'node:events';
import { connect } from 'node:net';
import type { IncomingMessage } from 'node:http';
import fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { limits } from '../../ports/limits.ts';
import { clock, listen } from '../../../test/support/servers/echo-server.ts';
import type { EventSink } from '../rest/route.ts';
import { createEventStreams } from './event-stream.ts';

let opened = 0;
let closed = 0;
let whileAdmitted = (_request: IncomingMessage): Promise<void> => Promise.resolve();
const metrics = {
  connectionOpened: () => {
    opened++;
    return () => void closed++;
  },
};
const streams = createEventStreams(clock, metrics as never);
const run = (sink: EventSink): Promise<void> => new Promise((resolve) => sink.onClose(resolve));
const app = fastify();
app.get('/events', { onRequest: ({ raw }) => whileAdmitted(raw) }, (request, reply) => {
  streams.serve({ run } as never, 'usr_1', request, reply);
  return reply;
});
afterAll(() => app.close());

test('a client that disconnects before its stream is served takes no place', async () => {
  const port = await listen(app);
  for (let i = 0; i <= limits.streamsPerUser; i++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    let admitted = (): void => {};
    const isAdmitted = new Promise<void>((resolve) => (admitted = resolve));
    whileAdmitted = async (request) => {
      socket.resetAndDestroy();
      await new Promise((resolve) => request.socket.once('close', resolve));
      admitted();
    };
    socket.write('GET /events HTTP/1.1\r\nHost: x\r\n\r\n');
    await Promise.all([once(socket, 'close'), isAdmitted]);
  }
  await expect.poll(() => closed).toBe(limits.streamsPerUser + 1);
  expect(opened).toBe(closed);
});
