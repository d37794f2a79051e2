const execution = `(SELECT number FROM executions WHERE id = ?)`;

export const set = `INSERT INTO timers (execution, path, due_at) VALUES (${execution}, ?, ?)
  ON CONFLICT (execution, path) DO UPDATE SET due_at = excluded.due_at`;
/** Only while the execution has not ended. Params: path, due, execution. */
export const wake = `INSERT INTO timers (execution, path, due_at)
  SELECT number, ?, ? FROM executions WHERE id = ? AND status NOT IN ('completed', 'failed', 'stopped')
  ON CONFLICT (execution, path) DO UPDATE SET due_at = excluded.due_at`;
export const clear = `DELETE FROM timers WHERE execution = ${execution} AND path = ?`;
export const clearAll = `DELETE FROM timers WHERE execution = ${execution}`;
export const removeByExecution = `DELETE FROM timers WHERE execution = ?`;

export const due = `SELECT e.id AS execution_id, t.path, t.due_at FROM timers t JOIN executions e ON e.number = t.execution
  WHERE t.due_at <= ? ORDER BY t.due_at LIMIT ?`;
/** Not of executions leased by another worker. Params: now, worker, time to compare leases with, limit. */
export const dueFor = `SELECT e.id AS execution_id, t.path, t.due_at FROM timers t JOIN executions e ON e.number = t.execution
  WHERE t.due_at <= ? AND (e.worker IS NULL OR e.worker = ? OR e.worker NOT IN (SELECT w.id FROM workers w WHERE w.lease_until > ?))
  ORDER BY t.due_at LIMIT ?`;
export const listDue = `SELECT e.id, t.path FROM executions e JOIN timers t ON t.execution = e.number
  WHERE e.id = ? AND t.due_at <= ? ORDER BY t.path`;
export const paths = `SELECT t.path FROM timers t
  WHERE t.execution = (SELECT e.number FROM executions e WHERE e.id = ? AND e.owner_id = ?) ORDER BY t.path`;
export const next = `SELECT min(due_at) AS due_at FROM timers`;
