import { existsSync } from 'node:fs';
import path from 'node:path';
import { createPasswords } from '../auth/passwords.ts';
import { loadConfig, type Environment } from '../config.ts';
import { resetPassword } from '../services/users.service.ts';
import { procedures } from '../store/procedures/registry.ts';
import { openForWriting, type Connection } from '../store/sqlite/connection.ts';
import { DATABASE_FILE } from '../store/sqlite/open-store.ts';
import type { Procedure } from '../store/statement.ts';
import { ask } from './prompt.ts';
import { terminalOf } from './terminal.ts';

/**
 * Gives a user a new password, whether the service runs or not: one short transaction on a connection of its own. A service
 * that runs believes proved credentials for up to five seconds more. The password comes from standard input when something
 * is piped in, is asked for on a terminal (empty: made up), and is printed only when it was made up.
 */
export async function resetUserPassword(
  env: Environment,
  email: string,
  say: (line: string) => void,
): Promise<number> {
  const { dataDir } = loadConfig(env);
  const file = path.join(dataDir, DATABASE_FILE);
  if (!existsSync(file))
    throw new Error(
      `There is no Weft data in ${dataDir}: set WEFT_DATA_DIR to the data folder of the service.`,
    );
  const asked = await ask(terminalOf(env), 'New password (empty: one is made up): ', { isHidden: true });
  const given = asked === '' ? null : asked;
  const connection = openForWriting(file);
  try {
    const people = {
      userByEmail: async (wanted: string) => inTransaction(connection, procedures.userByEmail(wanted)),
      updateUser: async (...args: Parameters<typeof procedures.updateUser>) =>
        inTransaction(connection, procedures.updateUser(...args)),
    };
    const passwords = createPasswords();
    const options = { people, passwords, now: () => Date.now() };
    const { password, email: known } = await resetPassword(options, email, given ?? undefined);
    say(given === null ? `The new password of ${known} is ${password}` : `${known} has the new password.`);
    say('All sessions of this user have ended.');
    return 0;
  } finally {
    connection.db.close();
  }
}

function inTransaction<T>(connection: Connection, procedure: Procedure<T>): T {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = connection.run(procedure);
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    if (connection.db.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}
