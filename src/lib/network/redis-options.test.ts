import { createServer, type Server } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { createRedisOptions } from './redis-options.ts';

let server: Server | undefined;
let redis: Redis | undefined;
afterEach(() => {
  redis?.disconnect();
  server?.close();
});

test('a second error of a refused TLS connection does not end the process', async () => {
  // Without a certificate every handshake fails.
  server = createServer({});
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  redis = new Redis(`rediss://127.0.0.1:${port}`, {
    ...createRedisOptions(`rediss://127.0.0.1:${port}`, 2_000),
    retryStrategy: () => null,
  });
  const refused = await new Promise<Error>((resolve) => redis?.once('error', resolve));
  expect(refused.message).toMatch(/handshake failure/);
  expect(redis.stream.emit('error', new Error('a later alert'))).toBe(true);
});
