/*
 * The tick up to which a schedule with `overlap: queue` has queued executions: these were due while Weft ran,
 * and were not missed.
 */
export const sql = `
CREATE TABLE held_ticks (
  workflow_id TEXT NOT NULL,
  node_id TEXT NOT NULL,
  held_to INTEGER NOT NULL,
  PRIMARY KEY (workflow_id, node_id)
);
`;
