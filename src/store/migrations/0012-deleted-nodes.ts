/* Deleted versions of custom nodes: none can be registered again with other content. */
export const sql = `
CREATE TABLE deleted_nodes (
  owner_id TEXT NOT NULL,
  node_type TEXT NOT NULL,
  major INTEGER NOT NULL,
  minor INTEGER NOT NULL,
  patch INTEGER NOT NULL,
  deleted_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, node_type, major, minor, patch)
);
`;
