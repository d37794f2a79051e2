import { errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import type { Json } from '../../lib/json/json.ts';
import type { OAuthRecordRow, OAuthStore } from '../../ports/store/accounts/oauth.ts';
import { hashApiKey } from '../api-key.ts';
import type { PrincipalCache } from '../principal-cache.ts';
import type { SecretBox } from '../secret-box.ts';
import { REGISTERED_BY } from './registration.ts';

export type RecordsOptions = {
  readonly store: OAuthStore;
  /** Encrypts payloads, with a key of its own. */
  readonly box: SecretBox;
  readonly cache: Pick<PrincipalCache, 'forget'>;
  readonly now: () => number;
};

type Bound = { readonly of: 'all' | 'accountId' | 'clientId' | 'grantId'; readonly keep: number };
/** Maximum number of records per model and key; the oldest are deleted. */
const bounds: Readonly<Record<string, Bound>> = {
  // Anyone can begin an authorization.
  Interaction: { of: 'all', keep: 10_000 },
  Session: { of: 'accountId', keep: 20 },
  Grant: { of: 'accountId', keep: 500 },
  AuthorizationCode: { of: 'grantId', keep: 5 },
  AccessToken: { of: 'grantId', keep: 50 },
  // Includes consumed tokens: their reuse must be detected.
  RefreshToken: { of: 'grantId', keep: 200 },
  ClientCredentials: { of: 'clientId', keep: 500 },
};
/** Maximum number of clients that a login session records: only those with a pending code matter. */
const MAX_REMEMBERED = 50;
/** Maximum length of an encrypted payload, in characters. */
const MAX_PAYLOAD_LENGTH = 64 * 1024;

/** Implements the library's storage on the store: one adapter per model. */
export function createAdapters(options: RecordsOptions): (model: string) => Adapter {
  return (model) => (model === 'Client' ? clientAdapter(options) : recordAdapter(model, options));
}

function recordAdapter(model: string, { store, box, cache, now }: RecordsOptions): Adapter {
  const bound = bounds[model];
  if (bound === undefined) throw new Error(`The authorization server does not store ${model}.`);

  /** Also returns undefined for a payload that was encrypted with another key. */
  function open(row: OAuthRecordRow | null): AdapterPayload | undefined {
    if (row === null) return undefined;
    let text: string;
    try {
      text = box.open(model, row.id, row.payload);
    } catch {
      return undefined;
    }
    const payload = JSON.parse(text) as AdapterPayload;
    return row.consumedAt === null ? payload : { ...payload, consumed: Math.floor(row.consumedAt / 1000) };
  }

  return {
    async upsert(id, payload, expiresIn = 0) {
      const hash = hashApiKey(id);
      const sealed = box.seal(model, hash, JSON.stringify(shortenPayload(payload)));
      if (sealed.length > MAX_PAYLOAD_LENGTH) throw new errors.InvalidRequest('the request is too large');
      const of = {
        all: 'all',
        accountId: payload.accountId ?? '',
        clientId: payload.clientId ?? '',
        grantId: payload.grantId === undefined ? '' : hashApiKey(payload.grantId),
      };
      await store.putRecord(
        {
          model,
          id: hash,
          bucket: of[bound.of],
          payload: sealed,
          // A pending authorization refers to the grant that it may replace, but does not belong to it.
          grantId: model === 'Interaction' || of.grantId === '' ? null : of.grantId,
          uid: model === 'Session' && payload.uid !== undefined ? hashApiKey(payload.uid) : null,
          clientId: payload.clientId ?? null,
          accountId: payload.accountId ?? null,
          scope: payload.scope ?? grantedScope(payload),
          createdAt: now(),
          expiresAt: now() + expiresIn * 1000,
          consumedAt: null,
        },
        bound.keep,
      );
    },
    find: async (id) => open(await store.record(model, hashApiKey(id))),
    findByUid: async (uid) => open(await store.recordByUid(model, hashApiKey(uid))),
    findByUserCode: () => Promise.resolve(undefined),
    async destroy(id) {
      const hash = hashApiKey(id);
      await store.removeRecord(model, hash);
      cache.forget(model === 'Grant' ? { grantId: hash } : { tokenId: hash });
    },
    async consume(id) {
      const { isFirstUse, grantId } = await store.consumeRecord(model, hashApiKey(id), now());
      if (isFirstUse) return;
      // Reuse means that the code or token may be stolen: everything in its grant is revoked.
      if (grantId !== null) cache.forget({ grantId });
      throw new errors.InvalidGrant('it was already used');
    },
    async revokeByGrantId(grantId) {
      const hash = hashApiKey(grantId);
      await store.removeRecordsOfGrant(model, hash);
      cache.forget({ grantId: hash });
    },
  };
}

function shortenPayload(payload: AdapterPayload): AdapterPayload {
  const clients = Object.entries(payload.authorizations ?? {});
  if (clients.length <= MAX_REMEMBERED) return payload;
  return { ...payload, authorizations: Object.fromEntries(clients.slice(-MAX_REMEMBERED)) };
}

/** Returns the granted scope for display, without rejected scopes. */
function grantedScope(payload: AdapterPayload): string | null {
  const { openid } = payload as { openid?: { scope?: string } };
  return openid?.scope ?? null;
}

/** Dynamically registered clients. A service creates and deletes those of users. */
function clientAdapter({ store, now }: RecordsOptions): Adapter {
  const never = (): Promise<never> =>
    Promise.reject(new Error('Clients can only be created and found here.'));
  return {
    async upsert(id, payload) {
      const { client_id: _id, client_secret: _secret, [REGISTERED_BY]: _by, ...metadata } = payload;
      const made = await store.createClient({
        id,
        ownerId: null,
        name: payload.client_name ?? '',
        secretHash: null,
        metadata: JSON.parse(JSON.stringify(metadata)) as Record<string, Json>,
        createdAt: now(),
        lastUsedAt: null,
      });
      if (!made) throw new errors.TemporarilyUnavailable('too many clients are registered; try again later');
    },
    async find(id) {
      const client = await store.client(id);
      if (client === null) return undefined;
      return {
        ...client.metadata,
        client_id: client.id,
        // Compared by hash: see `compareClientSecret` in provider.ts.
        ...(client.secretHash === null ? {} : { client_secret: client.secretHash }),
        [REGISTERED_BY]: client.ownerId === null ? 'itself' : 'user',
      } as AdapterPayload;
    },
    findByUid: never,
    findByUserCode: never,
    destroy: never,
    consume: never,
    revokeByGrantId: never,
  };
}
