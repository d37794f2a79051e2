export const status = `SELECT status FROM decisions WHERE id = ?`;
/** Params: decision, channel, ts, due time. */
export const add = `INSERT INTO decision_messages (decision, channel, ts, failures, due_at, is_claimed) VALUES (?, ?, ?, 0, ?, 0)
  ON CONFLICT (decision, channel, ts) DO NOTHING`;
export const count = `SELECT count(*) AS n FROM decision_messages WHERE decision = ?`;
/** Params: due time, decision. */
export const close = `UPDATE decision_messages SET due_at = ? WHERE decision = ?`;
export const reopen = `UPDATE decision_messages SET due_at = NULL, failures = 0, is_claimed = 0 WHERE decision = ?`;
export const due = `SELECT decision, channel, ts, failures, due_at FROM decision_messages
  WHERE due_at IS NOT NULL AND due_at <= ? ORDER BY due_at LIMIT ?`;
export const next = `SELECT min(due_at) AS due_at FROM decision_messages WHERE due_at IS NOT NULL`;
/** Params: until, decision, channel, ts, due. */
export const claim = `UPDATE decision_messages SET due_at = ?, is_claimed = 1 WHERE decision = ? AND channel = ? AND ts = ? AND due_at = ?`;
/** Params: failures, next, decision, channel, ts, until. */
export const retry = `UPDATE decision_messages SET failures = ?, due_at = ?, is_claimed = 0
  WHERE decision = ? AND channel = ? AND ts = ? AND due_at = ?`;
/** Params: decision, channel, ts, until. */
export const remove = `DELETE FROM decision_messages WHERE decision = ? AND channel = ? AND ts = ? AND due_at = ?`;
/** For a process that has just become the only one: claims of earlier processes are void. */
export const releaseAllClaims = `UPDATE decision_messages SET due_at = 0, is_claimed = 0 WHERE is_claimed = 1`;
/** Params: number of an execution. */
export const removeByExecution = `DELETE FROM decision_messages WHERE decision IN (SELECT id FROM decisions WHERE execution = ?)`;
