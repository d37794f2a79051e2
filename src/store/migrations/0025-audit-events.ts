/* `audit_events`: who changed what. `details` is JSON. Ids are ordered by time. */
export const sql = `
CREATE TABLE audit_events (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  action TEXT NOT NULL,
  outcome TEXT NOT NULL,
  actor_id TEXT,
  actor_email TEXT,
  credential TEXT NOT NULL,
  credential_id TEXT,
  target_id TEXT,
  target_name TEXT,
  address TEXT,
  user_agent TEXT,
  details TEXT NOT NULL
);
CREATE INDEX audit_events_created ON audit_events (created_at);
CREATE INDEX audit_events_actor ON audit_events (actor_id, id);
CREATE INDEX audit_events_target ON audit_events (target_id, id);
`;
