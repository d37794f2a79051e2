import type { FieldPacket, PrepareStatementInfo, ResultSetHeader } from 'mysql2';
import type { SqlResult, SqlStatement } from '../../contract/sql.ts';
import type { Json } from '../../lib/json/json.ts';
import { limits } from '../../ports/limits.ts';
import { httpFailure } from '../http/http-failure.ts';
import type { SentRequest } from '../sessions/session-runner.ts';
import { runCommand } from './mysql-session.ts';
import type { MysqlSession } from './mysql-session.ts';
import { readValue, typeName, writeValue } from './mysql-types.ts';

/** The size of a number in a result, in bytes. */
const NUMBER_BYTES = 8;

/**
 * Runs one statement as a prepared statement in a transaction: the server accepts only one statement, and
 * values are never part of the SQL text. COMMIT is sent only after all rows have arrived and are within the
 * limits.
 */
export function sendStatement(session: MysqlSession, statement: SqlStatement): SentRequest<SqlResult> {
  let hasResponded = false;
  async function run(): Promise<SqlResult> {
    const { connection } = session;
    await runCommand(session, (done) => connection.query('START TRANSACTION', done));
    hasResponded = true;
    const prepared = await prepare(session, statement.text);
    try {
      const count = countParameters(prepared);
      if (statement.values.length !== count)
        throw httpFailure(
          'validation',
          `parameters: the query has ${count} parameters (?), but ${statement.values.length} values are set`,
          false,
        );
      const result = await execute(session, prepared, statement);
      await runCommand(session, (done) => connection.query('COMMIT', done));
      return result;
    } finally {
      connection.unprepare(statement.text);
    }
  }
  const result = run();
  // A caller that aborts does not wait for the result.
  result.catch(() => {});
  return { result, hadEffect: () => hasResponded };
}

async function prepare(session: MysqlSession, text: string): Promise<PrepareStatementInfo> {
  let prepared: PrepareStatementInfo | null = null;
  await runCommand(session, (done) =>
    session.connection.prepare(text, (error, statement) => {
      prepared = statement;
      done(error);
    }),
  );
  return prepared as unknown as PrepareStatementInfo;
}

function countParameters(prepared: PrepareStatementInfo): number {
  const { parameters } = prepared as unknown as { parameters: readonly unknown[] };
  return parameters.length;
}

/** Collects the rows while they arrive, so that a result of any size can be refused. */
function execute(
  { connection }: MysqlSession,
  prepared: PrepareStatementInfo,
  { values, maxRows }: SqlStatement,
): Promise<SqlResult> {
  return new Promise((resolve, reject) => {
    const rows: SqlResult['rows'] = [];
    let columns: SqlResult['fields'] | null = null;
    let header: ResultSetHeader | null = null;
    let bytes = 0;
    let isRefused = false;
    const refuse = (error: unknown): void => {
      if (isRefused) return;
      isRefused = true;
      connection.off('error', refuse);
      reject(error);
    };
    /** The library treats an error of a listener as one of the connection. */
    const guard =
      <T extends unknown[]>(listener: (...args: T) => void) =>
      (...args: T): void => {
        if (isRefused) return;
        try {
          listener(...args);
        } catch (error) {
          refuse(error);
        }
      };

    function addRow(row: readonly unknown[]): void {
      if (rows.length === maxRows)
        throw httpFailure(
          'limit',
          `The query returns more than ${maxRows} rows (max_rows); nothing was changed`,
          false,
        );
      const entries = (columns ?? []).map(({ name, type }, i): [string, Json] => {
        const value = row[i];
        bytes +=
          name.length + (typeof value === 'string' || Buffer.isBuffer(value) ? value.length : NUMBER_BYTES);
        return [name, readValue(type, value)];
      });
      if (bytes > limits.sqlBytes)
        throw httpFailure(
          'limit',
          `The query returns more than ${limits.sqlBytes} bytes; nothing was changed`,
          false,
        );
      rows.push(Object.fromEntries(entries));
    }

    connection.once('error', refuse);
    const running = prepared.execute(values.map(writeValue) as never, undefined as never) as unknown as {
      on(name: string, listener: (...args: never[]) => void): void;
    };
    running.on('error', refuse);
    running.on(
      'fields',
      guard((fields: readonly FieldPacket[] | undefined) => {
        if (fields === undefined) return;
        if (columns !== null)
          throw httpFailure('validation', 'query: must return one result, not several', false);
        const names = fields.map(({ name }) => name);
        const twice = names.find((name, i) => names.indexOf(name) !== i);
        if (twice !== undefined)
          throw httpFailure('validation', `query: two columns are named ${twice}; rename one with AS`, false);
        columns = fields.map((field) => ({ name: field.name, type: typeName(field) }));
      }),
    );
    running.on(
      'result',
      guard((row: readonly unknown[] | ResultSetHeader) => {
        if (Array.isArray(row)) addRow(row);
        else header = row as ResultSetHeader;
      }),
    );
    running.on(
      'end',
      guard(() => {
        connection.off('error', refuse);
        const id = String(header?.insertId ?? 0);
        resolve({
          rows,
          row_count: columns === null ? (header?.affectedRows ?? 0) : rows.length,
          fields: columns ?? [],
          insert_id: id === '0' ? null : id,
        });
      }),
    );
  });
}
