import type { IncomingMessage } from 'node:http';
import { createUnauthorizedError } from '../../auth/authenticate.ts';
import { SESSION_LIFETIME_MS } from '../../auth/session-token.ts';
import { WeftError } from '../../contract/errors.ts';
import { createProxyCheck } from '../websocket/client-address.ts';

/**
 * Webhooks do not receive cookies with this prefix, and workflows cannot set them: see
 * `webhook-credentials.ts`.
 */
const COOKIE_NAME = 'weft_session';
/**
 * Proves that a script of a trusted origin sent the request, because CORS allows this header to no other
 * origin.
 */
export const CSRF_HEADER = 'X-Weft-CSRF';
const CSRF_FIELD = CSRF_HEADER.toLowerCase();

/** Reads and writes the cookie that holds the session token of a browser. */
export type SessionCookies = {
  /**
   * The session token; undefined without a cookie, or with several, because another host may have planted
   * them.
   * @throws {WeftError} FORBIDDEN when the request has the cookie but no proof that a page of the service
   * sent it.
   */
  read(request: IncomingMessage): string | undefined;
  /**
   * Like `read`, for a WebSocket upgrade. It cannot carry the CSRF header, so its `Origin` must be the
   * service.
   */
  readOfUpgrade(request: IncomingMessage): string | undefined;
  /**
   * Like `read`, for a page without scripts, which cannot send the CSRF header. A request that changes
   * something must come from a page of the service. The page must not be readable by or embedded in another
   * site.
   * @throws {WeftError} FORBIDDEN with the reason `origin` when it has the cookie and came from elsewhere.
   */
  readOfPage(request: IncomingMessage): string | undefined;
  /** @throws {WeftError} FORBIDDEN when the request does not prove that a page of the service sent it. */
  requireProof(request: IncomingMessage): void;
  /** The `Set-Cookie` value that stores the token, or removes the cookie. */
  formatSetCookie(request: IncomingMessage, token: string): string;
  cleared(request: IncomingMessage): string;
};

export function createSessionCookies(settings: {
  publicUrl: string | null;
  trustProxy: readonly string[];
}): SessionCookies {
  const publicUrl = settings.publicUrl === null ? null : new URL(settings.publicUrl);
  const isTrusted = createProxyCheck(settings.trustProxy);

  /** The last value of an `X-Forwarded-*` header from a trusted proxy. */
  function forwarded({ headers, socket }: IncomingMessage, name: string): string | undefined {
    const value = headers[name];
    if (typeof value !== 'string' || !isTrusted(socket.remoteAddress ?? '')) return undefined;
    return value.slice(value.lastIndexOf(',') + 1).trim();
  }
  function isSecure(request: IncomingMessage): boolean {
    if (publicUrl !== null) return publicUrl.protocol === 'https:';
    return forwarded(request, 'x-forwarded-proto') === 'https';
  }
  /** The host and port of the request, normalized for the protocol; empty when the host is not valid. */
  function readHost(request: IncomingMessage, protocol: string): string {
    const url = `${protocol}//${forwarded(request, 'x-forwarded-host') ?? request.headers.host ?? ''}`;
    return URL.canParse(url) ? new URL(url).host : '';
  }
  /** Without HTTPS, all ports of a host share cookies, so the name includes the port. */
  function createCookieName(request: IncomingMessage): string {
    if (isSecure(request)) return `__Host-${COOKIE_NAME}`;
    const port = /:(\d+)$/.exec(publicUrl?.host ?? readHost(request, 'http:'))?.[1];
    return port === undefined ? COOKIE_NAME : `${COOKIE_NAME}_${port}`;
  }
  function find(request: IncomingMessage): string | undefined {
    const { cookie } = request.headers;
    if (cookie === undefined) return undefined;
    const start = `${createCookieName(request)}=`;
    const found = cookie.split(';').filter((pair) => pair.trimStart().startsWith(start));
    return found.length === 1 ? found[0]!.trim().slice(start.length) : undefined;
  }

  /** `isMissingOriginAllowed`: whether a request without origin headers is accepted. */
  function isFromService(request: IncomingMessage, isMissingOriginAllowed: boolean): boolean {
    const { 'sec-fetch-site': site, origin } = request.headers;
    if (site !== undefined) return site === 'same-origin';
    if (origin === undefined) return isMissingOriginAllowed;
    if (!URL.canParse(origin)) return false;
    const { protocol, host, origin: given } = new URL(origin);
    return given === publicUrl?.origin || (host !== '' && host === readHost(request, protocol));
  }
  function requireProof(request: IncomingMessage): void {
    const { method, headers } = request;
    if (headers[CSRF_FIELD] === undefined)
      throw new WeftError(
        'FORBIDDEN',
        `A request with a session cookie must have the header ${CSRF_HEADER}: 1.`,
      );
    // Browsers omit Origin from requests that change nothing.
    if (!isFromService(request, method === 'GET' || method === 'HEAD'))
      throw new WeftError(
        'FORBIDDEN',
        'A request with a session cookie must come from a page of the service.',
      );
  }
  function setCookie(request: IncomingMessage, token: string, maxAgeSeconds: number): string {
    const secure = isSecure(request) ? '; Secure' : '';
    return `${createCookieName(request)}=${token}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
  }

  return {
    requireProof,
    read(request) {
      const token = find(request);
      if (token !== undefined) requireProof(request);
      return token;
    },
    readOfUpgrade(request) {
      const token = find(request);
      if (token !== undefined && !isFromService(request, false))
        throw createUnauthorizedError('The session cookie is accepted only from a page of the service.');
      return token;
    },
    readOfPage(request) {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const token = find(request);
      if (token !== undefined && !isRead && !isFromService(request, false))
        throw new WeftError('FORBIDDEN', 'The form must be sent from a page of the service.', {
          reason: 'origin',
        });
      return token;
    },
    formatSetCookie: (request, token) => setCookie(request, token, SESSION_LIFETIME_MS / 1000),
    cleared: (request) => setCookie(request, '', 0),
  };
}
