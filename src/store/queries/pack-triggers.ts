const trigger = `workflow_id, node_id, owner_id, version, spec, next_run_at, last_error`;
/** Only an active trigger has a time of its next poll. */
export const find = `SELECT ${trigger}, cursor FROM polls WHERE address = ? AND next_run_at IS NOT NULL`;
/** Params: now, address. A trigger that is being polled, or whose last poll failed, keeps its time. */
export const makeDue = `UPDATE polls SET next_run_at = CASE WHEN held_from IS NULL AND failures = 0 THEN ? ELSE next_run_at END
  WHERE address = ? AND next_run_at IS NOT NULL`;
export const findByAddress = `SELECT workflow_id, node_id FROM polls WHERE address = ?`;
export const countRequests = `SELECT count(*) AS n, max(received_at) AS last FROM pack_requests WHERE workflow_id = ? AND node_id = ?`;
export const addRequest = `INSERT INTO pack_requests (workflow_id, node_id, id, received_at, request) VALUES (?, ?, ?, ?, ?)`;
export const firstRequest = `SELECT id, received_at, request FROM pack_requests WHERE workflow_id = ? AND node_id = ? ORDER BY received_at, id LIMIT 1`;
export const removeRequest = `DELETE FROM pack_requests WHERE workflow_id = ? AND node_id = ? AND received_at = ? AND id = ?`;
export const removeRequests = `DELETE FROM pack_requests WHERE workflow_id = ? AND node_id = ?`;
export const removeRequestsOfWorkflow = `DELETE FROM pack_requests WHERE workflow_id = ?`;
/** Params: now, workflow, node. */
export const continueRequests = `UPDATE polls SET next_run_at = ? WHERE workflow_id = ? AND node_id = ?
  AND EXISTS (SELECT 1 FROM pack_requests r WHERE r.workflow_id = polls.workflow_id AND r.node_id = polls.node_id)`;

/** Params: workflow, node, fence. */
export const registration = `SELECT address, is_registered FROM polls WHERE workflow_id = ? AND node_id = ? AND fence = ?`;
/** Params: address, workflow, node, fence. */
export const register = `UPDATE polls SET address = ?, is_registered = 1 WHERE workflow_id = ? AND node_id = ? AND fence = ?`;
export const forgetAddress = `UPDATE polls SET address = NULL, is_registered = 0 WHERE workflow_id = ? AND node_id = ?`;
export const forgetState = `UPDATE polls SET cursor = NULL, last_error = NULL WHERE workflow_id = ? AND node_id = ? AND address IS NOT NULL`;
export const unregister = `UPDATE polls SET is_registered = 0 WHERE address = ?`;
/** Params: error, address. */
export const noteRemovalFailure = `UPDATE polls SET last_error = ? WHERE address = ?`;

const removal = `address, workflow_id, node_id, owner_id, version, spec, cursor, failures, next_at`;
const enabled = `SELECT address, workflow_id, node_id, owner_id, version, spec, cursor, 0, 0, 0 FROM polls`;
const addRemoval = `INSERT INTO pack_removals (${removal}, is_claimed)`;
const again = `ON CONFLICT (address) DO UPDATE SET spec = excluded.spec, cursor = excluded.cursor, failures = 0, next_at = 0`;
export const removeLater = `${addRemoval} ${enabled} WHERE workflow_id = ? AND node_id = ? AND address IS NOT NULL AND cursor IS NOT NULL ${again}`;
export const removeLaterOfWorkflow = `${addRemoval} ${enabled} WHERE workflow_id = ? AND address IS NOT NULL AND cursor IS NOT NULL ${again}`;
/** Params: address, workflow, node, owner, version, spec, cursor. */
export const addRemovalOf = `${addRemoval} VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, 0) ${again}`;
export const untried = `SELECT 1 AS n FROM pack_removals WHERE workflow_id = ? AND node_id = ? AND failures = 0 LIMIT 1`;
export const due = `SELECT ${removal} FROM pack_removals WHERE next_at <= ? ORDER BY next_at LIMIT ?`;
export const next = `SELECT min(next_at) AS next_at FROM pack_removals`;
/** Params: until, address, due. */
export const claim = `UPDATE pack_removals SET next_at = ?, is_claimed = 1 WHERE address = ? AND next_at = ?`;
/** Params: failures, next, address, until. */
export const retry = `UPDATE pack_removals SET failures = ?, next_at = ?, is_claimed = 0 WHERE address = ? AND next_at = ?`;
/** Params: address, until. */
export const removed = `DELETE FROM pack_removals WHERE address = ? AND next_at = ?`;
/** For a process that has just become the only one: claims of earlier processes are void. */
export const releaseAllClaims = `UPDATE pack_removals SET next_at = 0, is_claimed = 0 WHERE is_claimed = 1`;
