const columns = `id, owner_id, name, secret_hash, metadata, created_at, last_used_at`;

export const insert = `INSERT INTO oauth_clients (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`;
export const get = `SELECT ${columns} FROM oauth_clients WHERE id = ?`;
export const list = `SELECT ${columns} FROM oauth_clients WHERE owner_id = ? ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`;
export const count = `SELECT count(*) AS n FROM oauth_clients WHERE owner_id = ?`;
export const remove = `DELETE FROM oauth_clients WHERE id = ? AND owner_id = ?`;
export const removeByOwner = `DELETE FROM oauth_clients WHERE owner_id = ?`;
export const touch = `UPDATE oauth_clients SET last_used_at = ? WHERE id = ?`;

export const countUnused = `SELECT count(*) AS n FROM oauth_clients WHERE owner_id IS NULL AND last_used_at IS NULL`;
export const countUsed = `SELECT count(*) AS n FROM oauth_clients WHERE owner_id IS NULL AND last_used_at IS NOT NULL`;
export const pruneUnused = `DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients
  WHERE owner_id IS NULL AND last_used_at IS NULL AND created_at <= ? ORDER BY created_at, id LIMIT ?)`;
export const pruneUsed = `DELETE FROM oauth_clients WHERE id IN (SELECT id FROM oauth_clients
  WHERE owner_id IS NULL AND last_used_at IS NOT NULL AND last_used_at <= ? ORDER BY last_used_at, id LIMIT ?)`;
