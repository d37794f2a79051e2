import { createConflictError } from '../../../contract/errors.ts';
import type { ApiKeyRow } from '../../../ports/store/accounts/api-keys.ts';
import type { FormerSecret, SecretRow } from '../../../ports/store/secrets.ts';
import type { SessionRow } from '../../../ports/store/accounts/sessions.ts';
import type { UserRow } from '../../../ports/store/accounts/users.ts';
import * as apiKeys from '../../queries/accounts/api-keys.ts';
import * as oauthRecords from '../../queries/accounts/oauth-records.ts';
import * as secrets from '../../queries/accounts/secrets.ts';
import * as sessions from '../../queries/accounts/sessions.ts';
import * as users from '../../queries/accounts/users.ts';
import {
  toApiKey,
  toSecret,
  toSession,
  toUser,
  type ApiKeyRecord,
  type SecretRecord,
  type SessionRecord,
  type UserRecord,
} from '../../rows.ts';
import { selectAll, change, selectFirst, lock, type Transaction } from '../../statement.ts';
import { keepFormerSecrets } from '../former-secrets.ts';
import { ownerLock, userLock } from '../locks.ts';

type Page<T> = { rows: T[]; total: number };

const emailKey = (email: string): string => email.toLowerCase();
const jsonOrNull = (value: string[] | null): string | null => (value === null ? null : JSON.stringify(value));

function* total(sql: string, ...params: string[]): Transaction<number> {
  return (yield* selectFirst<{ n: number }>(sql, ...params))?.n ?? 0;
}

// ---- users

export function* countUsers(): Transaction<number> {
  return yield* total(users.count);
}

export function* createUser(u: UserRow): Transaction<boolean> {
  const key = emailKey(u.email);
  return (
    (yield* change(users.insert, u.id, u.email, key, u.name, u.passwordHash, u.role, u.plan, u.createdAt)) > 0
  );
}

export function* userById(id: string): Transaction<UserRow | null> {
  const row = yield* selectFirst<UserRecord>(users.byId, id);
  return row === null ? null : toUser(row);
}

export function* userByEmail(email: string): Transaction<UserRow | null> {
  const row = yield* selectFirst<UserRecord>(users.byEmail, emailKey(email));
  return row === null ? null : toUser(row);
}

export function* listUsers(offset: number, limit: number): Transaction<Page<UserRow>> {
  const n = yield* total(users.count);
  return { rows: (yield* selectAll<UserRecord>(users.list, limit, offset)).map(toUser), total: n };
}

/** Throws CONFLICT when another user has the new email. */
export function* updateUser(
  id: string,
  fields: Partial<Pick<UserRow, 'email' | 'name' | 'passwordHash' | 'role' | 'plan'>>,
  endSessions?: { at: number; exceptSession: string | null },
): Transaction<boolean> {
  yield* lock(userLock(id));
  const user = yield* userById(id);
  if (user === null) return false;
  const next = { ...user, ...fields };
  const holder = yield* userByEmail(next.email);
  if (holder !== null && holder.id !== id)
    throw createConflictError('This email is already in use.', { field: 'email' });
  const key = emailKey(next.email);
  yield* change(users.update, next.email, key, next.name, next.passwordHash, next.role, next.plan, id);
  if (endSessions !== undefined) {
    yield* change(sessions.endByUser, endSessions.at, id, endSessions.exceptSession ?? '');
    yield* change(oauthRecords.removeLogins, id);
  }
  return true;
}

// ---- sessions

export function* createSession(s: SessionRow): Transaction<void> {
  const { id, userId, tokenId, previousTokenId, rotatedAt, createdAt, expiresAt, endedAt } = s;
  yield* change(
    sessions.insert,
    id,
    userId,
    tokenId,
    previousTokenId,
    rotatedAt,
    createdAt,
    expiresAt,
    endedAt,
  );
}

export function* getSession(id: string): Transaction<SessionRow | null> {
  const row = yield* selectFirst<SessionRecord>(sessions.get, id);
  return row === null ? null : toSession(row);
}

