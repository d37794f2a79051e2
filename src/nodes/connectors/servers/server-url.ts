import { CredentialsError } from '../credentials.ts';

/** The address and account in `scheme://user:password@host:port/database?name=value`, decoded. */
export type ServerUrl = {
  protocol: string;
  host: string;
  /** Null: not given. */
  port: number | null;
  user: string;
  password: string;
  /** The path without its first slash. */
  database: string;
  options: URLSearchParams;
};

/**
 * Parses a secret with the address of a server. `issue` explains the accepted form and never contains any of
 * the secret. @throws {CredentialsError}
 */
export function readServerUrl(text: string, protocols: RegExp, issue: string): ServerUrl {
  const decode = (part: string): string => {
    try {
      return decodeURIComponent(part);
    } catch {
      throw new CredentialsError(issue);
    }
  };
  const url = URL.parse(text.trim());
  if (url === null || !protocols.test(url.protocol) || url.hostname === '' || url.hash !== '')
    throw new CredentialsError(issue);
  const user = decode(url.username);
  const database = decode(url.pathname.slice(1));
  if (database.includes('/') || /\0/.test(user + database)) throw new CredentialsError(issue);
  return {
    protocol: url.protocol,
    host: decode(url.hostname)
      .replace(/^\[(.*)\]$/, '$1')
      .toLowerCase(),
    port: url.port === '' ? null : Number(url.port),
    user,
    password: decode(url.password),
    database,
    options: url.searchParams,
  };
}

/**
 * Reads `?sslmode=`; null: not given. Every mode that requires TLS also verifies the certificate.
 * @throws {CredentialsError}
 */
export function readTlsMode(options: URLSearchParams, issue: string): boolean | null {
  const names = [...options.keys()];
  if (names.length === 0) return null;
  const mode = options.get('sslmode');
  if (names.length > 1 || mode === null) throw new CredentialsError(issue);
  if (mode === 'disable') return false;
  if (mode === 'require' || mode === 'verify-ca' || mode === 'verify-full') return true;
  throw new CredentialsError(issue);
}
