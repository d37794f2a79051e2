import type { RedisCommand, RedisServer } from '../../contract/redis.ts';
import type { Json } from '../../lib/json/json.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import { httpFailure } from '../http/http-failure.ts';
import { createSessionRunner } from '../sessions/session-runner.ts';
import type { SentRequest, SessionRunner } from '../sessions/session-runner.ts';
import { createRedisFailure } from './redis-failure.ts';
import { readReply } from './redis-reply.ts';
import { openSession } from './redis-session.ts';
import type { RedisSession } from './redis-session.ts';

/**
 * Runs commands on Redis servers. Sessions are reused without a reset, because the callers send no commands
 * that change the state of a connection.
 */
export type RedisRunner = SessionRunner<RedisServer, RedisCommand, Json>;

export function createRedisRunner(clock: Pick<Clock, 'after'>): RedisRunner {
  return createSessionRunner(clock, {
    open: openSession,
    send: sendCommand,
    // Redis ends no command of another connection, and commands that wait are refused.
    cancel() {},
    reset: () => Promise.resolve(true),
    toFailure: createRedisFailure,
    createSizeFailure: () =>
      httpFailure('limit', `The reply has more than ${2 * limits.sqlBytes} bytes`, false),
  });
}

/** PING shows whether a session that waited is still open, so that a command is never sent twice. */
function sendCommand(session: RedisSession, [name, ...args]: RedisCommand): SentRequest<Json> {
  let hasResponded = false;
  async function run(): Promise<Json> {
    if (!session.isFresh) await session.client.callBuffer('PING');
    hasResponded = true;
    session.isFresh = false;
    return readReply(await session.client.callBuffer(name, ...args));
  }
  const result = run();
  // A caller that aborts does not wait for the result.
  result.catch(() => {});
  return { result, hadEffect: () => hasResponded };
}
