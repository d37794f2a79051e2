/** What the document of an API states about its OAuth 2.0. */
export type ConnectionPreset = {
  readonly grantType: 'authorization_code' | 'client_credentials';
  readonly authorizationUrl: string | null;
  readonly tokenUrl: string | null;
  readonly scopes: readonly string[];
  /** Additional parameters of the authorization URL. */
  readonly authorizationParams: Readonly<Record<string, string>>;
  /** Null: not stated. */
  readonly pkce: boolean | null;
};
