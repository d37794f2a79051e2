/** The protected resources, relative to the origin. Each has metadata (RFC 9728). */
export const resourcePaths = ['', '/v1', '/v1/mcp'] as const;

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
