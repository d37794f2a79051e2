export const insert = `INSERT INTO files (id, owner_id, execution_id, hash, name, content_type, size, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
export const get = `SELECT id, owner_id, execution_id, hash, name, content_type, size, created_at FROM files WHERE id = ? AND owner_id = ?`;
export const removeByExecution = `DELETE FROM files WHERE execution_id = ? RETURNING hash`;
/** Files of executions that do not exist: saved by a run whose creation was never committed. */
export const orphans = `SELECT f.id, f.hash FROM files f WHERE f.created_at <= ?
  AND NOT EXISTS (SELECT 1 FROM executions e WHERE e.id = f.execution_id) LIMIT ?`;
export const remove = `DELETE FROM files WHERE id = ?`;
/** Their names start with s3-. A range, which the index on hash serves. */
export const anyInBucket = `SELECT 1 AS found FROM files WHERE hash >= 's3-' AND hash < 's3.' LIMIT 1`;
