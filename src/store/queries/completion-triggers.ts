/** Pending starts of completion triggers are rows of the table `followers`. */
export const insert = `INSERT INTO followers (execution_id, workflow_id, node_id, kind, owner_id) VALUES (?, ?, ?, ?, ?)`;
export const pending = `SELECT execution_id, workflow_id, node_id, kind, owner_id FROM followers
  WHERE (execution_id, workflow_id, node_id) > (?, ?, ?) ORDER BY execution_id, workflow_id, node_id LIMIT ?`;
export const remove = `DELETE FROM followers WHERE execution_id = ? AND workflow_id = ? AND node_id = ?`;
