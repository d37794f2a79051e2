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
  'admin',
] as const;
export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
