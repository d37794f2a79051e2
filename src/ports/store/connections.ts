import type { ProviderName } from '../../contract/connection-providers.ts';
import type { ConnectionStatus } from '../../contract/resources/connection.ts';
import type { ConnectionGrantType } from '../../contract/requests/connection.ts';

/** As they were given, with the defaults of the provider filled in but for what a null leaves to it. */
export type StoredConnectionSettings = {
  provider: ProviderName | null;
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
  hosts: string[] | null;
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

export type ConnectionRow = {
  ownerId: string;
  name: string;
  description: string;
  settings: StoredConnectionSettings;
  /** Sealed; null: none. */
  clientSecret: string | null;
  state: ConnectionState;
  createdAt: number;
  updatedAt: number;
};

/** `connection:NAME`, or `request:` and a digest of what a configuration holds. */
export type TokenSlot = { ownerId: string; slot: string };

/** `sealed` null: nothing was given out yet. `revision` grows with every change of it. */
export type TokenRow = TokenSlot & {
  sealed: string | null;
  expiresAt: number | null;
  storedAt: number | null;
  revision: number;
  unsureSince: number | null;
};

/** A person on the way to a provider and back. `id` is the hash of the `state`. */
export type AuthorizationRow = {
  id: string;
  ownerId: string;
  name: string;
  sealed: string;
  createdAt: number;
  expiresAt: number;
};

export type ConnectionStore = {
  /** With an empty slot for its tokens. */
  create(row: ConnectionRow, most: number): Promise<'created' | 'exists' | 'full'>;
  get(ownerId: string, name: string): Promise<ConnectionRow | null>;
  /** Newest first. */
  list(ownerId: string, offset: number, limit: number): Promise<{ rows: ConnectionRow[]; total: number }>;
  /**
   * Writes description, settings, client secret and `updatedAt`. With `disconnect` also the state, and then the tokens go, and
   * whoever asks for new ones or is on the way to the provider comes too late. False: not there.
   */
  update(row: ConnectionRow, disconnect: boolean): Promise<boolean>;
  /** With its tokens. */
  remove(ownerId: string, name: string): Promise<boolean>;
  /** Why a person's way to the provider came to nothing; a connection that is connected stays as it is. */
  noteError(ownerId: string, name: string, error: string): Promise<void>;
  /** Of one connection the newest `keep` stay. */
  beginAuthorization(row: AuthorizationRow, keep: number): Promise<void>;
  /** Gives it once, and only before it ends. */
  takeAuthorization(id: string, now: number): Promise<AuthorizationRow | null>;
  tokens(at: TokenSlot): Promise<TokenRow | null>;
  /**
   * The right to ask for new tokens, for one worker at a time. `stale`: the revision is another one by now, or the connection is
   * gone. `busy`: another worker has it. A slot of a configuration is made when it is missing; of one owner the `keep` that were
   * used last stay.
   */
  lease(
    at: TokenSlot,
    revision: number,
    lease: { worker: string; now: number; until: number },
    keep: number,
  ): Promise<
    { kind: 'leased'; unsureSince: number | null } | { kind: 'stale' } | { kind: 'busy'; until: number }
  >;
  /**
   * Stores tokens, and the state of the connection that they are of, in one transaction. With `worker` only while that one has the
   * lease; null: whoever has it comes too late. False: the revision moved on, or the lease or the connection is gone.
   */
  putTokens(
    at: TokenSlot,
    expected: { revision: number; worker: string } | null,
    tokens: { sealed: string; expiresAt: number | null; storedAt: number },
    state: ConnectionState | null,
  ): Promise<boolean>;
  /** Gives the lease up. `answered`: the endpoint answered, so that nothing is unsure. With `state` the connection gets it. */
  releaseLease(
    at: TokenSlot,
    worker: string,
    answered: boolean,
    state: ConnectionState | null,
  ): Promise<boolean>;
  /** What must not show of an owner: sealed client secrets by name, and sealed tokens by slot. */
  sealed(ownerId: string): Promise<{
    clientSecrets: { name: string; sealed: string }[];
    tokens: { slot: string; sealed: string }[];
  }>;
};
