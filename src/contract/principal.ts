import type { Scope } from './scopes.ts';

export const plans = ['standard', 'pro', 'enterprise'] as const;
export type SubscriptionPlan = (typeof plans)[number];
export const roles = ['admin', 'member'] as const;
export type Role = (typeof roles)[number];

/** Where a request came from. `userAgent` is the header, null when there was none. */
export type RequestOrigin = { readonly address: string; readonly userAgent: string | null };

/** The authenticated caller. `scopes` null means all permissions of the user's role. */
export type Principal = {
  readonly userId: string;
  readonly email?: string;
  readonly role: Role;
  readonly plan: SubscriptionPlan;
  readonly scopes: ReadonlySet<Scope> | null;
  readonly via: 'session' | 'api_key' | 'oauth';
  /** When the credential expires, in ms since the epoch; absent: never. */
  readonly expiresAt?: number;
  /** Set when `via` is `session`. */
  readonly sessionId?: string;
  /** Set when `via` is `api_key`. */
  readonly keyId?: string;
  /**
   * Set when `via` is `oauth`: the client, the hash of the token, and its grant when a user authorized it.
   */
  readonly clientId?: string;
  readonly tokenId?: string;
  readonly grantId?: string;
  /** The path of the only resource for which the token is valid; absent: the whole service. */
  readonly resource?: '/v1' | '/v1/mcp';
  /** Set for callers of the APIs. */
  readonly origin?: RequestOrigin;
};
