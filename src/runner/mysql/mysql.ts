import type { SqlResult, SqlServer, SqlStatement } from '../../contract/sql.ts';
import type { Clock } from '../../ports/clock.ts';
import { limits } from '../../ports/limits.ts';
import { httpFailure } from '../http/http-failure.ts';
import { createSessionRunner } from '../sessions/session-runner.ts';
import type { SessionRunner } from '../sessions/session-runner.ts';
import { createMysqlFailure } from './mysql-failure.ts';
import { cancelOnServer, openSession, resetSession } from './mysql-session.ts';
import { sendStatement } from './mysql-statement.ts';

/** Runs statements on MySQL and MariaDB servers. Sessions are reused after a change of the user to itself. */
export type Mysql = SessionRunner<SqlServer, SqlStatement, SqlResult>;

export function createMysql(clock: Pick<Clock, 'after'>): Mysql {
  return createSessionRunner(clock, {
    open: openSession,
    send: sendStatement,
    cancel: cancelOnServer,
    async reset(session, server) {
      await resetSession(session, server);
      return true;
    },
    toFailure: createMysqlFailure,
    createSizeFailure: () =>
      httpFailure(
        'limit',
        `The query returns more than ${limits.sqlBytes} bytes; nothing was changed`,
        false,
      ),
  });
}
