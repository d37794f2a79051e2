import type { Principal } from '../contract/principal.ts';

/** The two headers that may carry a credential, as they arrived, and the token of a session cookie that may be used. */
export type Credentials = {
  readonly authorization: string | undefined;
  readonly apiKey: string | undefined;
  readonly cookie: string | undefined;
};

/**
 * Proves who is calling. `Authorization` goes before `X-API-Key`, which goes before the cookie; what is present and wrong fails.
 * Throws (or rejects with) WeftError UNAUTHORIZED.
 */
export type Authenticate = (credentials: Credentials) => Principal | Promise<Principal>;
