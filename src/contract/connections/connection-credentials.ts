/**
 * What authenticates requests as a connected account: their headers, with names in lower case, and query
 * parameters. `token` is the access token; null for a connection of named fields, except for one with a
 * bearer token. `apiUrl`: base URL of the API; null when unknown.
 */
export type ConnectionCredentials = {
  readonly token: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly apiUrl: string | null;
  /** The values of a connection of named fields; null for OAuth. */
  readonly fields: Readonly<Record<string, string>> | null;
};

/** An OAuth 2.0 token request with client credentials or a refresh token. */
export type TokenRequest = {
  token_url: string;
  client_id: string;
  client_secret?: string;
  scope?: string;
  refresh_token?: string;
  /** As in `HttpRequest`. */
  proxy?: string;
};
