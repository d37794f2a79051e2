/**
 * Which headers a workflow may set on its response to a webhook. Browsers may share the response's origin
 * with the editor, so headers are allowed by name: an unlisted one could change cookies, storage, reporting
 * or security policies there.
 */
const ALLOWED_NAMES: ReadonlySet<string> = new Set([
  'allow',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-location',
  'content-type',
  'deprecation',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'pragma',
  'retry-after',
  'set-cookie',
  'sunset',
  'vary',
]);

/** Custom headers are allowed, except those that Weft, browsers or reverse proxies act on. */
const REFUSED_CUSTOM_NAMES: ReadonlySet<string> = new Set([
  'x-content-security-policy',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-request-id',
  'x-reproxy-url',
  'x-sendfile',
  'x-sourcemap',
  'x-ua-compatible',
  'x-webkit-csp',
  'x-xss-protection',
]);
const REFUSED_CUSTOM_PREFIXES = ['x-accel-', 'x-envoy-', 'x-lighttpd-', 'x-litespeed-', 'x-weft-'];

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const MEDIA_TYPE = new RegExp(
  `^(${TOKEN})/(${TOKEN})(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"[^"\\\\,]*"))*[ \\t]*;?$`,
);
const JSON_ESSENCE = /^application\/(?:[\w.-]+\+)?json$/;
const COOKIE_NAME = new RegExp(`^${TOKEN}$`);
const COOKIE_VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;
const COOKIE_ATTRIBUTES = ['expires', 'httponly', 'max-age', 'partitioned', 'path', 'samesite', 'secure'];
const COOKIE_PATH = /^\/[\x21-\x3a\x3c-\x7e]*$/;
/** The start of every webhook path, after a prefix that a reverse proxy may add. */
const WEBHOOK_PATH = '/v1/webhooks/';

/** For documentation: the headers that an author may set. */
export const responseHeadersText = `${[...ALLOWED_NAMES].toSorted().join(', ')}, and custom headers that begin with x-`;

/**
 * Why a workflow may not set this header on its response, or null. `name` is in lower case; `value` null: not
 * known yet.
 */
export function findResponseHeaderIssue(name: string, value: string | null): string | null {
  if (!isAllowedName(name))
    return `is not a header that a response may set; allowed are ${responseHeadersText}`;
  if (value === null) return null;
  if (name === 'content-type') return contentTypeIssue(value);
  return name === 'set-cookie' ? cookieIssue(value) : null;
}

function isAllowedName(name: string): boolean {
  if (!name.startsWith('x-')) return ALLOWED_NAMES.has(name);
  return (
    !REFUSED_CUSTOM_NAMES.has(name) && !REFUSED_CUSTOM_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}

/** Type and subtype in lower case without parameters; null for a value that is not one media type. */
export function readMediaType(value: string): string | null {
  const [, type, subtype] = MEDIA_TYPE.exec(value.trim()) ?? [];
  return type === undefined || subtype === undefined ? null : `${type}/${subtype}`.toLowerCase();
}

export function isJsonType(value: string): boolean {
  return JSON_ESSENCE.test(readMediaType(value) ?? '');
}

function contentTypeIssue(value: string): string | null {
  const essence = readMediaType(value);
  if (essence === null) return 'must be one media type, such as text/html; charset=utf-8';
  // Their parts have headers of their own, which a browser may use instead of the response's.
  return /^(?:multipart|message)\//.test(essence) ? 'must not be a multipart or message type' : null;
}

type Cookie = { text: string; path: string | null };

/** The cookie without its Path, and the Path; or the issue. */
function readCookie(value: string): Cookie | { issue: string } {
  const [pair = '', ...attributes] = value.split(';').map((part) => part.trim());
  const equals = pair.indexOf('=');
  const name = equals < 0 ? '' : pair.slice(0, equals).trim();
  const content = pair.slice(equals + 1).trim();
  if (!COOKIE_NAME.test(name)) return { issue: 'must begin with name=value' };
  if (/^(?:weft_|__)/i.test(name)) return { issue: 'must not name a cookie that begins with weft_ or __' };
  if (!COOKIE_VALUE.test(content.replace(/^"(.*)"$/, '$1')))
    return { issue: 'has a value with characters that a cookie cannot hold; encode it' };
  const seen = new Set<string>();
  let path: string | null = null;
  for (const attribute of attributes) {
    const at = attribute.indexOf('=');
    const key = (at < 0 ? attribute : attribute.slice(0, at)).trim().toLowerCase();
    if (!COOKIE_ATTRIBUTES.includes(key))
      return { issue: `has the attribute ${key}; allowed are ${COOKIE_ATTRIBUTES.join(', ')}` };
    if (seen.has(key)) return { issue: `has the attribute ${key} twice` };
    seen.add(key);
    if (key === 'path') path = attribute.slice(at + 1).trim();
  }
  if (seen.has('path') && !COOKIE_PATH.test(path ?? ''))
    return { issue: 'must have a Path that begins with /' };
  const kept = attributes.filter((attribute) => !/^path\s*=/i.test(attribute));
  return { text: [pair, ...kept].join('; '), path };
}

function cookieIssue(value: string): string | null {
  const cookie = readCookie(value);
  if ('issue' in cookie) return cookie.issue;
  return cookie.path === null || cookie.path.includes(WEBHOOK_PATH)
    ? null
    : `must have a Path below the webhook's own address, such as ${WEBHOOK_PATH}shop, or none`;
}

/**
 * The cookie with a Path at or below `scope`, the path that belongs to the webhook's owner; a cookie without
 * a Path gets `scope`. With `isReplaced` every cookie gets it. Null when the cookie's Path is outside
 * `scope`, or the cookie is invalid.
 */
export function scopeCookie(value: string, scope: string, isReplaced: boolean): string | null {
  const cookie = readCookie(value);
  if ('issue' in cookie || !COOKIE_PATH.test(scope)) return null;
  const path = isReplaced ? scope : (cookie.path ?? scope);
  return path === scope || path.startsWith(`${scope}/`) ? `${cookie.text}; Path=${path}` : null;
}
