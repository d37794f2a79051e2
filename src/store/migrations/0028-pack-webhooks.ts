/**
 * Triggers of packs that receive requests. `address`: the last part of the URL that the service sends to;
 * `is_registered`: a service may know it. `pack_requests`: received, and not processed yet. `pack_removals`:
 * registrations that must be removed at their service; `next_at` is also the end of a claim.
 */
export const sql = `
ALTER TABLE polls ADD COLUMN address TEXT;
ALTER TABLE polls ADD COLUMN is_registered INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX polls_address ON polls (address) WHERE address IS NOT NULL;
CREATE TABLE pack_requests (
  workflow_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  id TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  request TEXT NOT NULL,
  PRIMARY KEY (workflow_id, node_id, received_at, id)
);
CREATE TABLE pack_removals (
  address TEXT PRIMARY KEY NOT NULL,
  workflow_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  spec TEXT NOT NULL,
  cursor TEXT NOT NULL,
  failures INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  is_claimed INTEGER NOT NULL
);
CREATE INDEX pack_removals_due ON pack_removals (next_at);
CREATE INDEX pack_removals_of ON pack_removals (workflow_id, node_id);
`;
