/*
 * `threads`: conversations that nodes continue. `namespace` is null for the threads of a workflow.
 * `thread_turns`: one row for each node run that added messages, in the order of `number`; `content` is a
 * JSON list. The index holds what a list and the choice of turns read.
 */
export const sql = `
CREATE TABLE threads (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  workflow_id TEXT,
  namespace TEXT,
  thread_key TEXT NOT NULL,
  search_text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER
);
CREATE INDEX threads_owner ON threads (owner_id, updated_at, id);
CREATE INDEX threads_workflow ON threads (workflow_id) WHERE workflow_id IS NOT NULL;
CREATE INDEX threads_expiry ON threads (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE thread_turns (
  number INTEGER PRIMARY KEY,
  thread TEXT NOT NULL,
  execution_id TEXT NOT NULL,
  path TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  content TEXT NOT NULL
);
CREATE INDEX thread_turns_thread ON thread_turns (thread, number, messages, tokens, bytes);
`;
