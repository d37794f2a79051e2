/** What the document of an API states about its OAuth 2.0. */
export type ConnectionPreset = {
  readonly grantType: 'authorization_code' | 'client_credentials';
  readonly authorizationUrl: string | null;
  readonly tokenUrl: string | null;
  readonly scopes: readonly string[];
};
