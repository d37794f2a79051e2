import type { SqlServer } from '../../contract/sql.ts';
import { CredentialsError } from './credentials.ts';

const ISSUE =
  'the secret must contain postgres://user:password@host:port/database with special characters percent-encoded, and optionally ?sslmode=require or ?sslmode=disable';

/**
 * Parses `postgres://user:password@host:port/database`. Default port: 5432; default database: the user name.
 * @throws {CredentialsError}
 */
export function readPostgresUrl(text: string): SqlServer {
  const url = URL.parse(text.trim());
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol) || url.hostname === '' || url.hash !== '')
    throw new CredentialsError(ISSUE);
  const user = decode(url.username);
  const database = decode(url.pathname.slice(1));
  if (user === '' || database.includes('/') || /\0/.test(user + database)) throw new CredentialsError(ISSUE);
  return {
    host: decode(url.hostname)
      .replace(/^\[(.*)\]$/, '$1')
      .toLowerCase(),
    port: url.port === '' ? 5432 : Number(url.port),
    database: database === '' ? user : database,
    user,
    password: decode(url.password),
    tls: readTls(url),
  };
}

/** Every mode that requires TLS also verifies the certificate. */
function readTls(url: URL): boolean | null {
  const names = [...url.searchParams.keys()];
  if (names.length === 0) return null;
  const mode = url.searchParams.get('sslmode');
  if (names.length > 1 || mode === null) throw new CredentialsError(ISSUE);
  if (mode === 'disable') return false;
  if (mode === 'require' || mode === 'verify-ca' || mode === 'verify-full') return true;
  throw new CredentialsError(ISSUE);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new CredentialsError(ISSUE);
  }
}
