import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { SqlResult, SqlServer, SqlStatement } from '../../contract/sql.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import { ConnectionLimit } from '../http/connection-limit.ts';
import { httpFailure } from '../http/http-failure.ts';
import { endSession, IdleSessionPool } from '../http/idle-session-pool.ts';
import { postgresFailure } from './postgres-failure.ts';
import { cancelOnServer, openSession, limitReceivedBytes } from './postgres-session.ts';
import type { Session } from './postgres-session.ts';
import { PostgresStatement } from './postgres-statement.ts';

/** Timeout of a cancel request. */
const CANCEL_TIMEOUT_MS = 5_000;
/** Timeout of a session reset. */
const RESET_TIMEOUT_MS = 2_000;

/** The part of an attempt that a statement needs; `timeout` in ms. */
export type SqlAttempt = {
  ownerId: string;
  signal: AbortSignal;
  timeout: number | null;
  /** Throws if the secrets of the attempt must not be sent to this host. */
  check(to: { host: string; port: number }): void;
  /**
   * Connects through the egress client. The connection is closed by `signal`, not by the end of the attempt.
   */
  connect(to: { host: string; port: number }, signal: AbortSignal): Promise<Socket>;
};

/**
 * Runs statements on PostgreSQL servers over connections opened by the egress client. Sessions are reused by
 * the same owner with the same credentials after DISCARD ALL, so that no state is left over. The number of
 * connections per database user is limited. Rejects with HttpFailure only.
 */
export type Postgres = {
  query(server: SqlServer, statement: SqlStatement, attempt: SqlAttempt): Promise<SqlResult>;
  close(): void;
};

export function createPostgres(clock: Pick<Clock, 'after'>): Postgres {
  const slots = new ConnectionLimit(limits.sqlConnections);
  const idle = new IdleSessionPool(clock);
  let isClosed = false;

  /**
   * Runs on an idle session, which may be closed by now. Without Sync nothing was executed, so a new session
   * may retry.
   */
  async function runOnAny(
    server: SqlServer,
    statement: SqlStatement,
    attempt: SqlAttempt,
  ): Promise<SqlResult> {
    const key = createSessionKey(server, attempt);
    const waiting = idle.take(key);
    if (waiting !== null) {
      const sent = new PostgresStatement(statement);
      try {
        return await runOn(waiting, sent, server, attempt, key);
      } catch (error) {
        const isBroken = !sent.wasAnswered && !attempt.signal.aborted;
        if (!isBroken) throw error;
      }
    }
    const location = createServerKey(server);
    idle.trim(location, limits.sqlConnections - slots.taken(location));
    const end = new AbortController();
    const onAbort = (): void => end.abort();
    attempt.signal.addEventListener('abort', onAbort, { once: true });
    const session = await openSession(server, attempt.timeout, () =>
      attempt.connect(server, end.signal),
    ).finally(() => attempt.signal.removeEventListener('abort', onAbort));
    return runOn(session, new PostgresStatement(statement), server, attempt, key);
  }

  async function runOn(
    session: Session,
    sent: PostgresStatement,
    server: SqlServer,
    attempt: SqlAttempt,
    key: string,
  ): Promise<SqlResult> {
    const { client, socket } = session;
    const { signal } = attempt;
    const onAbort = (): void => {
      cancelOnServer(session, () => attempt.connect(server, AbortSignal.timeout(CANCEL_TIMEOUT_MS)));
      socket.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const unwatch = limitReceivedBytes(socket);
    try {
      if (signal.aborted) throw httpFailure('timeout', 'The attempt has ended');
      client.query(sent as never);
      const result = await sent.result;
      unwatch();
      signal.removeEventListener('abort', onAbort);
      await giveBack(session, key, createServerKey(server));
      return result;
    } catch (error) {
      signal.removeEventListener('abort', onAbort);
      const isTooMuch = unwatch();
      // Without Sync nothing was committed, and closing the connection rolls it back.
      socket.destroy();
      throw isTooMuch ? createLimitError() : error;
    }
  }

  /** Resets the session before it can be reused. The connection slot is occupied until then. */
  async function giveBack(session: Session, key: string, location: string): Promise<void> {
    const isInTransaction = session.client.getTransactionStatus() !== 'I';
    if (!session.isReusable || isInTransaction || isClosed) return endSession(session);
    const cancel = clock.after(RESET_TIMEOUT_MS, () => session.socket.destroy());
    try {
      await session.client.query('DISCARD ALL');
      if (isClosed) endSession(session);
      else idle.keep(key, location, session);
    } catch {
      session.socket.destroy();
    } finally {
      cancel();
    }
  }

  return {
    async query(server, statement, attempt) {
      attempt.check(server);
      const free = await slots.acquire(createServerKey(server), attempt.signal);
      try {
        return await runOnAny(server, statement, attempt);
      } catch (error) {
        throw postgresFailure(`${server.host}:${server.port}`, error);
      } finally {
        free();
      }
    },
    close() {
      isClosed = true;
      idle.close();
    },
  };
}

/** The key of a server's connection limit. */
function createServerKey({ host, port, user, database }: SqlServer): string {
  return JSON.stringify([host, port, user, database]);
}

/** The key of a reusable session. Hashed, so that a password is not kept as a map key. */
function createSessionKey(server: SqlServer, { ownerId, timeout }: SqlAttempt): string {
  const { host, port, database, user, password, tls } = server;
  const parts = JSON.stringify([ownerId, host, port, database, user, password, tls, timeout]);
  return createHash('sha256').update(parts).digest('base64');
}

function createLimitError(): Error {
  return httpFailure(
    'limit',
    `The query returns more than ${limits.sqlBytes} bytes; nothing was changed`,
    false,
  );
}
