/*
 * `decisions`: questions that node runs ask people; `request` is JSON. `notices` counts the e-mails that were
 * sent to an assignee. `is_open` repeats the status of the decision, so that an inbox is read from one index.
 */
export const sql = `
CREATE TABLE decisions (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  execution INTEGER NOT NULL,
  workflow_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  path TEXT NOT NULL,
  title TEXT NOT NULL,
  search_text TEXT NOT NULL,
  request TEXT NOT NULL,
  status TEXT NOT NULL,
  choice TEXT,
  created_at INTEGER NOT NULL,
  deadline_at INTEGER,
  closed_at INTEGER
);
CREATE UNIQUE INDEX decisions_path ON decisions (execution, path);
CREATE INDEX decisions_owner ON decisions (owner_id, id);
CREATE INDEX decisions_open ON decisions (created_at) WHERE status = 'open';

CREATE TABLE decision_assignees (
  decision TEXT NOT NULL,
  assignee TEXT NOT NULL,
  email TEXT NOT NULL,
  role TEXT,
  choice TEXT,
  comment TEXT,
  channel TEXT,
  responded_at INTEGER,
  notices INTEGER NOT NULL,
  is_open INTEGER NOT NULL,
  PRIMARY KEY (decision, assignee)
);
CREATE INDEX decision_assignees_person ON decision_assignees (assignee, decision);
CREATE INDEX decision_assignees_open ON decision_assignees (assignee, decision) WHERE is_open = 1;
`;
