import {
  formatSealedFieldName,
  type AuthorizationRow,
  type ConnectionRow,
  type ConnectionState,
  type ConnectionStore,
  type StoredConnectionSettings,
  type TokenRow,
  type TokenSlot,
} from '../../ports/store/connections.ts';
import * as connections from '../queries/connections.ts';
import { selectAll, change, selectFirst, lock, type Transaction, type Statement } from '../statement.ts';
import { keepFormerSecrets } from './former-secrets.ts';
import { ownerLock } from './locks.ts';

type ConnectionRecord = {
  owner_id: string;
  name: string;
  description: string;
  settings: string;
  client_secret: string | null;
  state: string;
  created_at: number;
  updated_at: number;
  fields: string | null;
};
type TokenRecord = {
  owner_id: string;
  slot: string;
  sealed: string | null;
  expires_at: number | null;
  stored_at: number | null;
  revision: number;
  lease_by: string | null;
  lease_until: number | null;
  unsure_since: number | null;
};
type AuthorizationRecord = {
  id: string;
  owner_id: string;
  name: string;
  sealed: string;
  created_at: number;
  expires_at: number;
};
type Result<K extends keyof ConnectionStore> = Transaction<Awaited<ReturnType<ConnectionStore[K]>>>;

const PREFIX = 'connection:';

/** Settings that connections of earlier versions lack. */
const DEFAULT_SETTINGS = { providerFields: {}, testMethod: 'GET', testStatus: null, authentication: null };

/** Serializes decisions about a slot and its connection. */
const slotLock = ({ ownerId, slot }: TokenSlot): Transaction<void> => lock(`tokens ${ownerId} ${slot}`);
const ofName = (ownerId: string, name: string): TokenSlot => ({ ownerId, slot: PREFIX + name });

const toSettings = (text: string): StoredConnectionSettings =>
  ({ ...DEFAULT_SETTINGS, ...(JSON.parse(text) as object) }) as StoredConnectionSettings;
const toFields = (text: string | null): ConnectionRow['fields'] =>
  text === null ? null : (JSON.parse(text) as Record<string, string>);
const fromFields = (fields: ConnectionRow['fields']): string | null =>
  fields === null ? null : JSON.stringify(fields);

/** The fields of `before` that are not in `after`, as former secrets. */
function* retireFields(
  ownerId: string,
  name: string,
  after: ConnectionRow['fields'],
  at: number,
): Transaction<void> {
  const before = yield* getConnection(ownerId, name);
  const ended = Object.entries(before?.fields ?? {}).filter(([field, sealed]) => after?.[field] !== sealed);
  yield* keepFormerSecrets(
    ownerId,
    ended.map(([field, value]) => ({ name: formatSealedFieldName(name, field), value })),
    at,
  );
}

function toConnection(r: ConnectionRecord): ConnectionRow {
  return {
    ownerId: r.owner_id,
    name: r.name,
    description: r.description,
    settings: toSettings(r.settings),
    clientSecret: r.client_secret,
    fields: toFields(r.fields),
    state: JSON.parse(r.state) as ConnectionState,
    createdAt: r.created_at,
    updatedAt: r.updated_at,
  };
}

/** Updates the connection that a slot belongs to; nothing for a slot of a configuration. */
function updateState({ ownerId, slot }: TokenSlot, state: ConnectionState | null): Statement[] {
  if (state === null || !slot.startsWith(PREFIX)) return [];
  return [{ sql: connections.setState, params: [JSON.stringify(state), ownerId, slot.slice(PREFIX.length)] }];
}

export function* createConnection(row: ConnectionRow, most: number): Result<'create'> {
  const { ownerId, name } = row;
  yield* lock(ownerLock('connections', ownerId));
  if ((yield* selectFirst(connections.get, ownerId, name)) !== null) return 'exists';
  if (((yield* selectFirst<{ n: number }>(connections.count, ownerId))?.n ?? 0) >= most) return 'full';
  const { description, settings, clientSecret, fields, state, createdAt, updatedAt } = row;
  yield [
    {
      sql: connections.insert,
      params: [
        ownerId,
        name,
        description,
        JSON.stringify(settings),
        clientSecret,
        JSON.stringify(state),
        createdAt,
        updatedAt,
        fromFields(fields),
      ],
    },
    { sql: connections.insertTokens, params: [ownerId, PREFIX + name, createdAt] },
  ];
  return 'created';
}

export function* getConnection(ownerId: string, name: string): Result<'get'> {
  const row = yield* selectFirst<ConnectionRecord>(connections.get, ownerId, name);
  return row === null ? null : toConnection(row);
}

export function* listConnections(ownerId: string, offset: number, limit: number): Result<'list'> {
  const total = (yield* selectFirst<{ n: number }>(connections.count, ownerId))?.n ?? 0;
  const rows = yield* selectAll<ConnectionRecord>(connections.list, ownerId, limit, offset);
  return { rows: rows.map(toConnection), total };
}

export function* updateConnection(row: ConnectionRow, disconnect: boolean): Result<'update'> {
  const { ownerId, name, description, clientSecret, updatedAt } = row;
  const settings = JSON.stringify(row.settings);
  yield* slotLock(ofName(ownerId, name));
  yield* retireFields(ownerId, name, row.fields, updatedAt);
  const found = yield* change(
    connections.update,
    description,
    settings,
    clientSecret,
    fromFields(row.fields),
    updatedAt,
    ownerId,
    name,
  );
  if (found === 0) return false;
  if (disconnect)
    yield [
      { sql: connections.setState, params: [JSON.stringify(row.state), ownerId, name] },
      { sql: connections.dropTokens, params: [ownerId, PREFIX + name] },
      { sql: connections.removeAuthorizations, params: [ownerId, name] },
    ];
  return true;
}

