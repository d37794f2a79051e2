/** A replaced secret keeps the time of its creation. */
export const put = `INSERT INTO secrets (owner_id, name, value, hosts, description, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (owner_id, name) DO UPDATE SET value = excluded.value, hosts = excluded.hosts, description = excluded.description,
    updated_at = excluded.updated_at`;
export const get = `SELECT owner_id, name, value, hosts, description, created_at, updated_at FROM secrets WHERE owner_id = ? AND name = ?`;
export const some = `SELECT owner_id, name, value, hosts, description, created_at, updated_at FROM secrets ORDER BY owner_id, name LIMIT ?`;
export const list = `SELECT owner_id, name, hosts, description, created_at, updated_at FROM secrets WHERE owner_id = ?
  ORDER BY created_at DESC, name DESC LIMIT ? OFFSET ?`;
export const count = `SELECT count(*) AS n FROM secrets WHERE owner_id = ?`;
export const remove = `DELETE FROM secrets WHERE owner_id = ? AND name = ?`;
export const removeByOwner = `DELETE FROM secrets WHERE owner_id = ?`;

export const formerSeq = `SELECT max(seq) AS seq FROM former_secrets WHERE owner_id = ?`;
export const addFormer = `INSERT INTO former_secrets (owner_id, seq, name, value, ended_at) VALUES (?, ?, ?, ?, ?)`;
export const former = `SELECT name, value FROM former_secrets WHERE owner_id = ? ORDER BY seq DESC`;
export const dropFormer = `DELETE FROM former_secrets WHERE owner_id = ? AND seq <= ?`;
export const removeFormerByOwner = `DELETE FROM former_secrets WHERE owner_id = ?`;
export const pruneFormer = `DELETE FROM former_secrets WHERE ended_at <= ?`;
