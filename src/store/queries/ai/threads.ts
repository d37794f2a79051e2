const columns = `t.id, t.workflow_id, coalesce(w.name, '') AS workflow_name, t.namespace, t.thread_key, t.created_at,
  t.updated_at, t.expires_at`;
/** The condition of the index in `migrations/0040-threads-of-visitors.ts`. */
const isOfVisitor = `(substr(t.thread_key, 1, 7) = 'public.' OR substr(t.thread_key, 1, 5) = 'link.')`;
const isAlive = `(t.expires_at IS NULL OR t.expires_at > ?)`;

/** Params: id, owner, workflow, namespace, key, search text, now, now, expiry. */
export const touch = `INSERT INTO threads (id, owner_id, workflow_id, namespace, thread_key, search_text, created_at,
  updated_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at, expires_at = excluded.expires_at`;
/** Deletes the turns of a thread whose time was over before this turn. Params: id, now. */
export const dropExpired = `DELETE FROM thread_turns WHERE thread = (SELECT t.id FROM threads t WHERE t.id = ?
  AND t.expires_at <= ?)`;
/** Params: thread, execution, path, time, messages, tokens, bytes, content. */
export const append = `INSERT INTO thread_turns (thread, execution_id, path, created_at, messages, tokens, bytes, content)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
/** Params: thread, thread, number of turns to keep. */
export const shorten = `DELETE FROM thread_turns WHERE thread = ? AND number <= (SELECT n.number FROM thread_turns n
  WHERE n.thread = ? ORDER BY n.number DESC LIMIT 1 OFFSET ?)`;

/** Params: id, owner, now. */
export const get = `SELECT ${columns} FROM threads t LEFT JOIN workflows w ON w.id = t.workflow_id
  WHERE t.id = ? AND t.owner_id = ? AND ${isAlive}`;
export const sizes = `SELECT number, messages, tokens, bytes FROM thread_turns WHERE thread = ? ORDER BY number DESC`;
/** Params: thread, number of the first turn. */
export const turns = `SELECT execution_id, path, created_at, content FROM thread_turns
  WHERE thread = ? AND number >= ? ORDER BY number`;
export const totals = `SELECT count(*) AS turns, coalesce(sum(messages), 0) AS messages, coalesce(sum(tokens), 0) AS tokens
  FROM thread_turns WHERE thread = ?`;

export type ThreadConditions = { workflow: boolean; namespace: boolean; search: boolean };

function where({ workflow, namespace, search }: ThreadConditions): string {
  return [
    't.owner_id = ?',
    isAlive,
    ...(workflow ? ['t.workflow_id = ?'] : []),
    ...(namespace ? ['t.namespace = ?'] : []),
    ...(search ? [`t.search_text LIKE ? ESCAPE '\\'`] : []),
  ].join(' AND ');
}

/** Params: owner, now, those of the conditions, limit, offset. */
export function list(conditions: ThreadConditions): string {
  return `SELECT ${columns} FROM threads t LEFT JOIN workflows w ON w.id = t.workflow_id WHERE ${where(conditions)}
    ORDER BY t.updated_at DESC, t.id DESC LIMIT ? OFFSET ?`;
}
export function count(conditions: ThreadConditions): string {
  return `SELECT count(*) AS n FROM threads t WHERE ${where(conditions)}`;
}

export const remove = `DELETE FROM threads WHERE id = ? AND owner_id = ?`;
export const removeTurns = `DELETE FROM thread_turns WHERE thread = ?`;
/** Params: workflow, limit. */
export const ofWorkflow = `SELECT id, owner_id FROM threads WHERE workflow_id = ? LIMIT ?`;
/** Ends the threads of a deleted user. */
export const expireByOwner = `UPDATE threads SET expires_at = 0 WHERE owner_id = ?`;
/** Params: now, limit. */
export const expired = `SELECT id, owner_id FROM threads WHERE expires_at <= ? ORDER BY expires_at LIMIT ?`;
/** Params: id, now. */
export const removeExpired = `DELETE FROM threads WHERE id = ? AND expires_at <= ?`;
/** The places with too many threads of visitors. Params: number of threads to keep. */
export const crowded = `SELECT t.owner_id, t.workflow_id, t.namespace FROM threads t WHERE ${isOfVisitor}
  GROUP BY t.owner_id, t.workflow_id, t.namespace HAVING count(*) > ?`;
/** Params: owner, workflow, namespace, limit, number of threads to keep. */
export const surplus = `SELECT t.id FROM threads t WHERE t.owner_id = ? AND t.workflow_id IS NOT DISTINCT FROM ?
  AND t.namespace IS NOT DISTINCT FROM ? AND ${isOfVisitor} ORDER BY t.updated_at DESC, t.id DESC LIMIT ? OFFSET ?`;
