import type { NpmProperty } from './npm-properties.ts';

/* How the API of a pack authenticates. */

/** Schemes that must be used together, by id, with the scopes that are needed. Empty: no authentication. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** One way to obtain a token. URLs that the document does not state are null. */
export type PackGrant = {
  readonly grant: 'authorization_code' | 'client_credentials';
  readonly authorizationUrl: string | null;
  readonly tokenUrl: string | null;
  /** Descriptions by scope. */
  readonly scopes: Readonly<Record<string, string>>;
  /** Additional parameters of the authorization URL. Missing: none. */
  readonly authorizationParams?: Readonly<Record<string, string>>;
  /** Missing: not stated. */
  readonly pkce?: boolean;
};

/**
 * How an API authenticates. `api_key`: a value under `name` in the header, query or cookie. `secret_text` and
 * `fields`: values that a pack from npm sends itself. `other`: a scheme that Weft does not know (`digest`,
 * `mutualTLS`).
 */
export type PackSecurityScheme = { readonly id: string; readonly description: string } & (
  | { readonly kind: 'api_key'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly kind: 'basic' }
  | { readonly kind: 'bearer' }
  | { readonly kind: 'oauth2'; readonly grants: readonly PackGrant[] }
  | { readonly kind: 'secret_text' }
  | { readonly kind: 'fields'; readonly fields: readonly NpmProperty[] }
  | { readonly kind: 'other'; readonly scheme: string }
);
