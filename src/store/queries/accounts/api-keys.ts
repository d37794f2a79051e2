const columns = `id, owner_id, name, hash, prefix, scopes, expires_at, created_at, last_used_at`;

export const insert = `INSERT INTO api_keys (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
export const byHash = `SELECT ${columns} FROM api_keys WHERE hash = ?`;
export const get = `SELECT ${columns} FROM api_keys WHERE id = ? AND owner_id = ?`;
export const list = `SELECT ${columns} FROM api_keys WHERE owner_id = ? ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`;
export const count = `SELECT count(*) AS n FROM api_keys WHERE owner_id = ?`;
export const remove = `DELETE FROM api_keys WHERE id = ? AND owner_id = ?`;
export const touch = `UPDATE api_keys SET last_used_at = ? WHERE id = ?`;
export const removeByOwner = `DELETE FROM api_keys WHERE owner_id = ?`;
