import { randomUUID } from 'node:crypto';
import type { Transaction } from '../statement.ts';
import { openConnection } from './connection.ts';
import { toPublicError } from './failure.ts';
import { checkSchema } from './migrate.ts';
import { createPool } from './pool.ts';
import { postgresMigrations } from './schema.ts';
import { checkServer } from './server-check.ts';
import { write } from './transaction.ts';

/** A connection for maintenance commands; services may be running on the database. */
export type MaintenanceConnection = {
  /** Runs each operation in its own transaction. */
  readonly run: <T>(start: () => Transaction<T>) => Promise<T>;
  readonly close: () => Promise<void>;
};

/**
 * Throws an error that the CLI can print when the database is unreachable, or its schema has another version.
 */
export async function openMaintenanceConnection(url: string): Promise<MaintenanceConnection> {
  const pool = createPool([`weft ${randomUUID()} command`], (name) =>
    openConnection({ url, name, shard: 0 }),
  );
  const slot = await pool.acquire(0);
  const close = async (): Promise<void> => {
    // This slot is used only once, so its mark is not needed again.
    const forget = { text: 'DELETE FROM write_marks WHERE slot = $1', values: [slot.name] };
    await slot
      .connect()
      .then(({ connection }) => connection.runPipeline([forget]))
      .catch(() => {});
    pool.release(slot);
    await pool.close();
  };
  try {
    const { connection } = await slot.connect();
    await checkServer(connection, true);
    const version = await checkSchema(connection);
    if (version < postgresMigrations.length)
      throw new Error(
        version === 0
          ? 'There is no Weft data in the database of DATABASE_URL.'
          : 'The database was written by an older version of Weft: start this version once, then try again.',
      );
  } catch (error) {
    await close();
    throw toPublicError(error);
  }
  return {
    run: async (start) => {
      try {
        return await write(slot, start, () => false);
      } catch (error) {
        throw toPublicError(error);
      }
    },
    close,
  };
}
