export const list = `SELECT node_id, output, pinned_at FROM pinned_outputs WHERE workflow_id = ? ORDER BY node_id`;
/** The number of the workflow's other pinned outputs and their bytes. */
export const others = `SELECT count(*) AS n, coalesce(sum(bytes), 0) AS bytes FROM pinned_outputs
  WHERE workflow_id = ? AND node_id <> ?`;
export const put = `INSERT INTO pinned_outputs (workflow_id, node_id, output, bytes, pinned_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (workflow_id, node_id) DO UPDATE SET output = excluded.output, bytes = excluded.bytes,
    pinned_at = excluded.pinned_at`;
export const remove = `DELETE FROM pinned_outputs WHERE workflow_id = ? AND node_id = ?`;
export const removeByWorkflow = `DELETE FROM pinned_outputs WHERE workflow_id = ?`;
