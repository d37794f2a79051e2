import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Redis } from 'ioredis';
import type { RedisServer } from '../../contract/redis.ts';
import { isPublicAddress } from '../address-ranges.ts';
import type { Session } from '../sessions/idle-session-pool.ts';
import { limitReceivedBytes } from '../sessions/received-bytes.ts';

/** Timeout from the open connection until the server accepts commands. */
const LOGIN_TIMEOUT_MS = 15_000;

/** An authenticated connection. */
export type RedisSession = Session & { client: Redis; isFresh: boolean };

/** Authenticates over a connection of `connect` and selects the database. */
export async function openSession(
  server: RedisServer,
  _timeout: number | null,
  connect: () => Promise<Socket>,
): Promise<RedisSession> {
  // Loaded with the first command, and before the connection is opened, so that its events are not missed.
  const { createClient } = await import('./redis-client.ts');
  const socket = await connect();
  const unwatch = limitReceivedBytes(socket);
  const timer = setTimeout(
    () => socket.destroy(Object.assign(new Error('The login took too long'), { code: 'ETIMEDOUT' })),
    LOGIN_TIMEOUT_MS,
  );
  let failed: Error | null = null;
  const noteFailure = (error: Error): void => {
    failed ??= error;
  };
  socket.on('error', noteFailure);
  try {
    if (socket.destroyed || socket.readableEnded) throw createClosedError();
    const stream =
      (server.tls ?? isPublicAddress(socket.remoteAddress ?? ''))
        ? await secure(socket, server.host)
        : socket;
    stream.on('error', noteFailure);
    const client = createClient(stream);
    client.on('error', noteFailure);
    await client.connect();
    const { user, password, database } = server;
    if (user !== '') await client.callBuffer('AUTH', user, password);
    else if (password !== '') await client.callBuffer('AUTH', password);
    if (database !== '0') await client.callBuffer('SELECT', database);
    return { client, socket, isFresh: true, end: () => client.disconnect() };
  } catch (error) {
    socket.destroy();
    // The library reports only that the connection is closed.
    throw failed ?? error;
  } finally {
    clearTimeout(timer);
    unwatch();
  }
}

function secure(socket: Socket, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const stream = connectTls({
      socket,
      host,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    });
    stream.once('secureConnect', () => resolve(stream));
    // A TLS socket can emit more than one error.
    stream.on('error', reject);
    stream.once('close', () => reject(createClosedError()));
  });
}

function createClosedError(): Error {
  return Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' });
}
