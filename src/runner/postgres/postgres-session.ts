import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { Client } from 'pg';
import type { SqlServer } from '../../contract/sql.ts';
import { limits } from '../../ports/limits.ts';
import { isPublicAddress } from '../address-ranges.ts';

/** From the open connection until the server takes statements, ms. */
const LOGIN_MS = 15_000;
/** How often the bytes that came are looked at, ms; the library itself reads a message of any length. */
const WATCH_MS = 100;
const MAX_BYTES_READ = 2 * limits.sqlBytes;

/** A connection that is logged in. */
export type Session = {
  client: Client;
  socket: Socket;
  /** Whether DISCARD ALL makes it as new: not where its settings were given as statements. */
  isReusable: boolean;
};

/**
 * Logs in over connections of `connect`, with the session's settings as options of the start, or, behind a pooler that
 * takes none, as statements. `timeout` in ms, or null: how long the server works on one statement.
 */
export async function openSession(
  server: SqlServer,
  timeout: number | null,
  connect: () => Promise<Socket>,
): Promise<Session> {
  const settings = settingsOf(timeout);
  // Loaded with the first statement, and before there is a connection: its end would be over before anybody listens.
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

/** Breaks the connection when more comes through it than a result may hold; the answer ends that and tells whether it did. */
export function watchBytes(socket: Socket): () => boolean {
  const before = socket.bytesRead;
  const isTooMuch = (): boolean => socket.bytesRead - before > MAX_BYTES_READ;
  const timer = setInterval(() => {
    if (isTooMuch()) socket.destroy();
  }, WATCH_MS);
  return () => {
    clearInterval(timer);
    return isTooMuch();
  };
}

/** Tells the server that nobody waits any more: on a connection of its own, and never answered (PostgreSQL 55.2.8). */
export function cancelOnServer({ client }: Session, connect: () => Promise<Socket>): void {
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

/** The forms that values come in, and an end of the statement even when this process is gone. */
function settingsOf(timeout: number | null): [string, string][] {
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
): Promise<{ client: Client; socket: Socket }> {
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
    // A function, so that no password file of this machine is read where there is none.
    password: () => password,
    options,
    application_name: 'weft',
    client_encoding: 'UTF8',
    connectionTimeoutMillis: LOGIN_MS,
    ssl: secure && {
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    },
    stream: () => asConnecting(socket),
  });
  // A connection that breaks while nothing runs must not end the process.
  client.on('error', () => {});
  const unwatch = watchBytes(socket);
  try {
    await client.connect();
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    unwatch();
  }
  return { client, socket };
}

/** The library connects its stream itself; this one stands already, to the address that was checked. */
function asConnecting(socket: Socket): Socket {
  return Object.assign(socket, {
    connect() {
      process.nextTick(() => socket.emit('connect'));
      return socket;
    },
  });
}
