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
