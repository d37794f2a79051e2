/** Signals posted to a waiting node run. */
export const sql = `
CREATE TABLE signals (
  execution INTEGER NOT NULL,
  path TEXT NOT NULL,
  value TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (execution, path)
);
CREATE INDEX executions_parent ON executions (parent_id) WHERE parent_id IS NOT NULL;
`;
