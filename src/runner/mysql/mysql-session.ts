import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { Connection } from 'mysql2';
import type { SqlServer } from '../../contract/sql.ts';
import { isPublicAddress } from '../address-ranges.ts';
import { httpFailure } from '../http/http-failure.ts';
import type { Session } from '../sessions/idle-session-pool.ts';
import { limitReceivedBytes } from '../sessions/received-bytes.ts';

/** Timeout from the open connection until the server accepts statements. */
const LOGIN_TIMEOUT_MS = 15_000;

/** An authenticated connection. `settings` is the statement that sets what a session must not inherit. */
export type MysqlSession = Session & { connection: Connection; settings: string };

type Callback = (error: unknown) => void;

/** Authenticates over a connection of `connect`. `timeout` in ms, or null, limits each statement. */
export async function openSession(
  server: SqlServer,
  timeout: number | null,
  connect: () => Promise<Socket>,
): Promise<MysqlSession> {
  // Loaded with the first statement, and before the connection is opened, so that its events are not missed.
  const { default: mysql } = await import('mysql2');
  const socket = await connect();
  if (socket.destroyed || socket.readableEnded)
    throw Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' });
  const secure = server.tls ?? isPublicAddress(socket.remoteAddress ?? '');
  if (secure && isIP(server.host) !== 0) {
    socket.destroy();
    // The library compares the certificate with a name, never with an address.
    throw httpFailure(
      'validation',
      `TLS requires the name of the server, not the address ${server.host}; use a name in the credentials, or ?sslmode=disable`,
      false,
    );
  }
  const unwatch = limitReceivedBytes(socket);
  try {
    const connection = mysql.createConnection({
      host: server.host,
      port: server.port,
      user: server.user,
      password: server.password,
      database: server.database,
      stream: () => socket,
      connectTimeout: LOGIN_TIMEOUT_MS,
      charset: 'utf8mb4',
      ...(secure ? { ssl: { minVersion: 'TLSv1.2', rejectUnauthorized: true, verifyIdentity: true } } : {}),
      flags: ['-LOCAL_FILES'],
      connectAttributes: { program_name: 'weft' },
      // Code is not generated from the columns of a result.
      disableEval: true,
      rowsAsArray: true,
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      jsonStrings: true,
      typeCast: (field, next) =>
        field.type === 'GEOMETRY' || field.type === ('VECTOR' as string) ? field.buffer() : next(),
    });
    // A connection error while no statement runs must not end the process.
    connection.on('error', () => {});
    await new Promise<void>((resolve, reject) => {
      connection.connect((error) => (error === null ? resolve() : reject(error)));
    });
    const session: MysqlSession = {
      connection,
      socket,
      settings: createSettings(timeout),
      end: () => connection.end(() => {}),
    };
    await runCommand(session, (done) => connection.query(session.settings, done));
    return session;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    unwatch();
  }
}

/** Removes all state of the session, including its database and roles. */
export async function resetSession(session: MysqlSession, server: SqlServer): Promise<void> {
  const { user, password, database } = server;
  await runCommand(session, (done) => session.connection.changeUser({ user, password, database }, done));
  await runCommand(session, (done) => session.connection.query(session.settings, done));
}

/** Ends a session and its statement over another connection. */
export function cancelOnServer(
  { connection }: MysqlSession,
  server: SqlServer,
  connect: () => Promise<Socket>,
): void {
  openSession(server, null, connect).then(
    async (session) => {
      await runCommand(session, (done) =>
        session.connection.query(`KILL ${connection.threadId}`, done),
      ).catch(() => {});
      session.socket.destroy();
    },
    () => {},
  );
}

/** Runs a command of the library, which reports a broken connection either to the command or as an event. */
export function runCommand({ connection }: MysqlSession, run: (done: Callback) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.once('error', reject);
    run((error) => {
      connection.off('error', reject);
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}

/**
 * The time zone of timestamps, and a statement timeout that holds even if this process ends: for every
 * statement of MariaDB in s, for reads of MySQL in ms. Each server skips the other's comment.
 */
function createSettings(timeout: number | null): string {
  const limit = Math.ceil(timeout ?? 0);
  return `SET SESSION time_zone = '+00:00'${
    limit === 0
      ? ''
      : ` /*M! , max_statement_time = ${limit / 1_000} */ /*!50708 , max_execution_time = ${limit} */`
  }`;
}
