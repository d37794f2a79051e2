export const webhookTaken = `SELECT 1 AS found FROM webhooks WHERE method = ? AND shape = ? AND workflow_id <> ?`;
export const insertWebhook = `INSERT INTO webhooks (workflow_id, node_id, owner_id, version, method, endpoint, shape) VALUES (?, ?, ?, ?, ?, ?, ?)`;
export const webhooks = `SELECT workflow_id, node_id, owner_id, version, method, endpoint, shape FROM webhooks`;
export const listWebhooks = `${webhooks} WHERE workflow_id = ?`;
export const removeWebhooks = `DELETE FROM webhooks WHERE workflow_id = ?`;

export const segmentReserved = `SELECT 1 AS found FROM webhook_segments s WHERE s.segment = ? AND s.owner_id <> ?
  AND NOT EXISTS (SELECT 1 FROM webhook_segments own WHERE own.segment = s.segment AND own.workflow_id = ?)`;
export const listSegments = `SELECT segment FROM webhook_segments WHERE workflow_id = ?`;
export const reserveSegment = `INSERT INTO webhook_segments (workflow_id, segment, owner_id) VALUES (?, ?, ?)`;
export const removeSegments = `DELETE FROM webhook_segments WHERE workflow_id = ?`;

const schedule = `s.workflow_id, s.node_id, s.owner_id, s.version, s.spec, s.next_run_at, s.last_error`;
export const insertSchedule = `INSERT INTO schedules (workflow_id, node_id, owner_id, version, spec, next_run_at, last_error) VALUES (?, ?, ?, ?, ?, ?, ?)`;
export const selectSchedules = `SELECT ${schedule}, NULL AS address FROM schedules s`;
export const selectPolls = `SELECT ${schedule}, s.address FROM polls s`;
/** Includes polling triggers. Params: owner and workflow, twice. */
export const schedules = `${selectSchedules} WHERE s.owner_id = ? AND s.workflow_id = ?
  UNION ALL ${selectPolls} WHERE s.owner_id = ? AND s.workflow_id = ?`;
export const due = `SELECT ${schedule}, h.held_to FROM schedules s
  LEFT JOIN held_ticks h ON h.workflow_id = s.workflow_id AND h.node_id = s.node_id
  WHERE s.next_run_at <= ? ORDER BY s.next_run_at LIMIT ?`;
export const next = `SELECT min(next_run_at) AS next_run_at FROM schedules WHERE next_run_at IS NOT NULL`;
export const dueAt = `SELECT workflow_id, node_id, next_run_at FROM schedules WHERE workflow_id = ? AND node_id = ?`;
export const move = `UPDATE schedules SET next_run_at = ?, last_error = ? WHERE workflow_id = ? AND node_id = ? AND next_run_at = ?`;
/** Ticks that wait for a running execution are rows of the table `held_ticks`. */
export const queueTicks = `INSERT INTO held_ticks (workflow_id, node_id, held_to) VALUES (?, ?, ?)
  ON CONFLICT (workflow_id, node_id) DO UPDATE SET held_to = excluded.held_to`;
export const removeQueuedTicks = `DELETE FROM held_ticks WHERE workflow_id = ?`;
export const removeSchedules = `DELETE FROM schedules WHERE workflow_id = ?`;

/** Completion triggers of active workflows are rows of the table `event_routes`. */
export const insertCompletionTrigger = `INSERT INTO event_routes (workflow_id, node_id, owner_id, kind, followed_status, source, target) VALUES (?, ?, ?, ?, ?, ?, ?)`;
export const completionTriggers = `SELECT workflow_id, node_id, owner_id, kind, followed_status, source, target FROM event_routes`;
export const listCompletionTriggersOf = `${completionTriggers} WHERE workflow_id = ?`;
export const removeCompletionTriggers = `DELETE FROM event_routes WHERE workflow_id = ?`;
