import type { Migration } from '../migrations/migrations.ts';
import type { Connection } from './connection.ts';
import { withExclusiveAccess } from './process-lock.ts';
import { postgresMigrations } from './schema.ts';

/** The lock that serializes schema changes of all processes. */
const LOCK = `hashtextextended('weft schema', 0)`;
/** In ms: how long a starting process waits for another one, and the time limit of one migration. */
const LOCK_TIMEOUT_MS = 600_000;

const TABLE = `CREATE TABLE IF NOT EXISTS migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL, breaking BOOLEAN NOT NULL,
  applied_at BIGINT NOT NULL)`;

/**
 * Migrates the schema to this program's version: each migration runs in its own transaction together with its
 * number, so a process killed at any point leaves a schema from which the next start continues. Of several
 * starting processes one migrates, and the others wait. Throws when the schema is newer than this program and
 * incompatible with it.
 */
export async function migrate(
  connection: Connection,
  now: () => number,
  migrations: readonly Migration[] = postgresMigrations,
): Promise<void> {
  const run = (text: string): ReturnType<Connection['runPipeline']> =>
    connection.runPipeline([{ text }], LOCK_TIMEOUT_MS);
  // Almost all starts need only this read; the lock is taken only when there are pending migrations.
  if ((await pending(connection, migrations)).length === 0) return;
  await run(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`);
  await run(`SELECT pg_advisory_lock(${LOCK})`);
  try {
    await run(TABLE);
    const todo = await pending(connection, migrations);
    const apply = (): Promise<void> => applyAll(run, todo, now);
    // No process is running on an empty database.
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
      // One message: the server runs it as one transaction, and rolls it back when the connection ends.
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
 * The schema's version, 0 when there is none. Throws when the schema contains an unknown, breaking migration;
 * other unknown migrations are allowed.
 */
export async function checkSchema(
  connection: Connection,
  migrations: readonly Migration[] = postgresMigrations,
): Promise<number> {
  const [there] = await connection.runPipeline([
    { text: `SELECT to_regclass('migrations') IS NOT NULL AS there` },
  ]);
  if (there?.rows[0]?.['there'] !== (true as unknown)) return 0;
  const [reply] = await connection.runPipeline([
    { text: 'SELECT number, name, breaking FROM migrations ORDER BY number' },
  ]);
  const rows = (reply?.rows ?? []) as unknown as { number: number; name: string; breaking: boolean }[];
  for (const { number, name, breaking } of rows) {
    if (number > migrations.length) {
      if (!breaking) continue;
      throw new Error(
        `The database was written by a newer version of Weft: its schema contains ${name}, which this program (schema ${migrations.length}) does not support. Start the newer program.`,
      );
    }
    if (name !== migrations[number - 1]?.name)
      throw new Error(
        `The database does not belong to this version of Weft: its migration ${number} is ${name}, not ${migrations[number - 1]?.name}.`,
      );
  }
  return rows.at(-1)?.number ?? 0;
}
