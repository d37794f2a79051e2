import type { Json } from '../../lib/json/json.ts';

/** Who may ask for tokens. `ownerId` null: it registered itself. `metadata` in the names of RFC 7591, without the secret. */
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

/** What the authorization server keeps for a time. `id`, `uid` and `grantId` are hashes; `payload` is sealed. */
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

/** What a user allowed a client. `id` is a hash; `clientOwnerId` null: the client registered itself. */
export type OAuthGrantRow = {
  id: string;
  clientId: string;
  clientName: string;
  clientOwnerId: string | null;
  scope: string | null;
  createdAt: number;
  expiresAt: number;
};

/** An access token. `userId` is who it acts as; null: nobody, it proves nothing. */
export type OAuthTokenRow = {
  id: string;
  clientId: string;
  grantId: string | null;
  userId: string | null;
  scope: string | null;
  expiresAt: number;
};

export type OAuthStore = {
  /** False: too many clients (`most`; without it the store's own bound) registered themselves, and none of them is idle. */
  createClient(client: OAuthClientRow, most?: number): Promise<boolean>;
  client(id: string): Promise<OAuthClientRow | null>;
  listClients(
    ownerId: string,
    offset: number,
    limit: number,
  ): Promise<{ rows: OAuthClientRow[]; total: number }>;
  /** With all that it was given. */
  removeClient(ownerId: string, id: string): Promise<boolean>;
  touchClient(id: string, at: number): Promise<void>;
  /** Creates or replaces; of its bucket the newest `keep` stay. What was consumed stays consumed. */
  putRecord(record: OAuthRecordRow, keep: number): Promise<void>;
  record(model: string, id: string): Promise<OAuthRecordRow | null>;
  recordByUid(model: string, uid: string): Promise<OAuthRecordRow | null>;
  /** Not `won`: it was consumed before, and now everything of its grant (`grantId`) is gone; or it is not there. */
  consumeRecord(model: string, id: string, at: number): Promise<{ won: boolean; grantId: string | null }>;
  removeRecord(model: string, id: string): Promise<void>;
  removeRecordsOfGrant(model: string, grantId: string): Promise<void>;
  /** Those of which a token is alive, newest first. */
  listGrants(
    accountId: string,
    now: number,
    offset: number,
    limit: number,
  ): Promise<{ rows: OAuthGrantRow[]; total: number }>;
  /** With all of its tokens. */
  removeGrant(accountId: string, id: string): Promise<boolean>;
  /** An access token whose client and grant are there; whether it has expired is the caller's to see. */
  token(id: string, now: number): Promise<OAuthTokenRow | null>;
};