export function* rotateSession(
  id: string,
  expectedTokenId: string,
  next: { tokenId: string; at: number; expiresAt: number },
): Transaction<boolean> {
  return (yield* change(sessions.rotate, next.tokenId, next.at, next.expiresAt, id, expectedTokenId)) > 0;
}

export function* endSession(id: string, at: number): Transaction<boolean> {
  return (yield* change(sessions.end, at, id)) > 0;
}

// ---- API keys

export function* createApiKey(k: ApiKeyRow): Transaction<void> {
  const scopes = jsonOrNull(k.scopes);
  yield* change(
    apiKeys.insert,
    k.id,
    k.ownerId,
    k.name,
    k.hash,
    k.prefix,
    scopes,
    k.expiresAt,
    k.createdAt,
    k.lastUsedAt,
  );
}

export function* apiKeyByHash(hash: string): Transaction<ApiKeyRow | null> {
  const row = yield* selectFirst<ApiKeyRecord>(apiKeys.byHash, hash);
  return row === null ? null : toApiKey(row);
}

export function* getApiKey(ownerId: string, id: string): Transaction<ApiKeyRow | null> {
  const row = yield* selectFirst<ApiKeyRecord>(apiKeys.get, id, ownerId);
  return row === null ? null : toApiKey(row);
}

export function* listApiKeys(ownerId: string, offset: number, limit: number): Transaction<Page<ApiKeyRow>> {
  const n = yield* total(apiKeys.count, ownerId);
  return {
    rows: (yield* selectAll<ApiKeyRecord>(apiKeys.list, ownerId, limit, offset)).map(toApiKey),
    total: n,
  };
}

export function* removeApiKey(ownerId: string, id: string): Transaction<boolean> {
  return (yield* change(apiKeys.remove, id, ownerId)) > 0;
}

export function* touchApiKey(id: string, at: number): Transaction<void> {
  yield* change(apiKeys.touch, at, id);
}

// ---- secrets

export function* putSecret(s: SecretRow): Transaction<{ created: boolean }> {
  yield* lock(ownerLock('secrets', s.ownerId));
  const { ownerId, name, value, description, createdAt, updatedAt } = s;
  const existing = yield* retire(ownerId, name, value, updatedAt);
  yield* change(secrets.put, ownerId, name, value, jsonOrNull(s.hosts), description, createdAt, updatedAt);
  return { created: !existing };
}

/** Keeps the current value of the secret, unless it equals `next`. False when there is no such secret. */
function* retire(ownerId: string, name: string, next: string | null, at: number): Transaction<boolean> {
  const row = yield* selectFirst<{ value: string }>(secrets.get, ownerId, name);
  if (row === null) return false;
  if (row.value === next) return true;
  yield* keepFormerSecrets(ownerId, [{ name, value: row.value }], at);
  return true;
}

export function* getSecret(ownerId: string, name: string): Transaction<SecretRow | null> {
  const row = yield* selectFirst<SecretRecord & { value: string }>(secrets.get, ownerId, name);
  return row === null ? null : { ...toSecret(row), value: row.value };
}

export function* someSecrets(limit: number): Transaction<SecretRow[]> {
  const rows = yield* selectAll<SecretRecord & { value: string }>(secrets.some, limit);
  return rows.map((row) => ({ ...toSecret(row), value: row.value }));
}

export function* listSecrets(
  ownerId: string,
  offset: number,
  limit: number,
): Transaction<Page<Omit<SecretRow, 'value'>>> {
  const n = yield* total(secrets.count, ownerId);
  return {
    rows: (yield* selectAll<SecretRecord>(secrets.list, ownerId, limit, offset)).map(toSecret),
    total: n,
  };
}

export function* removeSecret(ownerId: string, name: string, at: number): Transaction<boolean> {
  yield* lock(ownerLock('secrets', ownerId));
  yield* retire(ownerId, name, null, at);
  return (yield* change(secrets.remove, ownerId, name)) > 0;
}

export function* formerSecrets(ownerId: string): Transaction<FormerSecret[]> {
  return yield* selectAll<FormerSecret>(secrets.former, ownerId);
}
