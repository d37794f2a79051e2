/*
 * Custom nodes; a registered version never changes. The three numbers of a version are separate columns, so
 * that 1.10.0 sorts after 1.9.0. `size`: bytes of the specification, limited per owner.
 */
export const sql = `
CREATE TABLE custom_nodes (
  owner_id TEXT NOT NULL,
  node_type TEXT NOT NULL,
  major INTEGER NOT NULL,
  minor INTEGER NOT NULL,
  patch INTEGER NOT NULL,
  specification TEXT NOT NULL,
  size INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, node_type, major, minor, patch)
);
`;
