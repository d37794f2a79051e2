/*
 * Encrypted former values of changed or deleted secrets: earlier executions may contain them, and the API
 * redacts them.
 */
export const sql = `
CREATE TABLE former_secrets (
  owner_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, seq)
);
CREATE INDEX former_secrets_ended ON former_secrets (ended_at);
`;
