/** The protected resources, relative to the origin. Each has metadata (RFC 9728). */
export const resourcePaths = ['', '/v1', '/v1/mcp'] as const;

type ResourcePath = (typeof resourcePaths)[number];

/** Files to which results of the MCP server link. */
const FILES = '/v1/files/';

/** The resource that a client names, with or without a slash at its end; null: none of this service. */
export function findResource(origin: string, name: string): ResourcePath | null {
  return resourcePaths.find((path) => name === `${origin}${path}` || name === `${origin}${path}/`) ?? null;
}

/** Whether a token for a resource is valid for a path. A resource includes those below it. */
export function includesPath(resource: ResourcePath, path: string): boolean {
  return (
    path === resource || path.startsWith(`${resource}/`) || (resource === '/v1/mcp' && path.startsWith(FILES))
  );
}

/** Relative to the issuer, which is the root of the origin. */
export const oauthPaths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  jwks: '/oauth/jwks',
  interaction: '/oauth/interaction',
} as const;
