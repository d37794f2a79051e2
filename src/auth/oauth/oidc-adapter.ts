import { errors, type Adapter, type AdapterPayload } from 'oidc-provider';
import type { Json } from '../../lib/json/json.ts';
import type { OAuthRecordRow, OAuthStore } from '../../ports/store/oauth.ts';
import { hashApiKey } from '../api-key.ts';
import type { PrincipalCache } from '../principal-cache.ts';
import type { SecretBox } from '../secret-box.ts';
import { REGISTERED_BY } from './registration.ts';

export type RecordsOptions = {
  readonly store: OAuthStore;
  /** Seals payloads; of a key of its own. */
  readonly box: SecretBox;
  readonly cache: Pick<PrincipalCache, 'forget'>;
  readonly now: () => number;
};

type Bound = { readonly of: 'all' | 'accountId' | 'clientId' | 'grantId'; readonly keep: number };
/** How many records there may be, of what: the oldest make room. */
const bounds: Readonly<Record<string, Bound>> = {
  // Anyone can begin an authorization.
  Interaction: { of: 'all', keep: 10_000 },
  Session: { of: 'accountId', keep: 20 },
  Grant: { of: 'accountId', keep: 500 },
  AuthorizationCode: { of: 'grantId', keep: 5 },
  AccessToken: { of: 'grantId', keep: 50 },
  // Those that were consumed too: that one comes again must be seen.
  RefreshToken: { of: 'grantId', keep: 200 },
  ClientCredentials: { of: 'clientId', keep: 500 },
};
/** Clients that one browser's login remembers: no more than those with a code under way matter. */
const MAX_REMEMBERED = 50;
/** Characters of a sealed payload. */
const MAX_PAYLOAD = 64 * 1024;

/** The library's storage on our store: one object for each model. */
export function createAdapters(options: RecordsOptions): (model: string) => Adapter {
  return (model) => (model === 'Client' ? clientAdapter(options) : recordAdapter(model, options));
}

function recordAdapter(model: string, { store, box, cache, now }: RecordsOptions): Adapter {
  const bound = bounds[model];
  if (bound === undefined) throw new Error(`The authorization server keeps no ${model}.`);

  /** Undefined too for what was sealed with another key: nobody can have been given it by this service as it is. */
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
      const sealed = box.seal(model, hash, JSON.stringify(shortened(payload)));
      if (sealed.length > MAX_PAYLOAD) throw new errors.InvalidRequest('the request is too large');
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
          // A pending authorization names the grant that it may replace, but is no part of it.
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
      const { won, grantId } = await store.consumeRecord(model, hashApiKey(id), now());
      if (won) return;
      // Whoever was faster may have stolen it, or was stolen from: nobody keeps what hangs on it.
      if (grantId !== null) cache.forget({ grantId });
      throw new errors.InvalidGrant('it was used before');
    },
    async revokeByGrantId(grantId) {
      const hash = hashApiKey(grantId);
      await store.removeRecordsOfGrant(model, hash);
      cache.forget({ grantId: hash });
    },
  };
}

function shortened(payload: AdapterPayload): AdapterPayload {
  const clients = Object.entries(payload.authorizations ?? {});
  if (clients.length <= MAX_REMEMBERED) return payload;
  return { ...payload, authorizations: Object.fromEntries(clients.slice(-MAX_REMEMBERED)) };
}

/** Of a grant: what is shown of it. What was refused is not among it. */
function grantedScope(payload: AdapterPayload): string | null {
  const { openid } = payload as { openid?: { scope?: string } };
  return openid?.scope ?? null;
}

/** Clients that register themselves. Those of users are made and removed by a service. */
function clientAdapter({ store, now }: RecordsOptions): Adapter {
  const never = (): Promise<never> => Promise.reject(new Error('A client is only made and found here.'));
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
