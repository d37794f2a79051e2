import type { RequestCredentials } from '../contract/connections/connection-fields.ts';

/**
 * A request to a token endpoint (RFC 6749). Without `clientAuthentication`: HTTP Basic, then the body if that
 * is rejected.
 */
export type TokenGrant = {
  tokenUrl: string;
  clientId: string;
  clientSecret: string | null;
  clientAuthentication?: 'basic' | 'body' | null;
  scope: string;
  /** The URL of a proxy. */
  proxy?: string;
} & (
  | { type: 'client_credentials' }
  | { type: 'refresh_token'; refreshToken: string }
  | { type: 'authorization_code'; code: string; redirectUri: string; codeVerifier: string | null }
);

/**
 * `expiresIn` in ms, null when the provider omits it; `apiUrl` is the base URL of this account's API
 * (Salesforce).
 */
export type TokenResponse = {
  accessToken: string;
  refreshToken: string | null;
  expiresIn: number | null;
  scopes: string[] | null;
  apiUrl: string | null;
};

/**
 * Sends the request through the egress policy. Rejects with HttpFailure. For a response of the endpoint,
 * `data.error` is the code of RFC 6749 §5.2 or "". The message may repeat parts of the request.
 */
export type RequestToken = (grant: TokenGrant, signal: AbortSignal) => Promise<TokenResponse>;

/** An access token for one use. `secrets` are texts to redact. */
export type TokenAccess = {
  token: string;
  apiUrl: string | null;
  hosts: readonly string[] | null;
  secrets: readonly string[];
};

/** The authentication of a connected account. `token`: null for a connection of fields, except bearer. */
export type ConnectionAccess = Omit<TokenAccess, 'token'> & {
  token: string | null;
  credentials: RequestCredentials;
  /** The values of named fields; null for OAuth. */
  fields: Readonly<Record<string, string>> | null;
};

/**
 * Tokens that are stored across restarts. `refused`: a token that was just rejected with 401; the result is
 * another token, or the same one when there is no newer. Aborting `signal` ends the wait but not a token
 * request in flight, because its response may contain the only refresh token. Rejects with HttpFailure.
 */
export type OAuthTokens = {
  ofConnection(
    ownerId: string,
    name: string,
    refused: string | null,
    signal: AbortSignal,
  ): Promise<ConnectionAccess>;
  /** For a grant in a node's configuration. Rotated refresh tokens are stored. */
  ofGrant(
    ownerId: string,
    grant: TokenGrant & { type: 'refresh_token' },
    refused: string | null,
    signal: AbortSignal,
  ): Promise<TokenAccess>;
};
