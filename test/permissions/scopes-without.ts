import { scopes, type Scope } from '../../src/contract/scopes.ts';

/** All scopes except this one. */
export function listScopesWithout(scope: Scope): Scope[] {
  return scopes.filter((one) => one !== scope);
}
