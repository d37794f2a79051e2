import type { SqlServer } from '../../../contract/sql.ts';
import { CredentialsError } from '../credentials.ts';
import { readServerUrl, readTlsMode } from './server-url.ts';

const ISSUE =
  'the secret must contain postgres://user:password@host:port/database with special characters percent-encoded, and optionally ?sslmode=require or ?sslmode=disable';

/**
 * Parses `postgres://user:password@host:port/database`. Default port: 5432; default database: the user name.
 * @throws {CredentialsError}
 */
export function readPostgresUrl(text: string): SqlServer {
  const { host, port, user, password, database, options } = readServerUrl(text, /^postgres(?:ql)?:$/, ISSUE);
  if (user === '') throw new CredentialsError(ISSUE);
  return {
    system: 'postgresql',
    host,
    port: port ?? 5432,
    database: database === '' ? user : database,
    user,
    password,
    tls: readTlsMode(options, ISSUE),
  };
}
