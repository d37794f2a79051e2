const row = `workflow_id, node_id, owner_id, version, spec, next_run_at, last_error`;
export const due = `SELECT ${row} FROM polls WHERE next_run_at <= ? ORDER BY next_run_at LIMIT ?`;
export const next = `SELECT min(next_run_at) AS next_run_at FROM polls WHERE next_run_at IS NOT NULL`;
/** Params: the row's fields. Seen items are kept; a poll in progress loses its claim. */
export const put = `INSERT INTO polls (${row}, fence, number, failures) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 0, 0)
  ON CONFLICT (workflow_id, node_id) DO UPDATE SET owner_id = excluded.owner_id, version = excluded.version,
    spec = excluded.spec, next_run_at = excluded.next_run_at, held_from = NULL, last_error = excluded.last_error, fence = polls.fence + 1`;
/** Clears the validators, so that the next response is a full one. */
export const unvalidate = `UPDATE polls SET etag = NULL, last_modified = NULL, failures = 0 WHERE workflow_id = ? AND node_id = ?`;
/** Resets the trigger to the state before its first poll. */
export const reset = `UPDATE polls SET number = 0, cursor = NULL WHERE workflow_id = ? AND node_id = ?`;
export const pause = `UPDATE polls SET next_run_at = NULL, held_from = NULL, fence = fence + 1 WHERE workflow_id = ?`;
export const listNodes = `SELECT node_id, address FROM polls WHERE workflow_id = ?`;
export const remove = `DELETE FROM polls WHERE workflow_id = ? AND node_id = ?`;
export const removeByWorkflow = `DELETE FROM polls WHERE workflow_id = ?`;

/**
 * Params: until, workflow, node, due. A worker that takes over an expired claim keeps the original due time.
 */
export const claim = `UPDATE polls SET held_from = COALESCE(held_from, next_run_at), next_run_at = ?, fence = fence + 1 WHERE workflow_id = ? AND node_id = ? AND next_run_at = ?`;
export const state = `SELECT held_from, fence, number, failures, etag, last_modified, cursor FROM polls WHERE workflow_id = ? AND node_id = ?`;
export const fence = `SELECT workflow_id, node_id, fence FROM polls WHERE workflow_id = ? AND node_id = ?`;
/** Params: until, workflow, node, fence. */
export const renew = `UPDATE polls SET next_run_at = ? WHERE workflow_id = ? AND node_id = ? AND fence = ?`;
/** Params: workflow, node, fence. The original due time is restored. */
export const releaseClaim = `UPDATE polls SET next_run_at = held_from, held_from = NULL, fence = fence + 1
  WHERE workflow_id = ? AND node_id = ? AND fence = ?`;
/** For a process that has just become the only one: claims of earlier processes are void. */
export const releaseAllClaims = `UPDATE polls SET next_run_at = held_from, held_from = NULL, fence = fence + 1 WHERE held_from IS NOT NULL`;
/** Also releases the claim. */
export const settle = `UPDATE polls SET held_from = NULL, next_run_at = ?, last_error = ?, failures = ?, number = ?, etag = ?, last_modified = ?, cursor = ?, fence = fence + 1
  WHERE workflow_id = ? AND node_id = ? AND fence = ?`;

export const seen = `SELECT workflow_id, node_id, item_key, seen FROM polled_items WHERE workflow_id = ? AND node_id = ? AND item_key = ?`;
export const see = `INSERT INTO polled_items (workflow_id, node_id, item_key, seen) VALUES (?, ?, ?, ?)
  ON CONFLICT (workflow_id, node_id, item_key) DO UPDATE SET seen = excluded.seen`;
export const count = `SELECT count(*) AS n FROM polled_items WHERE workflow_id = ? AND node_id = ?`;
/** Params: workflow, node, limit. */
export const forgetOldest = `DELETE FROM polled_items WHERE (workflow_id, node_id, item_key) IN
  (SELECT workflow_id, node_id, item_key FROM polled_items WHERE workflow_id = ? AND node_id = ? ORDER BY seen, item_key LIMIT ?)`;
export const forget = `DELETE FROM polled_items WHERE workflow_id = ? AND node_id = ?`;
/** Params: workflow, limit. */
export const forgetSome = `DELETE FROM polled_items WHERE (workflow_id, node_id, item_key) IN
  (SELECT workflow_id, node_id, item_key FROM polled_items WHERE workflow_id = ? LIMIT ?)`;

/** Params: workflow, node, keys. */
export function listSeen(list: string): string {
  return `SELECT item_key FROM polled_items WHERE workflow_id = ? AND node_id = ? AND item_key IN (${list})`;
}
/** Params: number, workflow, node, keys. */
export function touchSeenItems(list: string): string {
  return `UPDATE polled_items SET seen = ? WHERE workflow_id = ? AND node_id = ? AND item_key IN (${list})`;
}
