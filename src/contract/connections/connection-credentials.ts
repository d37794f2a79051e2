/**
 * What authenticates requests as a connected account: their headers, with names in lower case, and query
 * parameters. `token` is the access token; null for a connection of named fields, except for one with a bearer
 * token. `apiUrl`: base URL of the API; null when unknown.
 */
export type ConnectionCredentials = {
  readonly token: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly apiUrl: string | null;
  /** The values of a connection of named fields; null for OAuth. */
  readonly fields: Readonly<Record<string, string>> | null;
};
