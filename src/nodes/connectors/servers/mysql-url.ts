import type { SqlServer } from '../../../contract/sql.ts';
import { CredentialsError } from '../credentials.ts';
import { readServerUrl, readTlsMode } from './server-url.ts';

const ISSUE =
  'the secret must contain mysql://user:password@host:port/database or mariadb:// with special characters percent-encoded, and optionally ?sslmode=require or ?sslmode=disable';

/** Parses `mysql://user:password@host:port/database`. Default port: 3306. @throws {CredentialsError} */
export function readMysqlUrl(text: string): SqlServer {
  const { host, port, user, password, database, options } = readServerUrl(
    text,
    /^(?:mysql|mariadb):$/,
    ISSUE,
  );
  if (user === '' || database === '') throw new CredentialsError(ISSUE);
  return {
    system: 'mysql',
    host,
    port: port ?? 3306,
    database,
    user,
    password,
    tls: readTlsMode(options, ISSUE),
  };
}
