import type { Scope } from './scopes.ts';

export const plans = ['standard', 'pro', 'enterprise'] as const;
export type SubscriptionPlan = (typeof plans)[number];
export const roles = ['admin', 'member'] as const;
export type Role = (typeof roles)[number];

/** Who is calling, and how it was proved. `scopes` null means everything that the user's role reaches. */
export type Principal = {
  readonly userId: string;
  readonly email?: string;
  readonly role: Role;
  readonly plan: SubscriptionPlan;
  readonly scopes: ReadonlySet<Scope> | null;
  readonly via: 'session' | 'api_key' | 'oauth';
  /** When the credential ends by itself, in ms; absent: never. */
  readonly expiresAt?: number;
  /** Set when `via` is `session`. */
  readonly sessionId?: string;
  /** Set when `via` is `api_key`. */
  readonly keyId?: string;
  /** Set when `via` is `oauth`: whose token it is, the token (its hash), and the grant it belongs to, if a user gave it. */
  readonly clientId?: string;
  readonly tokenId?: string;
  readonly grantId?: string;
};
