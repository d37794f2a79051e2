export const append = `INSERT INTO journal (execution, seq, events) VALUES ((SELECT number FROM executions WHERE id = ?), ?, ?)`;

export const read = `SELECT j.seq, j.events FROM journal j
  WHERE j.execution = (SELECT e.number FROM executions e WHERE e.id = ? AND e.owner_id = ?) AND j.seq >= ?
  ORDER BY j.seq LIMIT ?`;

export const removeFrom = `DELETE FROM journal WHERE execution = ? AND seq >= ?`;
