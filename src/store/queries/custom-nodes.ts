export const exists = `SELECT 1 AS found FROM custom_nodes WHERE owner_id = ? AND node_type = ? AND major = ? AND minor = ? AND patch = ?`;
export const used = `SELECT count(*) AS n, coalesce(sum(size), 0) AS bytes FROM custom_nodes WHERE owner_id = ?`;
export const insert = `INSERT INTO custom_nodes (owner_id, node_type, major, minor, patch, specification, size, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
/** Increases with every change: deleted versions count twice. */
export const changes = `SELECT (SELECT count(*) FROM custom_nodes WHERE owner_id = ?) + 2 * (SELECT count(*) FROM deleted_nodes WHERE owner_id = ?) AS n`;
export const list = `SELECT specification, created_at FROM custom_nodes WHERE owner_id = ?
  ORDER BY node_type, major, minor, patch`;
export const listVersions = `SELECT major, minor, patch FROM custom_nodes WHERE owner_id = ? AND node_type = ?`;
export const remove = `DELETE FROM custom_nodes WHERE owner_id = ? AND node_type = ? AND major = ? AND minor = ? AND patch = ?`;
export const recordDeletedVersion = `INSERT INTO deleted_nodes (owner_id, node_type, major, minor, patch, deleted_at) VALUES (?, ?, ?, ?, ?, ?)`;
export const buried = `SELECT 1 AS found FROM deleted_nodes WHERE owner_id = ? AND node_type = ? AND major = ? AND minor = ? AND patch = ?`;
export const countBuried = `SELECT count(*) AS n FROM deleted_nodes WHERE owner_id = ?`;
export const forgetBuried = `DELETE FROM deleted_nodes WHERE owner_id = ?`;
/** Workflows of an owner that changed since a time, from an offset. */
export const listWorkflows = `SELECT id, name, created_at FROM workflows
  WHERE owner_id = ? AND removed = 0 AND updated_at >= ? AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`;
/** Definitions that may contain a node of a type. */
export const mentions = `SELECT version, definition FROM workflow_versions
  WHERE workflow_id = ? AND version > ? AND definition LIKE ? ORDER BY version LIMIT ?`;
export const removeByOwner = `DELETE FROM custom_nodes WHERE owner_id = ?`;
