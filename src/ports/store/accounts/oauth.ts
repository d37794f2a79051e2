import type { Json } from '../../../lib/json/json.ts';
import type { AuditedChange } from '../audit.ts';

/**
 * A client that may request tokens. `ownerId` null: it registered itself. `metadata` in RFC 7591 names,
 * without the secret.
 */
export type OAuthClientRow = {
  id: string;
  ownerId: string | null;
  name: string;
  /** Hex SHA-256; null for a public client. */
  secretHash: string | null;
  metadata: Record<string, Json>;
  createdAt: number;
  lastUsedAt: number | null;
};

/**
 * A temporary record of the authorization server. `id`, `uid` and `grantId` are hashes; `payload` is
 * encrypted.
 */
export type OAuthRecordRow = {
  model: string;
  id: string;
  /** Within one model and bucket, only the newest records are kept. */
  bucket: string;
  payload: string;
  grantId: string | null;
  uid: string | null;
  clientId: string | null;
  accountId: string | null;
  scope: string | null;
  createdAt: number;
  expiresAt: number;
  consumedAt: number | null;
};

/**
 * A user's grant to a client. `id` is a hash; `clientOwnerId` null: the client registered itself, or its id
 * is the URL of its metadata document; then `clientName` is empty.
 */
export type OAuthGrantRow = {
  id: string;
  clientId: string;
  clientName: string;
  clientOwnerId: string | null;
  scope: string | null;
  createdAt: number;
  expiresAt: number;
};

/**
 * An access token. `userId` is the user it acts as; null: none, so it does not authenticate. `payload` is
 * encrypted.
 */
export type OAuthTokenRow = {
  model: string;
  id: string;
  payload: string;
  clientId: string;
  grantId: string | null;
  userId: string | null;
  scope: string | null;
  expiresAt: number;
};

export type OAuthStore = {
  /**
   * False: the limit (`most`, or else the store's own) of self-registered clients is reached, and none of
   * them is idle.
   */
  createClient(client: OAuthClientRow, most?: number, event?: AuditedChange): Promise<boolean>;
  client(id: string): Promise<OAuthClientRow | null>;
  listClients(
    ownerId: string,
    offset: number,
    limit: number,
  ): Promise<{ rows: OAuthClientRow[]; total: number }>;
  /** Also removes all grants and tokens of the client. */
  removeClient(ownerId: string, id: string, event?: AuditedChange): Promise<boolean>;
  touchClient(id: string, at: number): Promise<void>;
  /** Creates or replaces; keeps the newest `keep` records of its bucket. A consumed record stays consumed. */
  putRecord(record: OAuthRecordRow, keep: number): Promise<void>;
  record(model: string, id: string): Promise<OAuthRecordRow | null>;
  recordByUid(model: string, uid: string): Promise<OAuthRecordRow | null>;
  /**
   * Not `isFirstUse`: it was consumed before, and all records of its grant (`grantId`) are now removed; or
   * it does not exist.
   */
  consumeRecord(
    model: string,
    id: string,
    at: number,
  ): Promise<{ isFirstUse: boolean; grantId: string | null }>;
  removeRecord(model: string, id: string): Promise<void>;
  removeRecordsOfGrant(model: string, grantId: string): Promise<void>;
  /** Grants with a valid token, newest first. */
  listGrants(
    accountId: string,
    now: number,
    offset: number,
    limit: number,
  ): Promise<{ rows: OAuthGrantRow[]; total: number }>;
  /** Also removes all of its tokens. */
  removeGrant(accountId: string, id: string, event?: AuditedChange): Promise<boolean>;
  /**
   * An access token whose grant exists, and whose client exists or is described by a document at an https
   * URL. The caller checks whether it has expired.
   */
  token(id: string, now: number): Promise<OAuthTokenRow | null>;
};
