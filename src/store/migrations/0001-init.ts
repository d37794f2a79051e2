/*
 * `executions.number` increases with creation: it breaks ties in lists, identifies the execution in the
 * journal's index (a third of the bytes of its id), and is the last column of every SQLite index anyway.
 *
 * `executions.events` is the journal of an execution that was created and ended by one checkpoint: such an
 * execution is one row, and its events are the last column so that lists need not read past them. Any other
 * execution has its rows in `journal`.
 *
 * Most executions complete: these are listed by the indices without status, which contain it as the last
 * column to skip by; the indices by status contain only the others. A short execution, written once,
 * therefore needs two indices fewer.
 *
 * An execution whose `owner_id` and `workflow_id` are '' is being deleted: it has no owner, so no operation
 * returns it, while its journal is deleted in pieces. The same holds for a workflow whose `removed` is 1.
 */
export const sql = `
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE executions (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  owner_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  workflow_version INTEGER NOT NULL,
  status TEXT NOT NULL,
  started_by TEXT NOT NULL,
  error TEXT,
  progress REAL NOT NULL,
  current_node TEXT,
  created_at INTEGER NOT NULL,
  start_time INTEGER,
  end_time INTEGER,
  parent_id TEXT,
  retry_of TEXT,
  retention INTEGER NOT NULL,
  expires_at INTEGER,
  worker TEXT,
  fence INTEGER NOT NULL,
  next_seq INTEGER NOT NULL,
  dedupe_scope TEXT,
  dedupe_key TEXT,
  events TEXT
);
CREATE INDEX executions_owner ON executions (owner_id, created_at, number, status);
CREATE INDEX executions_owner_status ON executions (owner_id, status, created_at) WHERE status <> 'completed';
CREATE INDEX executions_workflow ON executions (workflow_id, created_at, number, status);
CREATE INDEX executions_workflow_status ON executions (workflow_id, status, created_at) WHERE status <> 'completed';
CREATE INDEX executions_open ON executions (created_at, id, workflow_id, worker) WHERE status IN ('queued', 'running');
CREATE INDEX executions_expiry ON executions (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE journal (
  execution INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  events TEXT NOT NULL,
  UNIQUE (execution, seq)
);

CREATE TABLE timers (
  execution INTEGER NOT NULL,
  path TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  UNIQUE (execution, path)
);
CREATE INDEX timers_due ON timers (due_at);

CREATE TABLE dedupe (
  owner_id TEXT NOT NULL,
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  execution_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, scope, key)
);
CREATE INDEX dedupe_expiry ON dedupe (expires_at);

CREATE TABLE blobs (
  execution INTEGER NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (execution, hash)
);
CREATE INDEX blobs_hash ON blobs (hash);

CREATE TABLE counters (
  subject TEXT NOT NULL,
  status TEXT NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (subject, status)
);

CREATE TABLE workers (
  id TEXT PRIMARY KEY,
  lease_until INTEGER NOT NULL
);

CREATE TABLE workflows (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  search_text TEXT NOT NULL,
  status TEXT NOT NULL,
  version INTEGER NOT NULL,
  active_version INTEGER,
  settings TEXT NOT NULL,
  tags TEXT NOT NULL,
  node_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  removed INTEGER NOT NULL
);
CREATE INDEX workflows_owner ON workflows (owner_id, created_at, id) WHERE removed = 0;
CREATE INDEX workflows_removed ON workflows (id) WHERE removed = 1;

CREATE TABLE workflow_versions (
  workflow_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  definition TEXT NOT NULL,
  node_count INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (workflow_id, version)
);

CREATE TABLE workflow_tags (
  workflow_id TEXT NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY (workflow_id, tag)
);

CREATE TABLE webhooks (
  workflow_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  method TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  shape TEXT NOT NULL,
  UNIQUE (method, shape)
);
CREATE INDEX webhooks_workflow ON webhooks (workflow_id);

CREATE TABLE schedules (
  workflow_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  spec TEXT NOT NULL,
  next_run_at INTEGER,
  last_error TEXT,
  PRIMARY KEY (workflow_id, node_id)
);
CREATE INDEX schedules_due ON schedules (next_run_at) WHERE next_run_at IS NOT NULL;

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  role TEXT NOT NULL,
  plan TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX users_created ON users (created_at, id);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  token_id TEXT NOT NULL,
  previous_token_id TEXT,
  rotated_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ended_at INTEGER
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  prefix TEXT NOT NULL,
  scopes TEXT,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
);
CREATE INDEX api_keys_owner ON api_keys (owner_id, created_at, id);

CREATE TABLE secrets (
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  hosts TEXT,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, name)
);

CREATE TABLE files (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  execution_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  name TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX files_execution ON files (execution_id);
CREATE INDEX files_hash ON files (hash);
`;
