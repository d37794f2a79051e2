const columns = `owner_id, name, description, settings, client_secret, state, created_at, updated_at, fields`;

export const insert = `INSERT INTO connections (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
export const get = `SELECT ${columns} FROM connections WHERE owner_id = ? AND name = ?`;
export const list = `SELECT ${columns} FROM connections WHERE owner_id = ? ORDER BY created_at DESC, name DESC LIMIT ? OFFSET ?`;
export const count = `SELECT count(*) AS n FROM connections WHERE owner_id = ?`;
export const update = `UPDATE connections SET description = ?, settings = ?, client_secret = ?, fields = ?, updated_at = ? WHERE owner_id = ? AND name = ?`;
export const setState = `UPDATE connections SET state = ? WHERE owner_id = ? AND name = ?`;
export const setStateIfUnchanged = `UPDATE connections SET state = ? WHERE owner_id = ? AND name = ? AND updated_at = ?`;
export const withFields = `SELECT name, settings, fields FROM connections WHERE owner_id = ? AND fields IS NOT NULL`;
export const remove = `DELETE FROM connections WHERE owner_id = ? AND name = ?`;
export const removeByOwner = `DELETE FROM connections WHERE owner_id = ?`;
export const clientSecrets = `SELECT name, client_secret AS sealed FROM connections WHERE owner_id = ? AND client_secret IS NOT NULL`;

export const getTokens = `SELECT owner_id, slot, sealed, expires_at, stored_at, revision, lease_by, lease_until, unsure_since
  FROM tokens WHERE owner_id = ? AND slot = ?`;
export const insertTokens = `INSERT INTO tokens (owner_id, slot, revision, used_at) VALUES (?, ?, 0, ?)`;
export const leaseTokens = `UPDATE tokens SET lease_by = ?, lease_until = ?, unsure_since = COALESCE(unsure_since, ?), used_at = ?
  WHERE owner_id = ? AND slot = ?`;
export const putTokens = `UPDATE tokens SET sealed = ?, expires_at = ?, stored_at = ?, revision = revision + 1, lease_by = NULL,
  lease_until = NULL, unsure_since = NULL, used_at = ? WHERE owner_id = ? AND slot = ?`;
export const dropTokens = `UPDATE tokens SET sealed = NULL, expires_at = NULL, stored_at = NULL, revision = revision + 1, lease_by = NULL,
  lease_until = NULL, unsure_since = NULL WHERE owner_id = ? AND slot = ?`;
export const releaseWithResponse = `UPDATE tokens SET lease_by = NULL, lease_until = NULL, unsure_since = NULL
  WHERE owner_id = ? AND slot = ? AND lease_by = ?`;
export const releaseWithoutResponse = `UPDATE tokens SET lease_by = NULL, lease_until = NULL WHERE owner_id = ? AND slot = ? AND lease_by = ?`;
export const endLeases = `UPDATE tokens SET lease_by = NULL, lease_until = NULL WHERE lease_until IS NOT NULL`;
export const removeTokens = `DELETE FROM tokens WHERE owner_id = ? AND slot = ?`;
export const removeTokensByOwner = `DELETE FROM tokens WHERE owner_id = ?`;
export const sealedTokens = `SELECT slot, sealed FROM tokens WHERE owner_id = ? AND sealed IS NOT NULL`;
/** All of an owner's slots, except those of connections and the most recently used ones. */
export const forgetTokens = `DELETE FROM tokens WHERE owner_id = ? AND slot IN (
  SELECT slot FROM tokens WHERE owner_id = ? AND slot LIKE 'request:%' ORDER BY used_at DESC, slot LIMIT 1000 OFFSET ?)`;

export const insertAuthorization = `INSERT INTO connection_authorizations (id, owner_id, name, sealed, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)`;
export const getAuthorization = `SELECT id, owner_id, name, sealed, created_at, expires_at FROM connection_authorizations WHERE id = ?`;
export const removeAuthorization = `DELETE FROM connection_authorizations WHERE id = ?`;
export const pruneAuthorizations = `DELETE FROM connection_authorizations WHERE id IN (
  SELECT id FROM connection_authorizations WHERE expires_at <= ? ORDER BY expires_at LIMIT 100)`;
export const keepAuthorizations = `DELETE FROM connection_authorizations WHERE id IN (
  SELECT id FROM connection_authorizations WHERE owner_id = ? AND name = ? ORDER BY created_at DESC, id DESC LIMIT 100 OFFSET ?)`;
export const removeAuthorizations = `DELETE FROM connection_authorizations WHERE owner_id = ? AND name = ?`;
export const removeAuthorizationsByOwner = `DELETE FROM connection_authorizations WHERE owner_id = ?`;
