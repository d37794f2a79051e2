/*
 * Workflow templates. The three numbers of a version are separate columns, so that 1.10.0 sorts after 1.9.0.
 */
export const sql = `
CREATE TABLE templates (
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  major INTEGER NOT NULL,
  minor INTEGER NOT NULL,
  patch INTEGER NOT NULL,
  description TEXT NOT NULL,
  search_text TEXT NOT NULL,
  parameters TEXT NOT NULL,
  workflow TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, name, major, minor, patch)
);
CREATE INDEX templates_created ON templates (owner_id, created_at, name);
`;
