import type { IncomingHttpHeaders } from 'node:http';
import type { Authenticate } from '../auth/credentials.ts';
import type { Principal } from '../contract/principal.ts';
import type { RateLimit, RateState } from '../services/people/rate-limit.service.ts';

/** `rate` is null where the plan has no limit. A door shows `rateHeaders`, then calls `requireRoom`. */
export type Admitted = { readonly principal: Principal; readonly rate: RateState | null };

/** What every door with credentials asks before anything else: who is it, and is there room in the plan. */
export type Admission = {
  /**
   * Proves the credential that these headers carry and counts one request. Refusing one without room is the door's part,
   * because its headers go on the refusal too.
   * @throws {WeftError} UNAUTHORIZED
   */
  admit(headers: Readonly<IncomingHttpHeaders>): Promise<Admitted>;
  /** Counts one more operation of a caller who was admitted before, such as one over an open socket. */
  count(principal: Principal): RateState | null | Promise<RateState | null>;
};

export function createAdmission(authenticate: Authenticate, rateLimit: RateLimit): Admission {
  return {
    async admit(headers) {
      const apiKey = headers['x-api-key'];
      const proof = authenticate({
        authorization: headers.authorization,
        apiKey: Array.isArray(apiKey) ? apiKey.join(', ') : apiKey,
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
