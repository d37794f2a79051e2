import type { IncomingMessage } from 'node:http';
import type { Authenticate } from '../../auth/credentials.ts';
import type { Principal } from '../../contract/principal.ts';
import type { RateLimit, RateState } from '../../services/accounts/rate-limit.service.ts';
import type { SessionCookies } from './session-cookie.ts';

/** `rate` is null where the plan has no limit. A door shows `rateHeaders`, then calls `requireRoom`. */
export type Admitted = { readonly principal: Principal; readonly rate: RateState | null };

/** What every door with credentials asks before anything else: who is it, and is there room in the plan. */
export type Admission = {
  /**
   * Proves the credential that a request carries and counts the request. The cookie is looked at only without another credential. Refusing one without room is the door's part,
   * because its headers go on the refusal too.
   * @throws {WeftError} UNAUTHORIZED, or FORBIDDEN for a cookie whose request may be forged.
   */
  admit(request: IncomingMessage): Promise<Admitted>;
  /** Counts one more operation of a caller who was admitted before, such as one over an open socket. */
  count(principal: Principal): RateState | null | Promise<RateState | null>;
};

export function createAdmission(
  authenticate: Authenticate,
  rateLimit: RateLimit,
  cookies: Pick<SessionCookies, 'read'>,
): Admission {
  return {
    async admit(request) {
      const { authorization, 'x-api-key': apiKey } = request.headers;
      const hasHeader = authorization !== undefined || apiKey !== undefined;
      const proof = authenticate({
        authorization,
        apiKey: Array.isArray(apiKey) ? apiKey.join(', ') : apiKey,
        cookie: hasHeader ? undefined : cookies.read(request),
      });
      const principal = proof instanceof Promise ? await proof : proof;
      const counted = rateLimit.hit(principal);
      return { principal, rate: counted instanceof Promise ? await counted : counted };
    },
    count: (principal) => rateLimit.hit(principal),
  };
}

/** Lower-case names; none where the plan has no limit. */
export function rateHeaders(rate: RateState | null): Readonly<Record<string, string>> {
  if (rate === null) return {};
  return {
    'x-ratelimit-limit': String(rate.limit),
    'x-ratelimit-remaining': String(rate.remaining),
    'x-ratelimit-reset': String(rate.reset),
  };
}
