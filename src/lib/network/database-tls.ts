/**
 * The TLS settings of a PostgreSQL URL. Certificates are always verified; the files are paths of PEM files.
 */
export type DatabaseTls = {
  /** The URL without its TLS parameters. */
  url: string;
  isEncrypted: boolean;
  isDirect: boolean;
  files: { ca?: string; cert?: string; key?: string };
};

const ENCRYPTED = ['prefer', 'require', 'verify-ca', 'verify-full'];
const FILES = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' } as const;

/** Why the TLS parameters of a PostgreSQL URL are invalid; null when they are valid. */
export function checkDatabaseTls(url: string): string | null {
  const { searchParams } = new URL(url);
  const mode = searchParams.get('sslmode');
  if (mode === 'no-verify')
    return 'sslmode=no-verify is not supported, because certificates are always checked; for a private authority use sslmode=verify-full with sslrootcert, the path of its certificate';
  if (mode !== null && mode !== 'disable' && !ENCRYPTED.includes(mode))
    return `sslmode must be one of disable, ${ENCRYPTED.join(', ')}`;
  const ssl = searchParams.get('ssl');
  if (ssl !== null && !['true', '1', 'false', '0'].includes(ssl)) return 'ssl must be true or false';
  const negotiation = searchParams.get('sslnegotiation');
  if (negotiation !== null && !['postgres', 'direct'].includes(negotiation))
    return 'sslnegotiation must be postgres or direct';
  if (searchParams.has('uselibpqcompat'))
    return 'uselibpqcompat is not supported, because certificates are always checked';
  return null;
}

/** The URL must have passed the validation. */
export function readDatabaseTls(text: string): DatabaseTls {
  const url = new URL(text);
  const { searchParams } = url;
  const take = (name: string): string | null => {
    const value = searchParams.get(name);
    searchParams.delete(name);
    return value;
  };
  const mode = take('sslmode');
  const ssl = take('ssl');
  const isDirect = take('sslnegotiation') === 'direct';
  const files: DatabaseTls['files'] = {};
  for (const [name, part] of Object.entries(FILES)) {
    const path = take(name);
    if (path !== null && path !== '') files[part] = path;
  }
  const isAsked = ssl === 'true' || ssl === '1' || isDirect || Object.keys(files).length > 0;
  const isEncrypted = mode === null ? isAsked : mode !== 'disable';
  return { url: url.href, isEncrypted, isDirect: isEncrypted && isDirect, files };
}
