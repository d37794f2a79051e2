import type { RedisServer } from '../../../contract/redis.ts';
import { CredentialsError } from '../credentials.ts';
import { readServerUrl } from './server-url.ts';

const ISSUE =
  'the secret must contain redis://user:password@host:port/0 or rediss:// with special characters percent-encoded, and optionally ?tls=off';

/**
 * Parses `redis://user:password@host:port/database`; `rediss://` requires TLS. Default port: 6379; default
 * database: 0. @throws {CredentialsError}
 */
export function readRedisUrl(text: string): RedisServer {
  const { protocol, host, port, user, password, database, options } = readServerUrl(
    text,
    /^rediss?:$/,
    ISSUE,
  );
  if (!/^\d{0,4}$/.test(database)) throw new CredentialsError(ISSUE);
  const isOff = options.get('tls') === 'off';
  if ([...options.keys()].length > (isOff ? 1 : 0)) throw new CredentialsError(ISSUE);
  if (isOff && protocol === 'rediss:') throw new CredentialsError(ISSUE);
  return {
    host,
    port: port ?? 6379,
    database: database === '' ? '0' : String(Number(database)),
    user,
    password,
    tls: protocol === 'rediss:' ? true : isOff ? false : null,
  };
}
