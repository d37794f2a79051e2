/**
 * Polling triggers, and the items that each has seen. A paused trigger (`next_run_at` null) keeps its seen
 * items. During a poll, `next_run_at` is when its claim expires, and `held_from` when it was due. `fence`
 * increases with every claim and every change; `number` counts successful polls; `seen` is the number of the
 * poll by which the oldest keys are removed.
 */
export const sql = `
CREATE TABLE polls (
  workflow_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  spec TEXT NOT NULL,
  next_run_at INTEGER,
  held_from INTEGER,
  last_error TEXT,
  fence INTEGER NOT NULL,
  number INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  etag TEXT,
  last_modified TEXT,
  PRIMARY KEY (workflow_id, node_id)
);
CREATE INDEX polls_due ON polls (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE TABLE polled_items (
  workflow_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  item_key TEXT NOT NULL,
  seen INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, node_id, item_key)
);
CREATE INDEX polled_items_seen ON polled_items (workflow_id, node_id, seen, item_key);
`;
