import { randomUUID } from 'node:crypto';
import type { Procedure } from '../statement.ts';
import { openConnection } from './connection.ts';
import { publicError } from './failure.ts';
import { checkSchema } from './migrate.ts';
import { createPool } from './pool.ts';
import { postgresMigrations } from './schema.ts';
import { checkServer } from './server-check.ts';
import { write } from './transaction.ts';

/** A command at work on a database, beside services that may run on it. */
export type MaintenanceConnection = {
  /** Each procedure is a transaction of its own. */
  readonly run: <T>(start: () => Procedure<T>) => Promise<T>;
  readonly close: () => Promise<void>;
};

/** Throws an error fit for the terminal when it cannot be reached, or its schema is not this program's. */
export async function openMaintenanceConnection(url: string): Promise<MaintenanceConnection> {
  const pool = createPool([`weft ${randomUUID()} command`], (name) =>
    openConnection({ url, name, shard: 0 }),
  );
  const slot = await pool.acquire(0);
  const close = async (): Promise<void> => {
    // It does not come again: nobody asks for its mark.
    const forget = { text: 'DELETE FROM write_marks WHERE slot = $1', values: [slot.name] };
    await slot
      .connect()
      .then(({ connection }) => connection.flight([forget]))
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
          : 'The database is of an older Weft: start this service once, then try again.',
      );
  } catch (error) {
    await close();
    throw publicError(error);
  }
  return {
    run: async (start) => {
      try {
        return await write(slot, start, () => false);
      } catch (error) {
        throw publicError(error);
      }
    },
    close,
  };
}
