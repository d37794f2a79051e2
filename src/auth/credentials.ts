import type { Principal } from '../contract/principal.ts';

/** The two headers that may carry a credential, as they arrived. */
export type Credentials = { readonly authorization: string | undefined; readonly apiKey: string | undefined };

/**
 * Proves who is calling. `Authorization` goes before `X-API-Key`; what is present and wrong fails.
 * Throws (or rejects with) WeftError UNAUTHORIZED.
 */
export type Authenticate = (credentials: Credentials) => Principal | Promise<Principal>;
