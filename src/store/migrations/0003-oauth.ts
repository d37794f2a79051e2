/*
 * `oauth_clients.owner_id` is null for a self-registered client. `metadata` is JSON with the names of RFC
 * 7591.
 *
 * `oauth_records` contains all temporary records of the authorization server: logins on its pages, pending
 * authorizations, grants, codes, tokens. `id`, `uid` and `grant_id` are hashes: the values that a holder
 * presents are not stored. `payload` is encrypted. `bucket` is the account, client or grant whose number of
 * records of one model is limited.
 */
export const sql = `
CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY,
  owner_id TEXT,
  name TEXT NOT NULL,
  secret_hash TEXT,
  metadata TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
);
CREATE INDEX oauth_clients_owner ON oauth_clients (owner_id, created_at, id) WHERE owner_id IS NOT NULL;
CREATE INDEX oauth_clients_unused ON oauth_clients (created_at, id) WHERE owner_id IS NULL AND last_used_at IS NULL;
CREATE INDEX oauth_clients_used ON oauth_clients (last_used_at, id) WHERE owner_id IS NULL AND last_used_at IS NOT NULL;

CREATE TABLE oauth_records (
  model TEXT NOT NULL,
  id TEXT NOT NULL,
  bucket TEXT NOT NULL,
  payload TEXT NOT NULL,
  grant_id TEXT,
  uid TEXT,
  client_id TEXT,
  account_id TEXT,
  scope TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  consumed_at INTEGER,
  PRIMARY KEY (model, id)
);
CREATE INDEX oauth_records_bucket ON oauth_records (model, bucket, created_at, id);
CREATE INDEX oauth_records_grant ON oauth_records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_records_uid ON oauth_records (uid) WHERE uid IS NOT NULL;
CREATE INDEX oauth_records_client ON oauth_records (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX oauth_records_account ON oauth_records (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX oauth_records_expiry ON oauth_records (expires_at, model, id);
`;
