import { randomUUID } from 'node:crypto';
import { encodeColumn, type ColumnKind } from '../postgres/binary-array.ts';
import { createRetries } from '../postgres/retry.ts';
import { openConnection, type Connection } from '../postgres/connection.ts';
import { openBlobStore, type BlobStore } from '../postgres/blob-store.ts';
import { migrate } from '../postgres/migrate.ts';
import { MOVE_KEY, withExclusiveAccess } from '../postgres/process-lock.ts';
import { createPool } from '../postgres/pool.ts';
import { checkServer } from '../postgres/server-check.ts';
import { openSession } from '../postgres/transaction.ts';
import type { Scalar } from '../statement.ts';
import { addRows } from './checksum.ts';
import type { SourceTable } from './source.ts';

/** In ms: how long one step waits for an unavailable database. */
const RECONNECT_TIMEOUT_MS = 60_000;
/** Rows per read of the verification, and its time limit in ms. */
const READ_ROWS = 2_000;
const READ_TIMEOUT_MS = 600_000;

/** The progress of a table: the last copied row, the number of rows, and their checksum. */
export type TableState = { readonly last: number; readonly rows: number; readonly sum: bigint };

/** The database into which the data is moved. */
export type Target = {
  readonly files: BlobStore;
  readState(table: string): Promise<TableState>;
  /** Writes rows together with the table's progress after them. */
  add(table: SourceTable, rows: readonly Scalar[][], state: TableState): Promise<void>;
  /** Reads a whole table back. */
  read(table: SourceTable, read: (rows: number) => void): Promise<{ rows: number; sum: bigint }>;
  finish(): Promise<void>;
};

const CREATE = `CREATE TABLE IF NOT EXISTS moving (name TEXT PRIMARY KEY, last BIGINT NOT NULL, rows BIGINT NOT NULL,
  sum TEXT NOT NULL)`;
const START = `INSERT INTO meta (name, value) VALUES ('${MOVE_KEY}', $1)`;
const NOT_EMPTY = `SELECT 1 FROM users UNION ALL SELECT 1 FROM workflows UNION ALL SELECT 1 FROM executions LIMIT 1`;

/** The tables whose rows the database numbers. */
const LIST_NUMBERED = `SELECT table_name::text AS name FROM information_schema.columns
  WHERE table_schema = current_schema() AND column_name = 'number' AND is_identity = 'YES'`;
/** Numbers new rows after the copied ones. */
const continueNumbers = (table: string): string =>
  `SELECT setval(pg_get_serial_sequence('${table}', 'number'), (SELECT coalesce(max(number), 0) + 1 FROM ${table}), false)`;

/**
 * Opens a database that is empty, or that contains an unfinished move of the same folder, and runs `move`
 * while no service can start on it. Throws an error that the CLI can print when it is neither.
 */
export async function withTarget<T>(
  url: string,
  fingerprint: string,
  now: () => number,
  move: (target: Target) => Promise<T>,
): Promise<T> {
  const name = `weft ${randomUUID()} move`;
  const guard = await openConnection({ url, name: `${name} guard`, shard: 0 });
  const pool = createPool([name], (slot) => openConnection({ url, name: slot, shard: 0 }));
  const attempts = createRetries();
  const using = <R>(run: (connection: Connection) => Promise<R>): Promise<R> =>
    attempts.keepTrying(RECONNECT_TIMEOUT_MS, async () => {
      const slot = await pool.acquire(RECONNECT_TIMEOUT_MS);
      try {
        return await run(await openSession(slot));
      } finally {
        pool.release(slot);
      }
    });
  try {
    await checkServer(guard, false);
    await migrate(guard, now);
    const inUse = 'A service is running on the target database: stop it first.';
    return await withExclusiveAccess(guard, inUse, async () => {
      await begin(guard, fingerprint);
      const files = openBlobStore(
        (_use, within, run) =>
          attempts.keepTrying(within, async () => {
            const slot = await pool.acquire(within);
            try {
              return await run(slot);
            } finally {
              pool.release(slot);
            }
          }),
        now,
      );
      return await move(createTarget(using, files));
    });
  } finally {
    attempts.stop();
    await pool.close();
    await guard.end();
  }
}

async function begin(connection: Connection, fingerprint: string): Promise<void> {
  const ask = async (text: string, values: unknown[] = []) =>
    (await connection.runPipeline([{ text, values }]))[0]!.rows;
  const [moving] = await ask('SELECT value FROM meta WHERE name = $1', [MOVE_KEY]);
  if (moving !== undefined) {
    if (moving['value'] === fingerprint) return;
    throw new Error(
      'The move into the target database was started from another data folder, or from another state of this one: start again with an empty database.',
    );
  }
  if ((await ask(NOT_EMPTY)).length > 0)
    throw new Error('The target database already contains Weft data: it must be empty.');
  await connection.runPipeline([
    { text: 'BEGIN' },
    { text: CREATE },
    { text: START, values: [fingerprint] },
    { text: 'COMMIT' },
  ]);
}

type WithConnection = <R>(run: (connection: Connection) => Promise<R>) => Promise<R>;

