export const find = `SELECT owner_id, scope, key, execution_id, fingerprint FROM dedupe WHERE owner_id = ? AND scope = ? AND key = ? AND expires_at > ?`;

/** Only after `find` returned no valid row: the replaced row has expired. */
export const put = `INSERT INTO dedupe (owner_id, scope, key, fingerprint, execution_id, expires_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (owner_id, scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, execution_id = excluded.execution_id,
    expires_at = excluded.expires_at`;

export const removeByExecution = `DELETE FROM dedupe WHERE owner_id = ? AND scope = ? AND key = ? AND execution_id = ?`;

/** At most `limit` keys. */
export const prune = `DELETE FROM dedupe WHERE (owner_id, scope, key) IN
  (SELECT owner_id, scope, key FROM dedupe WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;
