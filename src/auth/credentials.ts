import type { Principal } from '../contract/principal.ts';

/**
 * The two headers that may contain a credential, as received, the token of an accepted session cookie, and
 * the path of the request.
 */
export type Credentials = {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly apiKey: string | undefined;
  readonly cookie: string | undefined;
};

/**
 * Authenticates the caller. `Authorization` takes precedence over `X-API-Key`, which takes precedence over
 * the cookie; an invalid credential fails even if another one is valid. Throws (or rejects with) WeftError
 * UNAUTHORIZED.
 */
export type Authenticate = (credentials: Credentials) => Principal | Promise<Principal>;
