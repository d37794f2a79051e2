/**
 * The state of a long execution before the journal row `next_seq`, so that it continues without a replay of
 * its whole journal. It is removed when the execution ends.
 */
export const sql = `
CREATE TABLE snapshots (
  execution INTEGER PRIMARY KEY NOT NULL,
  next_seq INTEGER NOT NULL,
  version INTEGER NOT NULL,
  data TEXT NOT NULL
);
`;
