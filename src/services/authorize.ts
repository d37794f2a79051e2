import { WeftError } from '../contract/errors.ts';
import type { Principal } from '../contract/principal.ts';
import { adminScopes, type Scope } from '../contract/scopes.ts';

/**
 * Requires that the credential grants `scope`; the `adminScopes` also require the role.
 * @throws {WeftError} FORBIDDEN
 */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes !== null && !principal.scopes.has(scope)) {
    throw new WeftError('FORBIDDEN', `This credential lacks the scope ${scope}.`, { scope });
  }
  if (adminScopes.has(scope) && principal.role !== 'admin') {
    throw new WeftError('FORBIDDEN', 'Only an administrator may do that.', { role: 'admin' });
  }
}

/** Whether the credential grants a scope that needs no role. */
export function hasScope({ scopes }: Principal, scope: Exclude<Scope, 'admin' | 'audit:read'>): boolean {
  return scopes === null || scopes.has(scope);
}

/** Whether the credential grants administrator access. */
export function isAdministrator({ role, scopes }: Principal): boolean {
  return role === 'admin' && (scopes === null || scopes.has('admin'));
}

/**
 * Returns the session id. @throws {WeftError} FORBIDDEN when the caller used an API key or an OAuth token.
 */
export function requireSession(principal: Principal): string {
  if (principal.via !== 'session' || principal.sessionId === undefined) {
    throw new WeftError('FORBIDDEN', 'This needs a session: log in with email and password.');
  }
  return principal.sessionId;
}
