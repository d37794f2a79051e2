import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { HttpFailure } from '../../contract/node-type.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import { ConnectionLimit } from '../http/connection-limit.ts';
import { httpFailure } from '../http/http-failure.ts';
import { endSession, IdleSessionPool } from './idle-session-pool.ts';
import type { Session } from './idle-session-pool.ts';
import type { DatabaseServer } from '../../contract/sql.ts';
import { limitReceivedBytes } from './received-bytes.ts';

/** Timeout of the connection that cancels a request. */
const CANCEL_TIMEOUT_MS = 5_000;
/** Timeout of a session reset. */
const RESET_TIMEOUT_MS = 2_000;

/** The part of an attempt that a request needs; `timeout` in ms. */
export type SessionAttempt = {
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

/** A request that was sent. `hadEffect()` false: the server cannot have executed any of it. */
export type SentRequest<Result> = { readonly result: Promise<Result>; hadEffect(): boolean };

/** The protocol of a kind of server. */
export type SessionDriver<To extends DatabaseServer, Request, Result, S extends Session> = {
  /** Authenticates. `timeout` in ms, or null, limits each request on the server. */
  open(server: To, timeout: number | null, connect: () => Promise<Socket>): Promise<S>;
  send(session: S, request: Request): SentRequest<Result>;
  /** Ends a running request on the server over another connection. */
  cancel(session: S, server: To, connect: () => Promise<Socket>): void;
  /** Removes the state of earlier requests. Resolves with whether the session can be reused. */
  reset(session: S, server: To): Promise<boolean>;
  toFailure(server: string, error: unknown): HttpFailure;
  /** The failure when the server sends more bytes than a result may have. */
  createSizeFailure(): HttpFailure;
};

/**
 * Runs requests on servers over connections opened by the egress client. Sessions are reused by the same
 * owner with the same credentials after a reset, so that no state is left over. The number of connections per
 * user of a database is limited. Rejects with HttpFailure only.
 */
export type SessionRunner<To extends DatabaseServer, Request, Result> = {
  query(server: To, request: Request, attempt: SessionAttempt): Promise<Result>;
  close(): void;
};

export function createSessionRunner<To extends DatabaseServer, Request, Result, S extends Session>(
  clock: Pick<Clock, 'after'>,
  driver: SessionDriver<To, Request, Result, S>,
): SessionRunner<To, Request, Result> {
  const slots = new ConnectionLimit(limits.sqlConnections);
  const idle = new IdleSessionPool<S>(clock);
  let isClosed = false;

  /**
   * Runs on an idle session, which may be closed by now. If the server executed nothing, a new session may
   * retry.
   */
  async function runOnAny(server: To, request: Request, attempt: SessionAttempt): Promise<Result> {
    if (attempt.signal.aborted) throw createAbortFailure();
    const key = createSessionKey(server, attempt);
    const waiting = idle.take(key);
    if (waiting !== null) {
      const sent = driver.send(waiting, request);
      try {
        return await runOn(waiting, sent, server, attempt, key);
      } catch (error) {
        if (sent.hadEffect() || attempt.signal.aborted) throw error;
      }
    }
    const location = createServerKey(server);
    idle.trim(location, limits.sqlConnections - slots.countOccupied(location));
    const end = new AbortController();
    const onAbort = (): void => end.abort();
    attempt.signal.addEventListener('abort', onAbort, { once: true });
    const session = await driver
      .open(server, attempt.timeout, () => attempt.connect(server, end.signal))
      .finally(() => attempt.signal.removeEventListener('abort', onAbort));
    if (attempt.signal.aborted) {
      session.socket.destroy();
      throw createAbortFailure();
    }
    return runOn(session, driver.send(session, request), server, attempt, key);
  }

  async function runOn(
    session: S,
    sent: SentRequest<Result>,
    server: To,
    attempt: SessionAttempt,
    key: string,
  ): Promise<Result> {
    const { socket } = session;
    const { signal } = attempt;
    const onAbort = (): void => {
      driver.cancel(session, server, () => attempt.connect(server, AbortSignal.timeout(CANCEL_TIMEOUT_MS)));
      socket.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const unwatch = limitReceivedBytes(socket);
    try {
      const result = await sent.result;
      unwatch();
      signal.removeEventListener('abort', onAbort);
      await giveBack(session, key, server);
      return result;
    } catch (error) {
      signal.removeEventListener('abort', onAbort);
      const isTooMuch = unwatch();
      // An unfinished transaction is rolled back when the connection closes.
      socket.destroy();
      throw isTooMuch ? driver.createSizeFailure() : error;
    }
  }

  /** Resets the session before it can be reused. The connection slot is occupied until then. */
  async function giveBack(session: S, key: string, server: To): Promise<void> {
    if (isClosed) return endSession(session);
    const cancel = clock.after(RESET_TIMEOUT_MS, () => session.socket.destroy());
    try {
      const isReusable = await driver.reset(session, server);
      if (isClosed || !isReusable) endSession(session);
      else idle.keep(key, createServerKey(server), session);
    } catch {
      session.socket.destroy();
    } finally {
      cancel();
    }
  }

  return {
    async query(server, request, attempt) {
      attempt.check(server);
      const free = await slots.acquire(createServerKey(server), attempt.signal);
      try {
        return await runOnAny(server, request, attempt);
      } catch (error) {
        throw driver.toFailure(`${server.host}:${server.port}`, error);
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
function createServerKey({ host, port, user, database }: DatabaseServer): string {
  return JSON.stringify([host, port, user, database]);
}

/** The key of a reusable session. Hashed, so that a password is not kept as a map key. */
function createSessionKey(server: DatabaseServer, { ownerId, timeout }: SessionAttempt): string {
  const { host, port, database, user, password, tls } = server;
  const parts = JSON.stringify([ownerId, host, port, database, user, password, tls, timeout]);
  return createHash('sha256').update(parts).digest('base64');
}

function createAbortFailure(): HttpFailure {
  return httpFailure('timeout', 'The attempt has ended');
}
