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
  /** Set when `via` is `session`. */
  readonly sessionId?: string;
  /** Set when `via` is `api_key`. */
  readonly keyId?: string;
};
