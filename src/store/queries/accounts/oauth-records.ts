const columns = `model, id, bucket, payload, grant_id, uid, client_id, account_id, scope, created_at, expires_at, consumed_at`;

/** A consumed record stays consumed and keeps its position in its bucket. */
export const put = `INSERT INTO oauth_records (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)
  ON CONFLICT (model, id) DO UPDATE SET bucket = excluded.bucket, payload = excluded.payload, grant_id = excluded.grant_id,
    uid = excluded.uid, client_id = excluded.client_id, account_id = excluded.account_id, scope = excluded.scope,
    expires_at = excluded.expires_at`;
export const trim = `DELETE FROM oauth_records WHERE model = ? AND id IN (SELECT id FROM oauth_records
  WHERE model = ? AND bucket = ? ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?)`;
export const get = `SELECT ${columns} FROM oauth_records WHERE model = ? AND id = ?`;
export const byUid = `SELECT ${columns} FROM oauth_records WHERE uid = ? AND model = ?`;
export const consume = `UPDATE oauth_records SET consumed_at = ? WHERE model = ? AND id = ? AND consumed_at IS NULL`;
export const remove = `DELETE FROM oauth_records WHERE model = ? AND id = ?`;
export const removeOfGrant = `DELETE FROM oauth_records WHERE grant_id = ? AND model = ?`;
export const removeAllOfGrant = `DELETE FROM oauth_records WHERE grant_id = ?`;
export const removeGrant = `DELETE FROM oauth_records WHERE model = 'Grant' AND id = ?`;
export const removeOfClient = `DELETE FROM oauth_records WHERE client_id = ?`;
export const removeByClientOwner = `DELETE FROM oauth_records WHERE client_id IN (SELECT id FROM oauth_clients WHERE owner_id = ?)`;
export const removeOfAccount = `DELETE FROM oauth_records WHERE account_id = ?`;
export const removeLogins = `DELETE FROM oauth_records WHERE account_id = ? AND model = 'Session'`;
export const prune = `DELETE FROM oauth_records WHERE (model, id) IN (SELECT model, id FROM oauth_records
  WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;

/** A client with a metadata document at a URL, its id, has no row. */
const isClientKnown = (record: string): string =>
  `(c.id IS NOT NULL OR ${record}.client_id LIKE 'https://%')`;

/** Grants with a valid token. */
const livingGrants = `FROM oauth_records g LEFT JOIN oauth_clients c ON c.id = g.client_id
  WHERE ${isClientKnown('g')} AND g.model = 'Grant' AND g.bucket = ? AND g.account_id = ? AND g.expires_at > ? AND EXISTS (SELECT 1 FROM oauth_records t
    WHERE t.grant_id = g.id AND t.model IN ('AccessToken', 'RefreshToken') AND t.expires_at > ? AND t.consumed_at IS NULL)`;
export const countGrants = `SELECT count(*) AS n ${livingGrants}`;
export const listGrants = `SELECT g.id, g.client_id, coalesce(c.name, '') AS client_name, c.owner_id, g.scope, g.created_at, g.expires_at
  ${livingGrants} ORDER BY g.created_at DESC, g.id DESC LIMIT ? OFFSET ?`;
export const removeAccountGrant = `DELETE FROM oauth_records WHERE model = 'Grant' AND id = ? AND account_id = ?`;

/** A valid access token: its client exists, and so does its grant if it has one. */
export const token = `SELECT r.model, r.id, r.payload, r.client_id, r.grant_id, r.account_id, r.scope, r.expires_at,
    c.owner_id
  FROM oauth_records r LEFT JOIN oauth_clients c ON c.id = r.client_id
  WHERE ${isClientKnown('r')} AND r.model IN ('AccessToken', 'ClientCredentials') AND r.id = ? AND (r.grant_id IS NULL OR EXISTS
    (SELECT 1 FROM oauth_records g WHERE g.model = 'Grant' AND g.id = r.grant_id AND g.expires_at > ?))`;
