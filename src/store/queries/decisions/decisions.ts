const columns = `d.id, d.owner_id, e.id AS execution_id, d.workflow_id, coalesce(w.name, '') AS workflow_name, d.node_id,
  d.path, d.title, d.request, CASE WHEN d.status = 'open' AND e.status IN ('completed', 'failed', 'stopped')
    THEN 'cancelled' ELSE d.status END AS status, d.choice, d.created_at, d.deadline_at, d.closed_at`;
const tables = `decisions d JOIN executions e ON e.number = d.execution AND e.owner_id <> ''
  LEFT JOIN workflows w ON w.id = d.workflow_id`;
const hasEnded = `e.status IN ('completed', 'failed', 'stopped')`;

/** Params: execution, then the values of the columns. */
export const insert = `INSERT INTO decisions (execution, id, owner_id, workflow_id, node_id, path, title, search_text, request,
  status, created_at, deadline_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?)`;
export const insertAssignee = `INSERT INTO decision_assignees (decision, assignee, email, role, notices, is_open)
  VALUES (?, ?, ?, ?, 0, 1) ON CONFLICT (decision, assignee) DO NOTHING`;

export const get = `SELECT ${columns} FROM ${tables} WHERE d.id = ?`;
const execution = `(SELECT x.number FROM executions x WHERE x.id = ? AND x.owner_id = ?)`;
/** Params: execution, owner, path. */
export const findByPath = `SELECT ${columns} FROM ${tables} WHERE d.execution = ${execution} AND d.path = ?`;
export const listAssignees = `SELECT decision, assignee, email, role, choice, comment, form_values, channel, responded_at, notices
  FROM decision_assignees WHERE decision = ? ORDER BY email, assignee`;

export type ListConditions = { view: 'assigned' | 'owned'; isOpen: boolean | null; search: boolean };

function listed({ view, isOpen, search }: ListConditions): string {
  const status =
    isOpen === null
      ? []
      : [isOpen ? `d.status = 'open' AND NOT ${hasEnded}` : `(d.status <> 'open' OR ${hasEnded})`];
  const conditions = [
    view === 'assigned' ? 'a.assignee = ?' : 'd.owner_id = ?',
    ...(view === 'assigned' && isOpen === true ? ['a.is_open = 1'] : []),
    ...status,
    ...(search ? [`d.search_text LIKE ? ESCAPE '\\'`] : []),
  ];
  const from =
    view === 'assigned'
      ? `decision_assignees a JOIN ${tables.replace(' JOIN', ' ON d.id = a.decision JOIN')}`
      : tables;
  return `FROM ${from} WHERE ${conditions.join(' AND ')}`;
}

/** Params: viewer, pattern of the search, limit, offset. */
export function list(conditions: ListConditions): string {
  const order = conditions.view === 'assigned' ? 'a.decision' : 'd.id';
  return `SELECT ${columns} ${listed(conditions)} ORDER BY ${order} DESC LIMIT ? OFFSET ?`;
}
export function count(conditions: ListConditions): string {
  return `SELECT count(*) AS n ${listed(conditions)}`;
}

export const respond = `UPDATE decision_assignees SET choice = ?, comment = ?, form_values = ?, channel = ?, responded_at = ?
  WHERE decision = ? AND assignee = ? AND responded_at IS NULL`;
export const countNotice = `UPDATE decision_assignees SET notices = ? WHERE decision = ? AND assignee = ? AND notices < ?`;
export const close = `UPDATE decisions SET status = ?, choice = ?, closed_at = ? WHERE id = ? AND status = 'open'`;
export const closeAssignees = `UPDATE decision_assignees SET is_open = 0 WHERE decision = ?`;
export const reopen = `UPDATE decisions SET status = 'open', closed_at = NULL WHERE id = ? AND status = 'cancelled'`;
export const reopenAssignees = `UPDATE decision_assignees SET is_open = 1 WHERE decision = ?`;

/** Open decisions without a timer, or of an ended execution. Params: created before, limit. */
export const abandoned = `SELECT d.id FROM decisions d JOIN executions e ON e.number = d.execution
  WHERE d.status = 'open' AND d.created_at < ? AND (${hasEnded}
    OR NOT EXISTS (SELECT 1 FROM timers t WHERE t.execution = d.execution AND t.path = d.path))
  ORDER BY d.created_at LIMIT ?`;

export const removeAssigneesByExecution = `DELETE FROM decision_assignees WHERE decision IN (SELECT id FROM decisions WHERE execution = ?)`;
export const removeByExecution = `DELETE FROM decisions WHERE execution = ?`;
