import type { MailServer } from '../../contract/mail.ts';
import { CredentialsError } from './credentials.ts';

const ISSUE =
  'the secret must contain smtp://user:password@host:port or smtps://user:password@host:port with special characters percent-encoded, and optionally ?tls=required or ?tls=off';

/**
 * Parses `smtp://user:password@host:port`. Default port: 587, or 465 for smtps. @throws {CredentialsError}
 */
export function readSmtpUrl(text: string): MailServer {
  const url = URL.parse(text.trim());
  const secure = url?.protocol === 'smtps:';
  if (url === null || (url.protocol !== 'smtp:' && !secure) || url.hostname === '')
    throw new CredentialsError(ISSUE);
  if ((url.pathname !== '' && url.pathname !== '/') || url.hash !== '') throw new CredentialsError(ISSUE);
  const user = decode(url.username);
  const password = decode(url.password);
  return {
    host: decode(url.hostname)
      .replace(/^\[(.*)\]$/, '$1')
      .toLowerCase(),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    tls: secure ? 'implicit' : readTls(url),
    user: user === '' ? null : user,
    password: password === '' ? null : password,
  };
}

function readTls(url: URL): MailServer['tls'] {
  const names = [...url.searchParams.keys()];
  if (names.length === 0) return 'offered';
  const tls = url.searchParams.get('tls');
  if (names.length > 1 || (tls !== 'required' && tls !== 'off')) throw new CredentialsError(ISSUE);
  return tls;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new CredentialsError(ISSUE);
  }
}
