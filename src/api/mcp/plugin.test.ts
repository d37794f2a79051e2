import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { limits } from '../../ports/limits.ts';
import { listen } from '../../../test/support/servers/echo-server.ts';
import { mcpPlugin, type McpPluginOptions } from './plugin.ts';

const principal = { userId: 'usr_1', scopes: null };
let watched = 0;
/** Called while a request is admitted. */
let whileAdmitted = (_request: IncomingMessage): Promise<void> => Promise.resolve();

const app = fastify();
app.register((scope, _options, done) => {
  scope.decorateRequest('principal', null);
  mcpPlugin({
    admission: {
      admit: (request: IncomingMessage) => whileAdmitted(request).then(() => ({ principal, rate: null })),
      count: () => null,
    },
    credentials: {
      watch: () => {
        watched++;
        return () => void watched--;
      },
    },
    services: {},
    version: '1.0.0',
    baseUrl: () => 'http://127.0.0.1/v1',
    onError() {},
  } as unknown as McpPluginOptions)(scope);
  done();
});
afterAll(() => app.close());

test('a client that disconnects while its request is admitted takes no place', async () => {
  const port = await listen(app);
  let disconnected = 0;
  for (let i = 0; i <= limits.mcpRequestsPerUser; i++) {
    const socket = connect(port, '127.0.0.1');
    let admitted = (): void => {};
    const isAdmitted = new Promise<void>((resolve) => (admitted = resolve));
    whileAdmitted = async (request) => {
      socket.resetAndDestroy();
      // It may report an error before.
      await new Promise((resolve) => request.socket.once('close', resolve));
      disconnected++;
      admitted();
    };
    socket.on('error', () => {});
    socket.write('GET /v1/mcp HTTP/1.1\r\nHost: x\r\n\r\n');
    await Promise.all([once(socket, 'close'), isAdmitted]);
  }
  expect(disconnected).toBe(limits.mcpRequestsPerUser + 1);
  whileAdmitted = () => Promise.resolve();
  const response = await fetch(`http://127.0.0.1:${port}/v1/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  expect(response.status).toBe(200);
  await response.text();
  await expect.poll(() => watched).toBe(0);
});
