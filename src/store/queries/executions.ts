/** The columns of lists; `e` is the table. */
export const columns = `e.id, e.owner_id, e.workflow_id, e.workflow_version, e.status, e.started_by, e.error, e.progress,
  e.current_node, e.created_at, e.start_time, e.end_time, e.parent_id, e.retry_of`;

const settled = `('completed', 'failed', 'stopped')`;

/** The columns that a checkpoint's guard needs. */
export const head = `SELECT id, owner_id, workflow_id, created_at, status, fence, next_seq, retention FROM executions WHERE id = ? AND owner_id <> ''`;

export const insert = `INSERT INTO executions (id, owner_id, workflow_id, workflow_version, status, started_by, error, progress,
  current_node, created_at, start_time, end_time, parent_id, retry_of, retention, expires_at, worker, fence, next_seq,
  dedupe_scope, dedupe_key, events) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The journal of an execution that was written in one checkpoint. */
export const onlyEvents = `SELECT e.events FROM executions e WHERE e.id = ? AND e.owner_id = ? AND e.events IS NOT NULL`;

export const advance = `UPDATE executions SET status = ?, error = ?, progress = ?, current_node = ?, start_time = ?, end_time = ?,
  expires_at = ?, worker = ?, next_seq = ?, fence = ? WHERE id = ? AND fence = ?`;

/** The columns that a claim returns. */
export const claimed = `id, owner_id, workflow_id, workflow_version, status, started_by, error, progress, current_node, created_at,
  start_time, end_time, parent_id, retry_of, fence, next_seq`;

/**
 * Unclaimed, claimed by this worker, or under an expired lease. Params: worker, id, worker, the time with
 * which leases are compared.
 */
export const claim = `UPDATE executions AS e SET worker = ?, fence = fence + 1
  WHERE id = ? AND owner_id <> '' AND status NOT IN ${settled}
    AND (worker IS NULL OR worker = ? OR worker NOT IN (SELECT w.id FROM workers w WHERE w.lease_until > ?))
  RETURNING ${claimed}`;

/**
 * A queued, unclaimed execution whose journal contains only its start: `events`, null when they are long;
 * `due`: one of its timers is due. Separate subqueries, so that the database does not scan all journals or
 * timers. Params: maximum bytes of the events, now, id.
 */
export const unclaimed = `SELECT ${columns}, e.fence, e.next_seq,
    (SELECT w.settings FROM workflows w WHERE w.id = e.workflow_id) AS settings,
    (SELECT j.events FROM journal j WHERE j.execution = e.number AND j.seq = 0 AND octet_length(j.events) <= ?) AS events,
    (SELECT 1 FROM timers t WHERE t.execution = e.number AND t.due_at + 0 <= ? LIMIT 1) AS due
  FROM executions e WHERE e.id = ? AND e.owner_id <> '' AND e.status = 'queued' AND e.worker IS NULL AND e.next_seq = 1`;

/** Releases a claim. */
export const unclaim = `UPDATE executions SET worker = NULL WHERE id = ?`;
/**
 * The running executions of a workflow and those that a worker has claimed, without one of them. In one
 * statement: between two, a first checkpoint can move an execution from the second to the first.
 */
export const countOthersActive = `SELECT
  (SELECT count(*) FROM executions e WHERE e.workflow_id = ? AND e.status = 'running' AND e.status <> 'completed' AND e.id <> ?)
  + (SELECT count(*) FROM executions e WHERE e.workflow_id = ? AND e.status = 'queued' AND e.worker IS NOT NULL
    AND e.id <> ? AND e.worker IN (SELECT w.id FROM workers w WHERE w.lease_until > ?)) AS n`;

export const release = `UPDATE executions SET worker = NULL WHERE worker = ? AND status IN ('queued', 'running')`;

export const stop = `UPDATE executions SET status = 'stopped', fence = fence + 1, worker = NULL, end_time = ?, current_node = NULL,
  expires_at = ?, next_seq = next_seq + 1 WHERE id = ?`;

/** Params: the time with which leases are compared, excluded workflows, limit. */
export function selectRunnable(excluded: string): string {
  return `SELECT e.id, e.workflow_id FROM executions e WHERE e.status IN ('queued', 'running')
  AND (e.worker IS NULL OR e.worker NOT IN (SELECT w.id FROM workers w WHERE w.lease_until > ?))
  ${excluded === '' ? '' : `AND (e.status = 'running' OR e.workflow_id NOT IN (${excluded}))`}
  ORDER BY e.created_at, e.id LIMIT ?`;
}

export const get = `SELECT ${columns} FROM executions e WHERE e.id = ? AND e.owner_id = ?`;

/** All executions of a workflow have its owner, so naming the owner once keeps the index small. */
const ofWorkflow = `e.workflow_id = (SELECT w.id FROM workflows w WHERE w.id = ? AND w.owner_id = ?)`;

/** Conditions of a list: `[workflow, owner]` or `[owner]`, then status, from and to if given. */
export function buildExecutionCondition(by: {
  workflow: boolean;
  status: 'completed' | 'other' | null;
  from: boolean;
  to: boolean;
}): string {
  return [
    by.workflow ? ofWorkflow : 'e.owner_id = ?',
    ...(by.status === null ? [] : ['e.status = ?']),
    // Lets the planner use the indices by status, which do not contain completed executions.
    ...(by.status === 'other' ? [`e.status <> 'completed'`] : []),
    ...(by.from ? ['e.created_at >= ?'] : []),
    ...(by.to ? ['e.created_at < ?'] : []),
  ].join(' AND ');
}

export function list(condition: string): string {
  return `SELECT ${columns} FROM executions e WHERE ${condition} ORDER BY e.created_at DESC, e.number DESC LIMIT ? OFFSET ?`;
}

/** Params: workflow, owner, limit. */
export const newestOfWorkflow = `SELECT ${columns} FROM executions e WHERE ${ofWorkflow} ORDER BY e.created_at DESC, e.number DESC LIMIT ?`;

export function count(condition: string): string {
  return `SELECT count(*) AS n FROM executions e WHERE ${condition}`;
}

/** The creation time of the execution after the newest `?`, read from an index. */
export function selectCreatedAt(condition: string): string {
  return `SELECT e.created_at FROM executions e WHERE ${condition} ORDER BY e.created_at DESC LIMIT 1 OFFSET ?`;
}

/** Conditions of a search: bounds of the id, patterns of the error in lower case, pattern of the trigger. */
export function search(by: { id: boolean; error: number; trigger: boolean }): string {
  return [
    ...(by.id ? ['e.id >= ? AND e.id < ?'] : []),
    ...Array.from({ length: by.error }, () => 'lower(e.error) LIKE ?'),
    ...(by.trigger ? ['e.started_by LIKE ?'] : []),
  ].join(' AND ');
}

/** Params of the condition, then: created after, and the place of the last candidate, then the limit. */
export function selectCandidates(condition: string, read: { error: boolean; values: boolean }): string {
  const error = read.error ? 'e.error' : 'NULL';
  const bytes = `coalesce(octet_length(${error}), 0)${read.values ? ` + ${valueBytes}` : ''}`;
  return `SELECT e.number, e.id, e.created_at, e.started_by, ${error} AS error, ${bytes} AS bytes FROM executions e WHERE ${condition}
  AND e.created_at > ? AND e.created_at <= ? AND (e.created_at < ? OR e.number < ?)
  ORDER BY e.created_at DESC, e.number DESC LIMIT ?`;
}

/** The rows of the journal `j` that a search of values reads: the first and last, unless long. */
const searchedRows = `(j.seq < 8 OR j.seq >= e.next_seq - 8) AND octet_length(j.events) <= 524288`;
const searchedEvents = `octet_length(e.events) <= 524288`;

/** The length of the values that a search reads. */
const valueBytes = `coalesce(CASE WHEN ${searchedEvents} THEN octet_length(e.events) END,
    (SELECT sum(octet_length(j.events)) FROM journal j WHERE j.execution = e.number AND ${searchedRows}), 0)`;

/** Numbers of a list whose values match a pattern in lower case. Params: list and pattern, twice. */
export function listWithValue(list: string): string {
  return `SELECT e.number FROM executions e WHERE e.number IN (${list}) AND ${searchedEvents} AND lower(e.events) LIKE ?
  UNION ALL SELECT e.number FROM executions e JOIN journal j ON j.execution = e.number
  WHERE e.number IN (${list}) AND ${searchedRows} AND lower(j.events) LIKE ?`;
}

/** The values of a list of numbers that a search reads. Params: the list, and again. */
export function listValues(list: string): string {
  return `SELECT e.number, e.events FROM executions e WHERE e.number IN (${list}) AND ${searchedEvents}
  UNION ALL SELECT e.number, j.events FROM executions e JOIN journal j ON j.execution = e.number
  WHERE e.number IN (${list}) AND ${searchedRows}`;
}

export function selectTimeSpan(condition: string): string {
  return `SELECT (SELECT e.created_at FROM executions e WHERE ${condition} ORDER BY e.created_at LIMIT 1) AS oldest,
    (SELECT e.created_at FROM executions e WHERE ${condition} ORDER BY e.created_at DESC LIMIT 1) AS newest`;
}

export const unsettled = `SELECT e.id FROM executions e WHERE ${ofWorkflow} AND e.status IN ('queued', 'running', 'waiting') AND e.status <> 'completed' LIMIT ?`;

/** Unfinished children, by the index of executions with a parent. */
export const children = `SELECT e.id FROM executions e WHERE e.parent_id = ? AND e.parent_id IS NOT NULL AND e.owner_id = ?
  AND e.status NOT IN ${settled} LIMIT ?`;

export const expired = `SELECT number, id, owner_id, workflow_id, status, next_seq, dedupe_scope, dedupe_key
  FROM executions WHERE expires_at <= ? ORDER BY expires_at LIMIT ?`;

export const ofRemovedWorkflow = `SELECT number, id, owner_id, workflow_id, status, next_seq, dedupe_scope, dedupe_key
  FROM executions WHERE workflow_id = ? ORDER BY created_at LIMIT ?`;

/** Hides an execution from every user; it remains due for deletion. */
export const markForRemoval = `UPDATE executions SET owner_id = '', workflow_id = '', status = 'stopped', fence = fence + 1, worker = NULL, expires_at = 0 WHERE number = ?`;
export const truncateJournal = `UPDATE executions SET next_seq = ? WHERE number = ?`;
export const remove = `DELETE FROM executions WHERE number = ?`;

/** The executions of a list that have ended. */
export function listSettled(list: string): string {
  return `SELECT e.id FROM executions e WHERE e.id IN (${list}) AND e.status IN ${settled}`;
}

export const ownsWorkflow = `SELECT 1 AS found FROM workflows WHERE id = ? AND owner_id = ?`;
export const findAny = `SELECT 1 AS found FROM executions WHERE workflow_id = ? LIMIT 1`;