function createTarget(using: WithConnection, files: BlobStore): Target {
  const kinds = new Map<string, Promise<ReadonlyMap<string, TargetKind>>>();
  const readColumnKinds = (table: string): Promise<ReadonlyMap<string, TargetKind>> => {
    let known = kinds.get(table);
    if (known === undefined) kinds.set(table, (known = using((connection) => readKinds(connection, table))));
    return known;
  };

  return {
    files,
    readState: (table) =>
      using(async (connection) => {
        const [reply] = await connection.runPipeline([
          { text: 'SELECT last, rows, sum FROM moving WHERE name = $1', values: [table] },
        ]);
        const row = reply?.rows[0];
        if (row === undefined) return { last: -1, rows: 0, sum: 0n };
        return { last: Number(row['last']), rows: Number(row['rows']), sum: BigInt(String(row['sum'])) };
      }),
    add: async (table, rows, state) => {
      const known = await readColumnKinds(table.name);
      const columns = table.columns.map((column) => {
        const kind = known.get(column);
        if (kind === undefined) throw new Error(`The new database has no ${table.name}.${column}.`);
        return kind;
      });
      const sent = columns.map((kind): ColumnKind => (kind === 'embedding' ? 'text' : kind));
      const arrays = sent.map((kind, i) => `$${i + 1}::${kind}[]`).join(', ');
      const values = sent.map((kind, at) => encodeColumn(kind, rows, at));
      const names = columns.map((_, i) => `c${i}`);
      const selected = columns.map((kind, i) => (kind === 'embedding' ? `pack_vector(c${i})` : `c${i}`));
      const insert = `INSERT INTO ${table.name} (${table.columns.join(', ')})
        SELECT ${selected.join(', ')} FROM unnest(${arrays}) AS r(${names.join(', ')})`;
      const note = `INSERT INTO moving (name, last, rows, sum) VALUES ($1, $2, $3, $4)
        ON CONFLICT (name) DO UPDATE SET last = excluded.last, rows = excluded.rows, sum = excluded.sum`;
      await using(async (connection) => {
        // The recorded progress shows whether an earlier attempt wrote these rows.
        const [reply] = await connection.runPipeline([
          { text: 'SELECT last FROM moving WHERE name = $1', values: [table.name] },
        ]);
        if (Number(reply?.rows[0]?.['last'] ?? -1) >= state.last) return;
        try {
          await connection.runPipeline(
            [
              { text: 'BEGIN' },
              { text: insert, values },
              { text: note, values: [table.name, state.last, state.rows, String(state.sum)] },
              { text: 'COMMIT' },
            ],
            READ_TIMEOUT_MS,
          );
        } catch (error) {
          if (!connection.isLost) await connection.runPipeline([{ text: 'ROLLBACK' }]);
          throw error;
        }
      });
    },
    read: (table, tell) =>
      using(async (connection) => {
        const where = table.name === 'meta' ? ` WHERE name <> '${MOVE_KEY}'` : '';
        const known = await readKinds(connection, table.name);
        const selected = table.columns.map((column) =>
          known.get(column) === 'embedding' ? `translate(${column}::text, '{}', '[]') AS ${column}` : column,
        );
        const cursor = `DECLARE copy CURSOR FOR SELECT ${selected.join(', ')} FROM ${table.name}${where}`;
        await connection.runPipeline(
          [{ text: 'BEGIN' }, { text: 'SET LOCAL seq_page_cost = 1' }, { text: cursor }],
          READ_TIMEOUT_MS,
        );
        let rows = 0;
        let sum = 0n;
        for (;;) {
          const [reply] = await connection.runPipeline(
            [{ text: `FETCH ${READ_ROWS} FROM copy` }],
            READ_TIMEOUT_MS,
          );
          const values = (reply?.rows ?? []).map((row) => table.columns.map((column) => row[column] ?? null));
          if (values.length === 0) break;
          rows += values.length;
          sum = addRows(sum, values);
          tell(rows);
        }
        await connection.runPipeline([{ text: 'COMMIT' }]);
        return { rows, sum };
      }),
    finish: () =>
      using(async (connection) => {
        const [reply] = await connection.runPipeline([{ text: LIST_NUMBERED }]);
        const numbered = (reply?.rows ?? []).map((row) => String(row['name']));
        await connection.runPipeline(
          [
            { text: 'BEGIN' },
            ...numbered.map((table) => ({ text: continueNumbers(table) })),
            { text: 'DROP TABLE IF EXISTS moving' },
            { text: `DELETE FROM meta WHERE name = '${MOVE_KEY}'` },
            { text: 'COMMIT' },
            { text: 'ANALYZE' },
          ],
          READ_TIMEOUT_MS,
        );
      }),
  };
}

/** `embedding`: a packed embedding, which is text in the source. */
type TargetKind = ColumnKind | 'embedding';

async function readKinds(connection: Connection, table: string): Promise<ReadonlyMap<string, TargetKind>> {
  const [reply] = await connection.runPipeline([
    {
      text: `SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = $1`,
      values: [table],
    },
  ]);
  const kinds: Record<string, TargetKind> = {
    bigint: 'bigint',
    text: 'text',
    'double precision': 'float8',
    ARRAY: 'embedding',
  };
  return new Map(
    (reply?.rows ?? []).map((row) => {
      const kind = kinds[String(row['type'])];
      if (kind === undefined) throw new Error(`A column of ${table} is of type ${row['type']}.`);
      return [String(row['name']), kind];
    }),
  );
}
