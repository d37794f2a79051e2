import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { Client } from 'pg';
import type { SqlServer } from '../../contract/sql.ts';
import { isPublicAddress } from '../address-ranges.ts';
import type { Session } from '../sessions/idle-session-pool.ts';
import { limitReceivedBytes } from '../sessions/received-bytes.ts';

/** Timeout from the open connection until the server accepts statements. */
const LOGIN_TIMEOUT_MS = 15_000;

/** An authenticated connection. */
export type PostgresSession = Session & {
  client: Client;
  /** Whether DISCARD ALL resets the session; false if its settings were given as statements. */
  isReusable: boolean;
};

/**
 * Authenticates over a connection of `connect`. Session settings are sent as startup options, or as
 * statements if a connection pooler rejects those. `timeout` in ms, or null, limits each statement on the
 * server.
 */
export async function openSession(
  server: SqlServer,
  timeout: number | null,
  connect: () => Promise<Socket>,
): Promise<PostgresSession> {
  const settings = createSettings(timeout);
  // Loaded with the first statement, and before the connection is opened, so that its events are not missed.
  await import('pg');
  try {
    const options = settings.map(([name, value]) => `-c ${name}=${value}`).join(' ');
    return { ...(await login(server, await connect(), options)), isReusable: true };
  } catch (error) {
    if (!/unsupported startup parameter/.test((error as Error).message)) throw error;
    const session = await login(server, await connect(), ' ');
    await session.client.query(settings.map(([name, value]) => `SET ${name} = '${value}'`).join('; '));
    return { ...session, isReusable: false };
  }
}

/** Sends a cancel request on a separate connection; the server never replies to it (PostgreSQL 55.2.8). */
export function cancelOnServer({ client }: PostgresSession, connect: () => Promise<Socket>): void {
  const { processID, secretKey } = client as unknown as {
    processID: number | null;
    secretKey: number | null;
  };
  if (processID === null || secretKey === null) return;
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(80_877_102, 4);
  message.writeInt32BE(processID, 8);
  message.writeInt32BE(secretKey, 12);
  connect().then(
    (socket) => {
      socket.on('error', () => {});
      socket.end(message);
      socket.resume();
    },
    () => {},
  );
}

/** Settings for the output format, and a statement timeout that holds even if this process ends. */
function createSettings(timeout: number | null): [string, string][] {
  return [
    ['DateStyle', 'ISO'],
    ['IntervalStyle', 'iso_8601'],
    ['TimeZone', 'UTC'],
    ['bytea_output', 'hex'],
    ['extra_float_digits', '1'],
    ...(timeout === null
      ? []
      : [['statement_timeout', String(Math.ceil(timeout))] satisfies [string, string]]),
  ];
}

async function login(
  server: SqlServer,
  socket: Socket,
  options: string,
): Promise<Omit<PostgresSession, 'isReusable'>> {
  const { default: pg } = await import('pg');
  if (socket.destroyed || socket.readableEnded)
    throw Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' });
  const { host, port, database, user, password } = server;
  const secure = server.tls ?? isPublicAddress(socket.remoteAddress ?? '');
  const client = new pg.Client({
    host,
    port,
    database,
    user,
    // A function, so that the library does not read a password file of this machine if there is no password.
    password: () => password,
    options,
    application_name: 'weft',
    client_encoding: 'UTF8',
    connectionTimeoutMillis: LOGIN_TIMEOUT_MS,
    ssl: secure && {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    },
    stream: () => asConnecting(socket),
  });
  // A connection error while no statement runs must not end the process.
  client.on('error', () => {});
  const unwatch = limitReceivedBytes(socket);
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    unwatch();
  }
  return { client, socket, end: () => void client.end().catch(() => {}) };
}

/** Adapts an open socket to a checked address, because the library expects to connect it. */
function asConnecting(socket: Socket): Socket {
  return Object.assign(socket, {
    connect() {
      process.nextTick(() => socket.emit('connect'));
      return socket;
    },
  });
}
