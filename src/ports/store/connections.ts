import type { FieldAuthentication } from '../../contract/connections/connection-fields.ts';
import type { ConnectionStatus } from '../../contract/resources/connection.ts';
import type { ConnectionGrantType } from '../../contract/requests/connection.ts';
import type { AuditedChange } from './audit.ts';

/**
 * The given settings, with the provider's defaults filled in except for fields that are null. A connection of
 * fields has an `authentication`, and neither token URL nor client id.
 */
export type StoredConnectionSettings = {
  provider: string | null;
  providerFields: Record<string, string>;
  grantType: ConnectionGrantType;
  authorizationUrl: string | null;
  tokenUrl: string;
  clientId: string;
  scopes: string[];
  clientAuthentication: 'basic' | 'body' | null;
  pkce: boolean;
  authorizationParams: Record<string, string>;
  baseUrl: string | null;
  testUrl: string | null;
  testMethod: 'GET' | 'HEAD' | 'POST';
  /** Null: any from 200 to 299. */
  testStatus: number | null;
  hosts: string[] | null;
  authentication: FieldAuthentication | null;
};

export type ConnectionState = {
  status: ConnectionStatus;
  error: string | null;
  grantedScopes: string[] | null;
  refreshable: boolean;
  expiresAt: number | null;
  authorizedAt: number | null;
  refreshedAt: number | null;
};

/** The name under which the value of a field is encrypted. */
export function formatSealedFieldName(connection: string, field: string): string {
  return `connection:${connection}#field.${field}`;
}

export type ConnectionRow = {
  ownerId: string;
  name: string;
  description: string;
  settings: StoredConnectionSettings;
  /** Encrypted; null: none. */
  clientSecret: string | null;
  /** Encrypted values of a connection of fields, by field; null for OAuth. */
  fields: Record<string, string> | null;
  state: ConnectionState;
  createdAt: number;
  updatedAt: number;
};

/** `connection:NAME`, or `request:` and a digest of the grant in a configuration. */
export type TokenSlot = { ownerId: string; slot: string };

/** `sealed` null: no tokens were issued yet. `revision` grows with every change. */
export type TokenRow = TokenSlot & {
  sealed: string | null;
  expiresAt: number | null;
  storedAt: number | null;
  revision: number;
  uncertainSince: number | null;
};

/** An authorization that a user has started at a provider. `id` is the hash of `state`. */
export type AuthorizationRow = {
  id: string;
  ownerId: string;
  name: string;
  sealed: string;
  createdAt: number;
  expiresAt: number;
};

export type ConnectionStore = {
  /** Also creates an empty slot for its tokens. */
  create(row: ConnectionRow, most: number, event?: AuditedChange): Promise<'created' | 'exists' | 'full'>;
  get(ownerId: string, name: string): Promise<ConnectionRow | null>;
  /** Newest first. */
  list(ownerId: string, offset: number, limit: number): Promise<{ rows: ConnectionRow[]; total: number }>;
  /**
   * Writes description, settings, client secret, fields and `updatedAt`. With `disconnect`, also writes the
   * state, deletes the tokens, and invalidates pending token requests and authorizations. Replaced fields are
   * kept as former secrets. False: not found.
   */
  update(row: ConnectionRow, disconnect: boolean, event?: AuditedChange): Promise<boolean>;
  /** Also removes its tokens. `at` is when its fields become former secrets. */
  remove(ownerId: string, name: string, at: number, event?: AuditedChange): Promise<boolean>;
  /** Writes the state unless the settings have changed since `updatedAt`. */
  setState(ownerId: string, name: string, updatedAt: number, state: ConnectionState): Promise<void>;
  /** Records why an authorization failed; a connected connection is not changed. */
  noteError(ownerId: string, name: string, error: string): Promise<void>;
  /** Keeps the newest `keep` authorizations of one connection. */
  beginAuthorization(row: AuthorizationRow, keep: number): Promise<void>;
  /** Returns an authorization once, and only before it expires. */
  takeAuthorization(id: string, now: number): Promise<AuthorizationRow | null>;
  tokens(at: TokenSlot): Promise<TokenRow | null>;
  /**
   * Leases the right to request new tokens to one worker at a time. `stale`: the revision has changed, or the
   * connection does not exist. `busy`: another worker holds the lease. A missing slot of a configuration is
   * created; per owner, the `keep` most recently used ones are kept.
   */
  lease(
    at: TokenSlot,
    revision: number,
    lease: { worker: string; now: number; until: number },
    keep: number,
  ): Promise<
    { kind: 'leased'; uncertainSince: number | null } | { kind: 'stale' } | { kind: 'busy'; until: number }
  >;
  /**
   * Stores tokens and the state of their connection in one transaction. With `worker`, only while that worker
   * holds the lease; null: invalidates the lease of any worker. False: the revision has changed, or the lease
   * or connection does not exist.
   */
  putTokens(
    at: TokenSlot,
    expected: { revision: number; worker: string } | null,
    tokens: { sealed: string; expiresAt: number | null; storedAt: number },
    state: ConnectionState | null,
    event?: AuditedChange,
  ): Promise<boolean>;
  /**
   * Releases the lease. `hasResponse`: the endpoint responded, so its state is certain. `state` updates the
   * connection.
   */
  releaseLease(
    at: TokenSlot,
    worker: string,
    hasResponse: boolean,
    state: ConnectionState | null,
  ): Promise<boolean>;
  /** Values of an owner to redact: encrypted client secrets and fields by name, tokens by slot. */
  sealed(ownerId: string): Promise<{
    clientSecrets: { name: string; sealed: string }[];
    fields: Pick<ConnectionRow, 'name' | 'settings' | 'fields'>[];
    tokens: { slot: string; sealed: string }[];
  }>;
};
