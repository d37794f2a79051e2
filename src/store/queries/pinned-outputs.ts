export const list = `SELECT node_id, output, CASE WHEN ports_pinned_at = pinned_at THEN ports END AS ports, pinned_at
  FROM pinned_outputs WHERE workflow_id = ? ORDER BY node_id`;
/** The number of the workflow's other pinned outputs and their bytes. */
export const others = `SELECT count(*) AS n, coalesce(sum(bytes), 0) AS bytes FROM pinned_outputs
  WHERE workflow_id = ? AND node_id <> ?`;
export const put = `INSERT INTO pinned_outputs
    (workflow_id, node_id, output, bytes, ports, ports_pinned_at, pinned_at) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (workflow_id, node_id) DO UPDATE SET output = excluded.output, bytes = excluded.bytes,
    ports = excluded.ports, ports_pinned_at = excluded.ports_pinned_at, pinned_at = excluded.pinned_at`;
export const remove = `DELETE FROM pinned_outputs WHERE workflow_id = ? AND node_id = ?`;
export const removeByWorkflow = `DELETE FROM pinned_outputs WHERE workflow_id = ?`;
