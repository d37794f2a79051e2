import type { SqlResult, SqlServer, SqlStatement } from '../../contract/sql.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import { httpFailure } from '../http/http-failure.ts';
import { createSessionRunner } from '../sessions/session-runner.ts';
import type { SessionRunner } from '../sessions/session-runner.ts';
import { createPostgresFailure } from './postgres-failure.ts';
import { cancelOnServer, openSession } from './postgres-session.ts';
import { PostgresStatement } from './postgres-statement.ts';

/** Runs statements on PostgreSQL servers. Sessions are reused after DISCARD ALL. */
export type Postgres = SessionRunner<SqlServer, SqlStatement, SqlResult>;

export function createPostgres(clock: Pick<Clock, 'after'>): Postgres {
  return createSessionRunner(clock, {
    open: openSession,
    send({ client }, statement) {
      const sent = new PostgresStatement(statement);
      client.query(sent as never);
      // Without Sync nothing was committed, and Sync is only sent after a response of the server.
      return { result: sent.result, hadEffect: () => sent.hasResponded };
    },
    cancel: (session, _server, connect) => cancelOnServer(session, connect),
    async reset({ client, isReusable }) {
      if (!isReusable || client.getTransactionStatus() !== 'I') return false;
      await client.query('DISCARD ALL');
      return true;
    },
    toFailure: createPostgresFailure,
    createSizeFailure: () =>
      httpFailure(
        'limit',
        `The query returns more than ${limits.sqlBytes} bytes; nothing was changed`,
        false,
      ),
  });
}
