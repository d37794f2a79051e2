/** Characters of one address, and addresses of one client. */
const MAX_REDIRECT_URI = 2_000;
export const MAX_REDIRECT_URIS = 10;

const LOOPBACKS = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Of an app on a device: a domain turned round, as RFC 8252 has it, so that no scheme of a browser can be meant. */
const APP_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

/**
 * What is wrong with an address that codes are to be sent to; null: nothing. https, http on this very device, or the scheme of
 * an app.
 */
export function checkRedirectUri(uri: string): string | null {
  if (uri.length > MAX_REDIRECT_URI) return `must have at most ${MAX_REDIRECT_URI} characters`;
  // Whatever a URL parser would repair is refused: what is compared must be what is opened.
  if (/[^\x21-\x7e]/.test(uri)) return 'must have no spaces and only ASCII characters';
  const url = URL.canParse(uri) ? new URL(uri) : null;
  if (url === null) return 'must be an absolute URI';
  if (uri.includes('#')) return 'must have no fragment';
  if (uri.includes('\\')) return 'must have no backslash';
  if (url.username !== '' || url.password !== '') return 'must have no user name or password';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:') {
    return LOOPBACKS.has(url.hostname) ? null : 'must be https, unless it is localhost, 127.0.0.1 or [::1]';
  }
  return APP_SCHEME.test(url.protocol)
    ? null
    : 'must be https, http on localhost, or a scheme with a dot such as com.example.app:/done';
}

/** For people: where the browser goes, without the way there. */
export function redirectTarget(uri: string): string {
  const url = new URL(uri);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol.slice(0, -1);
}
