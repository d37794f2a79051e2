/* Outputs that runs from the editor use instead of running a node. `bytes` is the length of `output`. */
export const sql = `
CREATE TABLE pinned_outputs (
  workflow_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  output TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  pinned_at INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, node_id)
);
`;
