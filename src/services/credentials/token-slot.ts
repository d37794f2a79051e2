import { createHash } from 'node:crypto';
import type { SecretBox } from '../../auth/secret-box.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { authenticateWithFields, listSecretValues } from '../../contract/connections/connection-fields.ts';
import {
  formatSealedFieldName,
  type ConnectionRow,
  type ConnectionStore,
  type TokenRow,
  type TokenSlot,
} from '../../ports/store/connections.ts';
import type { ConnectionAccess, TokenGrant } from '../../ports/oauth-tokens.ts';
import { resolveApiUrl } from './connection-settings.ts';
import type { Tokens } from './token-expiry.ts';

/** The contents of a slot and its grant; a null `grant` requires the user to authorize again. */
export type StoredCredential = {
  at: TokenSlot;
  row: TokenRow | null;
  tokens: Tokens | null;
  grant: TokenGrant | null;
  connection: ConnectionRow | null;
  clientSecret: string | null;
  /** The values of a connection of fields; null for OAuth. */
  values: Readonly<Record<string, string>> | null;
};
/** Reads the current state. */
export type CredentialLoader = () => Promise<StoredCredential>;

/** Decrypts stored tokens: those of a connection, and those of a refresh token in a node's configuration. */
export function createCredentialLoaders(deps: {
  connections: Pick<ConnectionStore, 'get' | 'tokens' | 'sealed'>;
  box: SecretBox;
}) {
  const { connections, box } = deps;

  function open(at: TokenSlot, row: TokenRow | null): Tokens | null {
    if (row?.sealed == null) return null;
    return JSON.parse(unseal(at.ownerId, at.slot, row.sealed)) as Tokens;
  }

  function unseal(ownerId: string, name: string, sealed: string): string {
    try {
      return box.open(ownerId, name, sealed);
    } catch {
      throw createTokenFailure(
        `What is stored of ${describeSlot(name)} cannot be decrypted, because it was encrypted with another secret key. Connect the account again.`,
      );
    }
  }

  const secretName = (name: string): string => `connection:${name}#client_secret`;
  const clientSecret = ({ ownerId, name, clientSecret: sealed }: ConnectionRow): string | null =>
    sealed === null ? null : unseal(ownerId, secretName(name), sealed);

  const fieldValues = ({ ownerId, name, fields }: ConnectionRow): Record<string, string> =>
    Object.fromEntries(
      Object.entries(fields ?? {}).map(([field, sealed]) => [
        field,
        unseal(ownerId, formatSealedFieldName(name, field), sealed),
      ]),
    );

  const ofConnection =
    (ownerId: string, name: string): CredentialLoader =>
    async () => {
      const at = toSlot(ownerId, name);
      const connection = await connections.get(ownerId, name);
      if (connection === null) throw createTokenFailure(`There is no connection ${name}`, 'validation');
      if (connection.fields !== null)
        return {
          at,
          row: null,
          tokens: null,
          grant: null,
          connection,
          clientSecret: null,
          values: fieldValues(connection),
        };
      const row = await connections.tokens(at);
      const tokens = open(at, row);
      const secret = clientSecret(connection);
      return {
        at,
        row,
        tokens,
        connection,
        clientSecret: secret,
        grant: toTokenGrant(connection, secret, tokens),
        values: null,
      };
    };

  const ofGrant =
    (ownerId: string, grant: TokenGrant & { type: 'refresh_token' }): CredentialLoader =>
    async () => {
      const at = { ownerId, slot: `request:${digestGrant(grant)}` };
      const row = await connections.tokens(at);
      const tokens = open(at, row);
      return {
        at,
        row,
        tokens,
        connection: null,
        clientSecret: grant.clientSecret,
        grant: { ...grant, refreshToken: tokens?.refresh ?? grant.refreshToken },
        values: null,
      };
    };

  return {
    open,
    ofConnection,
    ofGrant,
    clientSecret,
    sealClientSecret: (ownerId: string, name: string, secret: string): string =>
      box.seal(ownerId, secretName(name), secret),
    fieldValues,
    sealFieldValue: (ownerId: string, name: string, field: string, value: string): string =>
      box.seal(ownerId, formatSealedFieldName(name, field), value),

    /** Returns the values to redact for an owner. */
    async listSecrets(ownerId: string): Promise<string[]> {
      const { clientSecrets, fields, tokens } = await connections.sealed(ownerId);
      const texts: string[] = [];
      const tryOpen = (name: string, sealed: string): string | null => {
        try {
          return box.open(ownerId, name, sealed);
        } catch {
          // A value that cannot be decrypted cannot have been exposed.
          return null;
        }
      };
      for (const { name, sealed } of clientSecrets) texts.push(tryOpen(secretName(name), sealed) ?? '');
      for (const { name, settings, fields: sealed } of fields) {
        const values = Object.entries(sealed ?? {}).map(([field, text]) => [
          field,
          tryOpen(formatSealedFieldName(name, field), text) ?? '',
        ]);
        if (settings.authentication !== null)
          texts.push(
            ...listSecretValues(
              settings.authentication,
              Object.fromEntries(values) as Record<string, string>,
            ),
          );
      }
      for (const { slot, sealed } of tokens) {
        const text = tryOpen(slot, sealed);
        if (text !== null) texts.push(...listSecretTokens(JSON.parse(text) as Tokens));
      }
      return texts;
    },
  };
}