export function* setConnectionState(
  ownerId: string,
  name: string,
  updatedAt: number,
  state: ConnectionState,
): Result<'setState'> {
  yield* change(connections.setStateIfUnchanged, JSON.stringify(state), ownerId, name, updatedAt);
}

export function* removeConnection(ownerId: string, name: string, at: number): Result<'remove'> {
  yield* slotLock(ofName(ownerId, name));
  yield* retireFields(ownerId, name, null, at);
  const [gone] = yield [
    { sql: connections.remove, params: [ownerId, name] },
    { sql: connections.removeTokens, params: [ownerId, PREFIX + name] },
    { sql: connections.removeAuthorizations, params: [ownerId, name] },
  ];
  return (gone?.changes ?? 0) > 0;
}

export function* noteConnectionError(ownerId: string, name: string, error: string): Result<'noteError'> {
  yield* slotLock(ofName(ownerId, name));
  const row = yield* getConnection(ownerId, name);
  if (row === null || row.state.status === 'connected') return;
  yield* change(connections.setState, JSON.stringify({ ...row.state, error }), ownerId, name);
}

export function* beginAuthorization(row: AuthorizationRow, keep: number): Result<'beginAuthorization'> {
  const { id, ownerId, name, sealed, createdAt, expiresAt } = row;
  yield [
    { sql: connections.pruneAuthorizations, params: [createdAt] },
    { sql: connections.insertAuthorization, params: [id, ownerId, name, sealed, createdAt, expiresAt] },
    { sql: connections.keepAuthorizations, params: [ownerId, name, keep] },
  ];
}

export function* takeAuthorization(id: string, now: number): Result<'takeAuthorization'> {
  const r = yield* selectFirst<AuthorizationRecord>(connections.getAuthorization, id);
  if (r === null || (yield* change(connections.removeAuthorization, id)) === 0) return null;
  if (r.expires_at <= now) return null;
  const { owner_id: ownerId, name, sealed, created_at: createdAt, expires_at: expiresAt } = r;
  return { id: r.id, ownerId, name, sealed, createdAt, expiresAt };
}

export function* getTokens({ ownerId, slot }: TokenSlot): Transaction<TokenRow | null> {
  const r = yield* selectFirst<TokenRecord>(connections.getTokens, ownerId, slot);
  if (r === null) return null;
  return {
    ownerId,
    slot,
    sealed: r.sealed,
    expiresAt: r.expires_at,
    storedAt: r.stored_at,
    revision: r.revision,
    uncertainSince: r.unsure_since,
  };
}

export function* leaseTokens(
  { ownerId, slot }: TokenSlot,
  revision: number,
  { worker, now, until }: { worker: string; now: number; until: number },
  keep: number,
): Result<'lease'> {
  yield* slotLock({ ownerId, slot });
  const row = yield* selectFirst<TokenRecord>(connections.getTokens, ownerId, slot);
  if (row === null && (revision !== 0 || slot.startsWith(PREFIX))) return { kind: 'stale' };
  if (row !== null && row.revision !== revision) return { kind: 'stale' };
  const isHeld = row !== null && row.lease_by !== null && row.lease_by !== worker;
  if (isHeld && (row.lease_until ?? 0) > now) return { kind: 'busy', until: row.lease_until ?? now };
  yield [
    ...(row === null
      ? [
          { sql: connections.insertTokens, params: [ownerId, slot, now] },
          { sql: connections.forgetTokens, params: [ownerId, ownerId, keep] },
        ]
      : []),
    { sql: connections.leaseTokens, params: [worker, until, now, now, ownerId, slot] },
  ];
  return { kind: 'leased', uncertainSince: row?.unsure_since ?? null };
}

export function* putTokens(
  at: TokenSlot,
  expected: { revision: number; worker: string } | null,
  { sealed, expiresAt, storedAt }: { sealed: string; expiresAt: number | null; storedAt: number },
  state: ConnectionState | null,
): Result<'putTokens'> {
  const { ownerId, slot } = at;
  yield* slotLock(at);
  const row = yield* selectFirst<TokenRecord>(connections.getTokens, ownerId, slot);
  if (row === null) return false;
  if (expected !== null && (row.revision !== expected.revision || row.lease_by !== expected.worker))
    return false;
  yield [
    { sql: connections.putTokens, params: [sealed, expiresAt, storedAt, storedAt, ownerId, slot] },
    ...updateState(at, state),
  ];
  return true;
}

export function* releaseTokens(
  at: TokenSlot,
  worker: string,
  hasResponse: boolean,
  state: ConnectionState | null,
): Result<'releaseLease'> {
  yield* slotLock(at);
  const sql = hasResponse ? connections.releaseWithResponse : connections.releaseWithoutResponse;
  if ((yield* change(sql, at.ownerId, at.slot, worker)) === 0) return false;
  const writes = updateState(at, state);
  if (writes.length > 0) yield writes;
  return true;
}

export function* sealedOfConnections(ownerId: string): Result<'sealed'> {
  const withFields = yield* selectAll<Pick<ConnectionRecord, 'name' | 'settings' | 'fields'>>(
    connections.withFields,
    ownerId,
  );
  return {
    fields: withFields.map(({ name, settings, fields }) => ({
      name,
      settings: toSettings(settings),
      fields: toFields(fields),
    })),
    clientSecrets: yield* selectAll<{ name: string; sealed: string }>(connections.clientSecrets, ownerId),
    tokens: yield* selectAll<{ slot: string; sealed: string }>(connections.sealedTokens, ownerId),
  };
}

export function* endTokenLeases(): Transaction<void> {
  yield* change(connections.endLeases);
}
