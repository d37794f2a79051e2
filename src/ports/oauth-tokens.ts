/** How a token endpoint is asked (RFC 6749). Without `clientAuthentication`: by HTTP Basic, then in the body if that is refused. */
export type TokenGrant = {
  tokenUrl: string;
  clientId: string;
  clientSecret: string | null;
  clientAuthentication?: 'basic' | 'body' | null;
  scope: string;
  /** The URL of a proxy to go through. */
  proxy?: string;
} & (
  | { type: 'client_credentials' }
  | { type: 'refresh_token'; refreshToken: string }
  | { type: 'authorization_code'; code: string; redirectUri: string; codeVerifier: string | null }
);

/** `expiresIn` in ms, null when the provider did not say; `apiUrl` is where this account's API is (Salesforce). */
export type TokenResponse = {
  accessToken: string;
  refreshToken: string | null;
  expiresIn: number | null;
  scopes: string[] | null;
  apiUrl: string | null;
};

/**
 * Asks through the egress gate. Rejects with HttpFailure; one that the endpoint itself answered has `data.error`, the code of
 * RFC 6749 §5.2 or "". Its message may repeat what was sent.
 */
export type RequestToken = (grant: TokenGrant, signal: AbortSignal) => Promise<TokenResponse>;

/** An access token for one use. `secrets` are the texts that must not show. */
export type TokenAccess = {
  token: string;
  apiUrl: string | null;
  hosts: readonly string[] | null;
  secrets: readonly string[];
};

/**
 * Tokens that outlive the process. `refused`: the token that was just answered with 401; another one is given, or the same
 * when there is no newer one to be had. When `signal` aborts the wait ends, but never a request for a token that is under way:
 * its answer may hold the only refresh token. Rejects with HttpFailure.
 */
export type OAuthTokens = {
  ofConnection(
    ownerId: string,
    name: string,
    refused: string | null,
    signal: AbortSignal,
  ): Promise<TokenAccess>;
  /** Of a grant that a configuration holds itself; the refresh tokens that replace its own are kept. */
  ofGrant(
    ownerId: string,
    grant: TokenGrant & { type: 'refresh_token' },
    refused: string | null,
    signal: AbortSignal,
  ): Promise<TokenAccess>;
};
