/* What secrets were before they were changed or deleted, sealed: executions from before may hold it, and doors mask it. */
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
