export const exists = `SELECT 1 AS found FROM custom_nodes WHERE owner_id = ? AND node_type = ? AND major = ? AND minor = ? AND patch = ?`;
export const used = `SELECT count(*) AS n, coalesce(sum(size), 0) AS bytes FROM custom_nodes WHERE owner_id = ?`;
export const insert = `INSERT INTO custom_nodes (owner_id, node_type, major, minor, patch, specification, size, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
/** Tells whether anything changed: versions are only ever added. */
export const count = `SELECT count(*) AS n FROM custom_nodes WHERE owner_id = ?`;
export const list = `SELECT specification, created_at FROM custom_nodes WHERE owner_id = ?
  ORDER BY node_type, major, minor, patch`;
export const removeOf = `DELETE FROM custom_nodes WHERE owner_id = ?`;
