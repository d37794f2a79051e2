import type { IncomingMessage } from 'node:http';
import type { Authenticate } from '../../auth/credentials.ts';
import { hasApiKeyForm } from '../../auth/api-key.ts';
import type { Principal, RequestOrigin } from '../../contract/principal.ts';
import type { RateLimit, RateState } from '../../services/accounts/rate-limit.service.ts';
import type { SessionCookies } from './session-cookie.ts';

/** `rate` is null without a plan limit. Callers send `createRateHeaders`, then call `requireWithinLimit`. */
export type Admitted = { readonly principal: Principal; readonly rate: RateState | null };

/**
 * Authenticates requests and counts them against the plan's rate limit. Every API with credentials uses it.
 */
export type Admission = {
  /**
   * Authenticates the request and counts it. The cookie is read only without another credential. The caller
   * rejects requests over the limit, because the rejection also carries the rate headers. With
   * `acceptsBearerKey`, an API key is accepted as a Bearer credential, too.
   * @throws {WeftError} UNAUTHORIZED, or FORBIDDEN for a cookie whose request may be forged.
   */
  admit(request: IncomingMessage, origin: RequestOrigin, acceptsBearerKey?: boolean): Promise<Admitted>;
  /** Counts one more operation of an authenticated caller, such as an operation over an open socket. */
  count(principal: Principal): RateState | null | Promise<RateState | null>;
};

export function createAdmission(
  authenticate: Authenticate,
  rateLimit: RateLimit,
  cookies: Pick<SessionCookies, 'read'>,
): Admission {
  return {
    async admit(request, origin, acceptsBearerKey = false) {
      const { authorization, 'x-api-key': apiKey } = request.headers;
      const bearerKey = acceptsBearerKey ? readBearerKey(authorization) : null;
      const hasHeader = authorization !== undefined || apiKey !== undefined;
      const proof = authenticate({
        path: request.url ?? '',
        authorization: bearerKey === null ? authorization : undefined,
        apiKey: bearerKey ?? (Array.isArray(apiKey) ? apiKey.join(', ') : apiKey),
        cookie: hasHeader ? undefined : cookies.read(request),
      });
      const principal = { ...(proof instanceof Promise ? await proof : proof), origin };
      const counted = rateLimit.hit(principal);
      return { principal, rate: counted instanceof Promise ? await counted : counted };
    },
    count: (principal) => rateLimit.hit(principal),
  };
}

/** Returns an API key that is a Bearer credential; null for any other. */
function readBearerKey(authorization: string | undefined): string | null {
  const key = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  return key !== undefined && hasApiKeyForm(key) ? key : null;
}

/** The rate limit headers in lower case; empty without a plan limit. */
export function createRateHeaders(rate: RateState | null): Readonly<Record<string, string>> {
  if (rate === null) return {};
  return {
    'x-ratelimit-limit': String(rate.limit),
    'x-ratelimit-remaining': String(rate.remaining),
    'x-ratelimit-reset': String(rate.reset),
  };
}