export function toSlot(ownerId: string, name: string): TokenSlot {
  return { ownerId, slot: `connection:${name}` };
}

/** Returns how the connection gets its next token; null when the user must authorize again. */
function toTokenGrant(
  { settings, state }: ConnectionRow,
  clientSecret: string | null,
  tokens: Tokens | null,
): TokenGrant | null {
  const { tokenUrl, clientId, clientAuthentication, scopes, grantType } = settings;
  const client = { tokenUrl, clientId, clientSecret, clientAuthentication };
  if (grantType === 'client_credentials')
    return { ...client, scope: scopes.join(' '), type: 'client_credentials' };
  if (state.status === 'pending' || tokens?.refresh == null) return null;
  // Without a scope, the granted scope stays the same (RFC 6749 §6).
  return { ...client, scope: '', type: 'refresh_token', refreshToken: tokens.refresh };
}

/**
 * Returns a digest of the configuration: another refresh token yields another slot, and the digest reveals
 * nothing.
 */
function digestGrant({
  tokenUrl,
  clientId,
  clientSecret,
  scope,
  refreshToken,
}: TokenGrant & { type: 'refresh_token' }): string {
  const text = JSON.stringify([tokenUrl, clientId, clientSecret, scope, refreshToken]);
  return createHash('sha256').update(text).digest('base64url');
}

/** @throws {HttpFailure} when the user must authorize again. */
export function refuseUnusable({ connection, tokens }: StoredCredential): void {
  if (connection === null) return;
  const { name, state, settings } = connection;
  if (state.status === 'needs_reauthorization')
    throw createTokenFailure(`The connection ${name} must be authorized again: ${state.error ?? ''}`);
  if (settings.grantType === 'authorization_code' && tokens === null)
    throw createTokenFailure(
      `The connection ${name} is not connected yet. Authorize it with its account first`,
    );
}

/** What the tokens, or the values of fields, authenticate with. */
export async function toConnectionAccess(subject: StoredCredential): Promise<ConnectionAccess> {
  const { connection, grant, tokens, values } = subject;
  const settings = connection?.settings ?? null;
  const shared = {
    apiUrl: settings === null ? null : await resolveApiUrl(settings, tokens?.apiUrl ?? null),
    hosts: settings?.hosts ?? null,
  };
  if (values !== null && settings?.authentication != null) {
    const { authentication } = settings;
    return {
      ...shared,
      token: authentication.type === 'bearer' ? (values['token'] ?? null) : null,
      credentials: authenticateWithFields(authentication, values),
      secrets: listSecretValues(authentication, values),
      fields: values,
    };
  }
  const token = tokens?.access ?? '';
  return {
    ...shared,
    token,
    credentials: { headers: { authorization: `Bearer ${token}` }, query: {} },
    secrets: [...(tokens === null ? [] : listSecretTokens(tokens)), ...listSecrets(subject, grant)],
    fields: null,
  };
}

function listSecretTokens({ access, refresh, before }: Tokens): string[] {
  return [access, ...(refresh === null ? [] : [refresh]), ...before.map(({ token }) => token)];
}

export function listSecrets({ clientSecret }: StoredCredential, grant: TokenGrant | null): string[] {
  return [
    ...(clientSecret === null ? [] : [clientSecret]),
    ...(grant?.type === 'refresh_token' ? [grant.refreshToken] : []),
  ];
}

export function describeCredential({ connection }: StoredCredential): string {
  return connection === null ? 'The refresh token' : `The connection ${connection.name}`;
}

function describeSlot(slot: string): string {
  return slot.startsWith('connection:')
    ? `the connection ${slot.slice('connection:'.length).replace(/#.*/, '')}`
    : 'a refresh token';
}

export function createTokenFailure(
  message: string,
  type: 'client_error' | 'validation' | 'interrupted' = 'client_error',
) {
  return new HttpFailure({ type, message, ...(type === 'interrupted' ? {} : { retryable: false }) });
}
