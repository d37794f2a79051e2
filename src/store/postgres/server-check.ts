import type { Connection } from './connection.ts';

/** The oldest supported version of PostgreSQL. */
const MIN_SERVER_VERSION = 150_000;

/**
 * Throws when the server can lose acknowledged writes, or is not supported. `mayLose`: for tests, accepts a
 * server that does not wait for its disk.
 */
export async function checkServer(connection: Connection, mayLose: boolean): Promise<void> {
  const names = ['server_version_num', 'server_version', 'server_encoding', 'fsync', 'full_page_writes'];
  const [reply] = await connection.runPipeline([
    {
      text: `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}, pg_is_in_recovery()::text AS standby`,
    },
  ]);
  const row = reply?.rows[0] as Record<string, string>;
  if (Number(row['server_version_num']) < MIN_SERVER_VERSION)
    throw new Error(`PostgreSQL ${row['server_version']} is too old: Weft needs 15 or newer.`);
  if (row['server_encoding'] !== 'UTF8')
    throw new Error(
      `The database's encoding is ${row['server_encoding']}; Weft needs UTF8: create it with ENCODING 'UTF8' TEMPLATE template0.`,
    );
  if (row['standby'] === 'true')
    throw new Error('DATABASE_URL must name the primary; this server is a standby, which accepts no writes.');
  if (mayLose) return;
  for (const name of ['fsync', 'full_page_writes'])
    if (row[name] !== 'on')
      throw new Error(
        `The PostgreSQL setting ${name} must be on; it is ${row[name]}, so a power failure may lose acknowledged writes.`,
      );
}
