import type { Connection } from './connection.ts';

/** The oldest PostgreSQL that it is tested with. */
const OLDEST = 150_000;

/**
 * Throws when the server cannot keep what it acknowledges, or is none that this works on. `mayLose`: for tests, a server that
 * does not wait for its disk is taken.
 */
export async function checkServer(connection: Connection, mayLose: boolean): Promise<void> {
  const names = ['server_version_num', 'server_version', 'server_encoding', 'fsync', 'full_page_writes'];
  const [reply] = await connection.flight([
    {
      text: `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}, pg_is_in_recovery()::text AS standby`,
    },
  ]);
  const row = reply?.rows[0] as Record<string, string>;
  if (Number(row['server_version_num']) < OLDEST)
    throw new Error(`PostgreSQL ${row['server_version']} is too old: Weft needs 15 or newer.`);
  if (row['server_encoding'] !== 'UTF8')
    throw new Error(
      `The database's encoding is ${row['server_encoding']}; Weft needs UTF8: create it with ENCODING 'UTF8' TEMPLATE template0.`,
    );
  if (row['standby'] === 'true')
    throw new Error('DATABASE_URL leads to a standby, which takes no writes; it has to lead to the primary.');
  if (mayLose) return;
  for (const name of ['fsync', 'full_page_writes'])
    if (row[name] !== 'on')
      throw new Error(
        `PostgreSQL runs with ${name} = ${row[name]}, so a power loss may lose what was acknowledged; it has to be on.`,
      );
}
