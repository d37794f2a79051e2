import type { IncomingMessage } from 'node:http';
import { unauthorized } from '../../auth/authenticate.ts';
import { SESSION_LIFETIME_MS } from '../../auth/session-token.ts';
import { WeftError } from '../../contract/errors.ts';
import { createProxyCheck } from '../websocket/client-address.ts';

/** Webhooks never see cookies with this prefix, and workflows cannot set them: `webhook-credentials.ts`, `webhook-response.ts`. */
const NAME = 'weft_session';
/** Its presence shows that a script of an origin that the browser trusts sent the request: CORS allows it to no other origin. */
export const CSRF_HEADER = 'X-Weft-CSRF';
const CSRF_FIELD = CSRF_HEADER.toLowerCase();

/** The cookie that holds the session token of a browser. */
export type SessionCookies = {
  /**
   * The token of the cookie; undefined without one, or with several, of which any may be planted.
   * @throws {WeftError} FORBIDDEN when the request has the cookie, but does not prove that a page of the service sent it.
   */
  read(request: IncomingMessage): string | undefined;
  /** The same for a WebSocket, whose request cannot carry the CSRF header: its `Origin` must be that of the service. */
  readOfUpgrade(request: IncomingMessage): string | undefined;
  /** @throws {WeftError} FORBIDDEN when the request does not prove that a page of the service sent it. */
  requireProof(request: IncomingMessage): void;
  /** The value of `Set-Cookie` that stores the token, or removes the cookie. */
  written(request: IncomingMessage, token: string): string;
  cleared(request: IncomingMessage): string;
};

export function createSessionCookies(settings: {
  publicUrl: string | null;
  trustProxy: readonly string[];
}): SessionCookies {
  const publicUrl = settings.publicUrl === null ? null : new URL(settings.publicUrl);
  const isTrusted = createProxyCheck(settings.trustProxy);

  /** The last value of an `X-Forwarded-` header that a trusted proxy sent. */
  function forwarded({ headers, socket }: IncomingMessage, name: string): string | undefined {
    const value = headers[name];
    if (typeof value !== 'string' || !isTrusted(socket.remoteAddress ?? '')) return undefined;
    return value.slice(value.lastIndexOf(',') + 1).trim();
  }
  function isSecure(request: IncomingMessage): boolean {
    if (publicUrl !== null) return publicUrl.protocol === 'https:';
    return forwarded(request, 'x-forwarded-proto') === 'https';
  }
  /** The host and port that the browser asked, in the form of URLs with this protocol; empty when it is not a host. */
  function hostOf(request: IncomingMessage, protocol: string): string {
    const url = `${protocol}//${forwarded(request, 'x-forwarded-host') ?? request.headers.host ?? ''}`;
    return URL.canParse(url) ? new URL(url).host : '';
  }
  /** Without https cookies of a host are shared by all its ports, so the port is part of the name. */
  function nameOf(request: IncomingMessage): string {
    if (isSecure(request)) return `__Host-${NAME}`;
    const port = /:(\d+)$/.exec(publicUrl?.host ?? hostOf(request, 'http:'))?.[1];
    return port === undefined ? NAME : `${NAME}_${port}`;
  }
  function find(request: IncomingMessage): string | undefined {
    const { cookie } = request.headers;
    if (cookie === undefined) return undefined;
    const start = `${nameOf(request)}=`;
    const found = cookie.split(';').filter((pair) => pair.trimStart().startsWith(start));
    return found.length === 1 ? found[0]!.trim().slice(start.length) : undefined;
  }

  /** `isUnstatedAllowed`: whether a request that does not say where it comes from passes. */
  function isFromService(request: IncomingMessage, isUnstatedAllowed: boolean): boolean {
    const { 'sec-fetch-site': site, origin } = request.headers;
    if (site !== undefined) return site === 'same-origin';
    if (origin === undefined) return isUnstatedAllowed;
    if (!URL.canParse(origin)) return false;
    const { protocol, host, origin: given } = new URL(origin);
    return given === publicUrl?.origin || (host !== '' && host === hostOf(request, protocol));
  }
  function requireProof(request: IncomingMessage): void {
    const { method, headers } = request;
    if (headers[CSRF_FIELD] === undefined)
      throw new WeftError('FORBIDDEN', `A request by session cookie must have the header ${CSRF_HEADER}: 1.`);
    // Browsers leave Origin out of what changes nothing.
    if (!isFromService(request, method === 'GET' || method === 'HEAD'))
      throw new WeftError('FORBIDDEN', 'A request by session cookie must come from a page of the service.');
  }
  function setCookie(request: IncomingMessage, token: string, maxAgeSeconds: number): string {
    const secure = isSecure(request) ? '; Secure' : '';
    return `${nameOf(request)}=${token}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly; SameSite=Lax${secure}`;
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
        throw unauthorized('The session cookie is accepted only from a page of the service.');
      return token;
    },
    written: (request, token) => setCookie(request, token, SESSION_LIFETIME_MS / 1000),
    cleared: (request) => setCookie(request, '', 0),
  };
}
