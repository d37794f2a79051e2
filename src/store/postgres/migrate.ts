import type { Migration } from '../migrations/migrations.ts';
import type { Connection } from './connection.ts';
import { withExclusiveAccess } from './process-lock.ts';
import { postgresMigrations } from './schema.ts';

/** Names the lock under which one process after the other looks after the schema. */
const LOCK = `hashtextextended('weft schema', 0)`;
/** ms that a starter waits for another one, and that one migration may take. */
const WAIT = 600_000;

const TABLE = `CREATE TABLE IF NOT EXISTS migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL, breaking BOOLEAN NOT NULL,
  applied_at BIGINT NOT NULL)`;

/**
 * Brings the schema to this program's version: each migration in a transaction of its own together with its number, so that a
 * process that is killed between or within them leaves a schema from which the next start goes on. Of several that start at
 * once one does it, the others wait. Throws when the schema is newer than this program and does not work with it.
 */
export async function migrate(
  connection: Connection,
  now: () => number,
  migrations: readonly Migration[] = postgresMigrations,
): Promise<void> {
  const run = (text: string): ReturnType<Connection['flight']> => connection.flight([{ text }], WAIT);
  // A read alone would do for almost all starts; the lock is taken only when there is something to do.
  if ((await pending(connection, migrations)).length === 0) return;
  await run(`SET lock_timeout = ${WAIT}`);
  await run(`SELECT pg_advisory_lock(${LOCK})`);
  try {
    await run(TABLE);
    const todo = await pending(connection, migrations);
    const apply = (): Promise<void> => applyAll(run, todo, now);
    // On an empty database nobody is at work.
    const breaks = (todo[0]?.number ?? 1) > 1 && todo.some(({ isBreaking }) => isBreaking === true);
    await (breaks ? withExclusiveAccess(connection, STOP_FIRST, apply) : apply());
  } finally {
    if (!connection.isLost) {
      await run(`SELECT pg_advisory_unlock(${LOCK})`);
      await run(`SET lock_timeout = '10s'`);
    }
  }
}

const STOP_FIRST =
  'This version changes the database so that older processes cannot work on it, and some are still running: stop them all, then start this one.';

async function applyAll(
  run: (text: string) => Promise<unknown>,
  todo: readonly (Migration & { number: number })[],
  now: () => number,
): Promise<void> {
  for (const { number, name, sql, isBreaking } of todo) {
    try {
      // One message: the server runs it as one transaction, and undoes all of it when the connection ends.
      await run(
        `BEGIN; ${sql}; INSERT INTO migrations (number, name, breaking, applied_at)
          VALUES (${number}, '${name}', ${isBreaking === true}, ${now()}); COMMIT;`,
      );
    } catch (error) {
      await run('ROLLBACK').catch(() => {});
      throw error;
    }
  }
}

async function pending(
  connection: Connection,
  migrations: readonly Migration[],
): Promise<(Migration & { number: number })[]> {
  const version = await checkSchema(connection, migrations);
  return migrations
    .map((migration, i) => ({ ...migration, number: i + 1 }))
    .filter(({ number }) => number > version);
}

/**
 * The schema's version, 0 when there is none. Throws when the schema holds a change that this program does not know and cannot
 * work with; one that it merely does not know is fine.
 */
export async function checkSchema(
  connection: Connection,
  migrations: readonly Migration[] = postgresMigrations,
): Promise<number> {
  const [there] = await connection.flight([
    { text: `SELECT to_regclass('migrations') IS NOT NULL AS there` },
  ]);
  if (there?.rows[0]?.['there'] !== (true as unknown)) return 0;
  const [reply] = await connection.flight([
    { text: 'SELECT number, name, breaking FROM migrations ORDER BY number' },
  ]);
  const rows = (reply?.rows ?? []) as unknown as { number: number; name: string; breaking: boolean }[];
  for (const { number, name, breaking } of rows) {
    if (number > migrations.length) {
      if (!breaking) continue;
      throw new Error(
        `The database was written by a newer Weft: its schema holds ${name}, which this program (schema ${migrations.length}) cannot work with. Start the newer program.`,
      );
    }
    if (name !== migrations[number - 1]?.name)
      throw new Error(
        `The database is not one of this Weft: its migration ${number} is ${name}, not ${migrations[number - 1]?.name}.`,
      );
  }
  return rows.at(-1)?.number ?? 0;
}
