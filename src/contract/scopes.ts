/**
 * Permissions to which an API key or an OAuth token can be limited. A session has all permissions of its
 * user.
 */
export const scopes = [
  'workflows:read',
  'workflows:write',
  'executions:read',
  'executions:write',
  'nodes:read',
  'nodes:write',
  'secrets:read',
  'secrets:write',
  'secrets:use',
  'decisions:write',
  'audit:read',
  'admin',
] as const;
export type Scope = (typeof scopes)[number];

/** Scopes that also require the role of an administrator. */
export const adminScopes: ReadonlySet<string> = new Set<Scope>(['admin', 'audit:read']);

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
