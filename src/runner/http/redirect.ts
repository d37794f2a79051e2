import { httpFailure } from './http-failure.ts';
import type { RequestBody } from './request-body.ts';

/** Maximum number of redirects. */
export const MAX_REDIRECTS = 10;

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that are sent to another origin; all others may contain credentials and are dropped. */
const CROSS_ORIGIN_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-language',
  'content-type',
  'idempotency-key',
  'range',
  'user-agent',
]);
const BODY_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-language',
  'content-encoding',
  'content-length',
]);

export type RedirectStep = {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: RequestBody;
};

/**
 * Returns the next request if the response is a redirect with a Location, otherwise null. Throws HttpFailure
 * if the Location is not a URL.
 */
export function followRedirect(
  hop: RedirectStep,
  status: number,
  location: string | undefined,
): RedirectStep | null {
  if (!REDIRECT_STATUSES.has(status) || location === undefined) return null;
  const url = URL.canParse(location, hop.url.href) ? new URL(location, hop.url) : null;
  if (url === null) throw httpFailure('network', `${hop.url.host} redirects to something that is not a URL`);
  // As browsers do (Fetch, HTTP-redirect fetch, step 12).
  const toGet =
    (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST');
  const headers = Object.entries(hop.headers).filter(
    ([name]) =>
      (url.origin === hop.url.origin || CROSS_ORIGIN_HEADERS.has(name)) && !(toGet && BODY_HEADERS.has(name)),
  );
  return {
    url,
    method: toGet ? 'GET' : hop.method,
    headers: Object.fromEntries(headers),
    body: toGet ? null : hop.body,
  };
}
