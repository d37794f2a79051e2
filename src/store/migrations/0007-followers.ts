/**
 * Completion triggers by workflow, and their starts that are still pending. An empty `node_id` means none.
 */
export const sql = `
CREATE TABLE event_routes (
  workflow_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  followed_status TEXT NOT NULL,
  source TEXT,
  target TEXT NOT NULL,
  PRIMARY KEY (workflow_id, node_id)
);
CREATE TABLE followers (
  execution_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  PRIMARY KEY (execution_id, workflow_id, node_id)
);
`;
