/** Params: path, value, time, number of the execution. */
export const put = `INSERT INTO signals (path, value, created_at, execution) VALUES (?, ?, ?, ?) ON CONFLICT (execution, path) DO NOTHING`;

export const read = `SELECT s.value FROM signals s
  WHERE s.execution = (SELECT e.number FROM executions e WHERE e.id = ? AND e.owner_id = ?) AND s.path = ?`;

export const removeByExecution = `DELETE FROM signals WHERE execution = ?`;

/** The execution that a signal is for. */
export const target = `SELECT number, status FROM executions WHERE id = ? AND owner_id = ?`;
