/** Limits: characters per URI, and URIs per client. */
const MAX_REDIRECT_URI_LENGTH = 2_000;
export const MAX_REDIRECT_URIS = 10;

const LOOPBACKS = new Set(['localhost', '127.0.0.1', '[::1]']);
/** The scheme of a native app: a reversed domain name (RFC 8252), which no browser scheme matches. */
const APP_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:$/;

/**
 * Returns what is wrong with a redirect URI; null when it is valid: https, http on the loopback interface, or
 * an app scheme.
 */
export function checkRedirectUri(uri: string): string | null {
  if (uri.length > MAX_REDIRECT_URI_LENGTH) return `must have at most ${MAX_REDIRECT_URI_LENGTH} characters`;
  // Rejects whatever a URL parser would correct: the compared URI must be the one that is opened.
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

/** Returns the target of the redirect for display, without the path. */
export function redirectTarget(uri: string): string {
  const url = new URL(uri);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.host : url.protocol.slice(0, -1);
}

/** Whether a redirect URI leads to a program on the user's computer. */
export function isLoopbackUri(uri: string): boolean {
  return LOOPBACKS.has(new URL(uri).hostname);
}
