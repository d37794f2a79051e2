import { existsSync } from 'node:fs';
import path from 'node:path';
import { createPasswords } from '../auth/passwords.ts';
import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { resetPassword } from '../services/accounts/users.service.ts';
import type { AccountStore } from '../ports/store/accounts/accounts.ts';
import { transactions } from '../store/transactions/registry.ts';
import { openForWriting, type Connection } from '../store/sqlite/connection.ts';
import { DATABASE_FILE } from '../store/sqlite/open-store.ts';
import type { Transaction } from '../store/statement.ts';
import { createIds } from '../app/ids.ts';
import { createEventDescriber } from '../services/audit/audit-log.ts';
import { askQuestion } from './terminal/prompt.ts';
import { detectTerminal } from './terminal/terminal.ts';

/**
 * Sets a user's password, whether or not the service is running, in one short transaction on its own
 * connection. A running service caches credentials for up to five more seconds. The password is read from
 * standard input when it is a pipe, or prompted for on a terminal (empty: generated), and is printed only
 * when it was generated.
 */
export async function resetUserPassword(
  env: Environment,
  email: string,
  say: (line: string) => void,
): Promise<number> {
  const { accounts, close } = await openAccounts(env);
  const asked = await askQuestion(detectTerminal(env), 'New password (empty: generate one): ', {
    isHidden: true,
  });
  const given = asked === '' ? null : asked;
  try {
    const passwords = createPasswords();
    const now = (): number => Date.now();
    const options = {
      accounts,
      passwords,
      now,
      audit: { describe: createEventDescriber({ ids: createIds(now), now }) },
    };
    const { password, email: known } = await resetPassword(options, email, given ?? undefined);
    say(given === null ? `The new password of ${known} is ${password}` : `${known} has the new password.`);
    say('All sessions of this user have ended.');
    return 0;
  } finally {
    await close();
  }
}

type Accounts = Pick<AccountStore, 'userByEmail' | 'updateUser'>;

/** Opens the accounts of a service that may be running. */
async function openAccounts(env: Environment): Promise<{ accounts: Accounts; close: () => Promise<void> }> {
  const { dataDir, database } = loadConfig(env);
  if (database !== null) {
    const { openMaintenanceConnection: openBeside } =
      await import('../store/postgres/open-maintenance-connection.ts');
    const { run, close } = await openBeside(database.url);
    const accounts: Accounts = {
      userByEmail: (wanted) => run(() => transactions.userByEmail(wanted)),
      updateUser: (...change) => run(() => changeUser(...change)),
    };
    return { accounts, close };
  }
  const file = path.join(dataDir, DATABASE_FILE);
  if (!existsSync(file))
    throw new Error(
      `There is no Weft data in ${dataDir}: set WEFT_DATA_DIR to the data folder of the service.`,
    );
  const connection = openForWriting(file);
  const accounts: Accounts = {
    userByEmail: async (wanted) => inTransaction(connection, transactions.userByEmail(wanted)),
    updateUser: async (...change) => inTransaction(connection, changeUser(...change)),
  };
  return { accounts, close: async () => void connection.db.close() };
}

function changeUser(
  ...[id, fields, endSessions, event]: Parameters<Accounts['updateUser']>
): Transaction<boolean> {
  const change: Parameters<typeof transactions.updateUser> = [id, fields, endSessions];
  return event == null
    ? transactions.updateUser(...change)
    : (transactions.withAuditEvent(event, 'updateUser', change) as Transaction<boolean>);
}

function inTransaction<T>(connection: Connection, transaction: Transaction<T>): T {
  connection.exec('BEGIN IMMEDIATE');
  try {
    const result = connection.run(transaction);
    connection.exec('COMMIT');
    return result;
  } catch (error) {
    if (connection.db.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}
