import type {
  OAuthClientRow,
  OAuthGrantRow,
  OAuthRecordRow,
  OAuthTokenRow,
} from '../../../ports/store/accounts/oauth.ts';
import * as clients from '../../queries/accounts/oauth-clients.ts';
import * as records from '../../queries/accounts/oauth-records.ts';
import {
  toOAuthClient,
  toOAuthGrant,
  toOAuthRecord,
  toOAuthToken,
  type OAuthClientRecord,
  type OAuthGrantRecord,
  type OAuthRecordRecord,
  type OAuthTokenRecord,
} from '../../oauth-rows.ts';
import { selectAll, change, selectFirst, lock, type Transaction } from '../../statement.ts';

/** Self-registered clients: their maximum number, and how long (ms) an unused one is kept. */
const MAX_OPEN_CLIENTS = 5_000;
const UNUSED_RETENTION_MS = 86_400_000;
const IDLE_RETENTION_MS = 90 * 86_400_000;
/** In ms: a client younger than this is not removed to make space for another. */
const MIN_AGE_MS = 600_000;
/** Rows that one `trim` or one piece of pruning deletes. */
const PIECE_ROWS = 200;

// ---- clients

/** False when the maximum number of self-registered clients is reached and none of them is idle. */
export function* createOAuthClient(c: OAuthClientRow, most = MAX_OPEN_CLIENTS): Transaction<boolean> {
  if (c.ownerId === null) {
    yield* lock('oauth-clients');
    const counts = yield [
      { sql: clients.countUnused, params: [] },
      { sql: clients.countUsed, params: [] },
    ];
    const there = counts.reduce((sum, { rows }) => sum + Number(rows[0]?.['n'] ?? 0), 0);
    if (there >= most && (yield* change(clients.pruneUnused, c.createdAt - MIN_AGE_MS, 1)) === 0)
      return false;
  }
  const metadata = JSON.stringify(c.metadata);
  yield* change(clients.insert, c.id, c.ownerId, c.name, c.secretHash, metadata, c.createdAt, c.lastUsedAt);
  return true;
}

export function* getOAuthClient(id: string): Transaction<OAuthClientRow | null> {
  const row = yield* selectFirst<OAuthClientRecord>(clients.get, id);
  return row === null ? null : toOAuthClient(row);
}

export function* listOAuthClients(
  ownerId: string,
  offset: number,
  limit: number,
): Transaction<{ rows: OAuthClientRow[]; total: number }> {
  const total = (yield* selectFirst<{ n: number }>(clients.count, ownerId))?.n ?? 0;
  const rows = yield* selectAll<OAuthClientRecord>(clients.list, ownerId, limit, offset);
  return { rows: rows.map(toOAuthClient), total };
}

export function* removeOAuthClient(ownerId: string, id: string): Transaction<boolean> {
  if ((yield* change(clients.remove, id, ownerId)) === 0) return false;
  yield* change(records.removeOfClient, id);
  return true;
}

export function* touchOAuthClient(id: string, at: number): Transaction<void> {
  yield* change(clients.touch, at, id);
}

// ---- records

export function* putOAuthRecord(r: OAuthRecordRow, keep: number): Transaction<void> {
  yield* change(
    records.put,
    r.model,
    r.id,
    r.bucket,
    r.payload,
    r.grantId,
    r.uid,
    r.clientId,
    r.accountId,
    r.scope,
    r.createdAt,
    r.expiresAt,
  );
  yield* change(records.trim, r.model, r.model, r.bucket, PIECE_ROWS, keep);
}

export function* getOAuthRecord(model: string, id: string): Transaction<OAuthRecordRow | null> {
  const row = yield* selectFirst<OAuthRecordRecord>(records.get, model, id);
  return row === null ? null : toOAuthRecord(row);
}

export function* oauthRecordByUid(model: string, uid: string): Transaction<OAuthRecordRow | null> {
  const row = yield* selectFirst<OAuthRecordRecord>(records.byUid, uid, model);
  return row === null ? null : toOAuthRecord(row);
}

/**
 * When several calls consume the same record, one succeeds; the others delete everything that belongs to its
 * grant.
 */
export function* consumeOAuthRecord(
  model: string,
  id: string,
  at: number,
): Transaction<{ isFirstUse: boolean; grantId: string | null }> {
  const isFirstUse = (yield* change(records.consume, at, model, id)) > 0;
  const row = yield* selectFirst<OAuthRecordRecord>(records.get, model, id);
  const grantId = row?.grant_id ?? null;
  if (!isFirstUse && grantId !== null) yield* removeOAuthGrant(grantId);
  return { isFirstUse, grantId };
}

export function* removeOAuthRecord(model: string, id: string): Transaction<void> {
  yield* change(records.remove, model, id);
}

export function* removeOAuthRecordsOfGrant(model: string, grantId: string): Transaction<void> {
  yield* change(records.removeOfGrant, grantId, model);
}

function* removeOAuthGrant(grantId: string): Transaction<void> {
  yield [
    { sql: records.removeAllOfGrant, params: [grantId] },
    { sql: records.removeGrant, params: [grantId] },
  ];
}

export function* listOAuthGrants(
  accountId: string,
  now: number,
  offset: number,
  limit: number,
): Transaction<{ rows: OAuthGrantRow[]; total: number }> {
  const of = [accountId, accountId, now, now];
  const total = (yield* selectFirst<{ n: number }>(records.countGrants, ...of))?.n ?? 0;
  const rows = yield* selectAll<OAuthGrantRecord>(records.listGrants, ...of, limit, offset);
  return { rows: rows.map(toOAuthGrant), total };
}

export function* removeAccountGrant(accountId: string, id: string): Transaction<boolean> {
  if ((yield* change(records.removeAccountGrant, id, accountId)) === 0) return false;
  yield* change(records.removeAllOfGrant, id);
  return true;
}

export function* oauthToken(id: string, now: number): Transaction<OAuthTokenRow | null> {
  const row = yield* selectFirst<OAuthTokenRecord>(records.token, id, now);
  return row === null ? null : toOAuthToken(row);
}

/** Deletes one piece of expired records and unused self-registered clients. True when more is left. */
export function* pruneOAuth(now: number): Transaction<boolean> {
  const results = yield [
    { sql: records.prune, params: [now, PIECE_ROWS] },
    { sql: clients.pruneUnused, params: [now - UNUSED_RETENTION_MS, PIECE_ROWS] },
    { sql: clients.pruneUsed, params: [now - IDLE_RETENTION_MS, PIECE_ROWS] },
  ];
  return results.some(({ changes }) => changes >= PIECE_ROWS);
}
