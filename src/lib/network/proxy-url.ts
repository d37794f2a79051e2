/** The address of a proxy. `host` without brackets; `credentials`: `user:password`. */
export type ProxyAddress = { host: string; port: number; isSecure: boolean; credentials: string | null };

/** Parses `http://user:password@proxy.example:3128`, or https; null when the text is not a proxy URL. */
export function readProxyUrl(text: string): ProxyAddress | null {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null || url.pathname !== '/' || url.search !== '' || url.hash !== '') return null;
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  let credentials: string | null = null;
  try {
    if (url.username !== '' || url.password !== '')
      credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  } catch {
    return null;
  }
  return { host, port: Number(url.port) || (isSecure ? 443 : 80), isSecure, credentials };
}
