/** A value that is part of a provider's URLs, in place of `{name}`. */
export type ProviderField = {
  readonly name: string;
  readonly title: string;
  /** A regular expression. It admits no character that ends the host or the path segment of a URL. */
  readonly pattern: string;
  readonly example: string;
  /** The value of a connection that sets none; null: the field is required. */
  readonly default: string | null;
};

/** How to connect accounts of a service, so that a connection needs only the id and the secret of an app. */
export type ConnectionProvider = {
  readonly title: string;
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  /** Separates the scopes in the authorization URL. */
  readonly scopeSeparator: ' ' | ',';
  /** How the client authenticates at the token endpoint. Null: HTTP Basic, then fields of the body. */
  readonly clientAuthentication: 'basic' | 'body' | null;
  readonly pkce: boolean;
  readonly authorizationParams: Readonly<Record<string, string>>;
  readonly fields: readonly ProviderField[];
  /** Domains of the API, by which the editor suggests the provider. */
  readonly hosts: readonly string[];
  /** Base URL of the API that connector nodes call; null when it differs per account or is not known. */
  readonly baseUrl: string | null;
  /**
   * URL that a connection test requests, or a path below the account's API URL (Salesforce). Null: the test
   * only obtains a token.
   */
  readonly testUrl: string | null;
  /** When the entry was compared with a document of the provider, and its address; null: not compared. */
  readonly reviewed: { readonly date: string; readonly source: string } | null;
};

let loaded: Promise<ReadonlyMap<string, ConnectionProvider>> | null = null;

/** Returns all providers by id, in the order of their ids. Loads the catalog with the first call. */
export function loadProviders(): Promise<ReadonlyMap<string, ConnectionProvider>> {
  loaded ??= import('./connection-providers.json', { with: { type: 'json' } }).then(
    ({ default: catalog }) => new Map(Object.entries(catalog as Record<string, ConnectionProvider>)),
  );
  return loaded;
}

/** Returns a provider; null for an unknown id, and for null. */
export async function findProvider(id: string | null): Promise<ConnectionProvider | null> {
  return id === null ? null : ((await loadProviders()).get(id) ?? null);
}

/** Inserts the values of a provider's fields into one of its URLs. A field without a value stays as it is. */
export function fillProviderUrl(url: string, values: Readonly<Record<string, string>>): string {
  return url.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}
