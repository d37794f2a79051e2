import Database from 'better-sqlite3';
import { addVectorFunctions } from './vector-functions.ts';
import type { StatementResult, Transaction, Row, Scalar, Statement } from '../statement.ts';

/** In ms: how long a write waits while a foreign process has locked the database. */
const BUSY_TIMEOUT_MS = 5_000;
/** The size to which the file of the write-ahead log is truncated after a checkpoint. */
const KEPT_LOG_BYTES = 32 * 1024 * 1024;

/** A connection with its prepared statements. It is synchronous and belongs to the thread that opened it. */
export type Connection = {
  readonly db: Database.Database;
  /** Runs a transaction's statements within the open transaction. */
  readonly run: <T>(transaction: Transaction<T>) => T;
  /** Runs a statement without parameters and results. */
  readonly exec: (sql: string) => void;
};

/**
 * For the writer thread. Sets the pragmas on which durability depends and verifies them; throws when SQLite
 * rejects one.
 */
export function openForWriting(file: string): Connection {
  const db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  // Takes effect only while the database is empty: it decides whether the file can shrink.
  db.pragma('auto_vacuum = INCREMENTAL');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  db.pragma('wal_autocheckpoint = 0');
  db.pragma(`journal_size_limit = ${KEPT_LOG_BYTES}`);
  db.pragma('trusted_schema = OFF');
  const expected = { journal_mode: 'wal', synchronous: 2, auto_vacuum: 2 };
  for (const [name, value] of Object.entries(expected)) {
    const received: unknown = db.pragma(name, { simple: true });
    if (received !== value)
      throw new Error(`SQLite runs with ${name} = ${String(received)}, but ${value} is needed.`);
  }
  return createConnection(db);
}

/** For reads in any thread. */
export function openForReading(file: string, cacheKib: number): Connection {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  db.pragma(`cache_size = -${cacheKib}`);
  return createConnection(db);
}

function createConnection(db: Database.Database): Connection {
  addVectorFunctions(db);
  const prepared = new Map<string, Database.Statement<Scalar[], Row>>();
  const prepare = (sql: string): Database.Statement<Scalar[], Row> => {
    let found = prepared.get(sql);
    if (found === undefined) prepared.set(sql, (found = db.prepare<Scalar[], Row>(sql)));
    return found;
  };
  const one = (query: Database.Statement<Scalar[], Row>, params: readonly Scalar[]): StatementResult => {
    if (!query.reader) return { rows: [], changes: query.run(...params).changes };
    const rows = query.all(...params);
    return { rows, changes: rows.length };
  };
  const respond = (statement: Statement): StatementResult => {
    // There is a single writer, so no other transaction can interfere.
    if ('lock' in statement) return { rows: [], changes: 0 };
    const query = prepare(statement.sql);
    if ('params' in statement) return one(query, statement.params);
    const all: StatementResult = { rows: [], changes: 0 };
    for (const params of statement.each) {
      const { rows, changes } = one(query, params);
      for (const row of rows) all.rows.push(row);
      all.changes += changes;
    }
    return all;
  };
  return {
    db,
    exec: (sql) => void prepare(sql).run(),
    run: (transaction) => {
      let step = transaction.next();
      while (step.done !== true) step = transaction.next(step.value.map(respond));
      return step.value;
    },
  };
}
