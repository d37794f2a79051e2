export const append = `INSERT INTO journal (execution, seq, events) VALUES ((SELECT number FROM executions WHERE id = ?), ?, ?)`;

export const read = `SELECT j.seq, j.events FROM journal j
  WHERE j.execution = (SELECT e.number FROM executions e WHERE e.id = ? AND e.owner_id = ?) AND j.seq >= ?
  ORDER BY j.seq LIMIT ?`;

export const removeFrom = `DELETE FROM journal WHERE execution = ? AND seq >= ?`;

/**
 * The whole journal when it has few and small rows; otherwise any part of it. Params: execution, rows,
 * maximum bytes of a row.
 */
export const short = `SELECT e.id, j.seq, j.events FROM executions e JOIN journal j ON j.execution = e.number
  WHERE e.id = ? AND e.next_seq <= ? AND octet_length(j.events) <= ? ORDER BY j.seq`;

export const putSnapshot = `INSERT INTO snapshots (execution, next_seq, version, data)
  VALUES ((SELECT number FROM executions WHERE id = ?), ?, ?, ?)
  ON CONFLICT (execution) DO UPDATE SET next_seq = excluded.next_seq, version = excluded.version, data = excluded.data`;

export const snapshot = `SELECT s.next_seq, s.version, s.data FROM snapshots s
  WHERE s.execution = (SELECT e.number FROM executions e WHERE e.id = ? AND e.owner_id = ?)`;

export const removeSnapshotByExecution = `DELETE FROM snapshots WHERE execution = ?`;
