/*
 * `connections` are settings and state as returned by the API; `client_secret` is encrypted. `tokens`
 * contains encrypted tokens: of a connection (`connection:NAME`), or of a refresh token in a configuration
 * (`request:` and a digest).
 *
 * A process takes a lease before it requests new tokens. `unsure_since` is set with it, and cleared when the
 * endpoint's response is stored: if it is set, the refresh token may have been used and the response lost.
 *
 * `connection_authorizations` are pending authorizations at a provider, by the hash of their `state`.
 */
export const sql = `
CREATE TABLE connections (
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  settings TEXT NOT NULL,
  client_secret TEXT,
  state TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, name)
);
CREATE INDEX connections_created ON connections (owner_id, created_at, name);

CREATE TABLE tokens (
  owner_id TEXT NOT NULL,
  slot TEXT NOT NULL,
  sealed TEXT,
  expires_at INTEGER,
  stored_at INTEGER,
  revision INTEGER NOT NULL,
  lease_by TEXT,
  lease_until INTEGER,
  unsure_since INTEGER,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, slot)
);
CREATE INDEX tokens_leases ON tokens (lease_until) WHERE lease_until IS NOT NULL;

CREATE TABLE connection_authorizations (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  sealed TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);
CREATE INDEX connection_authorizations_of ON connection_authorizations (owner_id, name, created_at, id);
CREATE INDEX connection_authorizations_expiry ON connection_authorizations (expires_at);
`;
