const columns = `w.id, w.owner_id, w.name, w.description, w.status, w.version, w.active_version, w.settings, w.tags, w.node_count,
  w.created_at, w.updated_at, (SELECT coalesce(sum(c.n), 0) FROM counters c WHERE c.subject = 'workflow:' || w.id) AS execution_count`;

/** Whether executions may be created for the workflow. */
export const alive = `SELECT id, owner_id FROM workflows WHERE id = ? AND owner_id = ? AND removed = 0`;
/** The settings of an execution's workflow. */
export const settings = `SELECT id, settings FROM workflows WHERE id = (SELECT workflow_id FROM executions WHERE id = ?)`;
export const version = `SELECT version, owner_id, removed FROM workflows WHERE id = ?`;

export const insert = `INSERT INTO workflows (id, owner_id, name, description, search_text, status, version, active_version, settings,
  tags, node_count, created_at, updated_at, sort_name, removed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`;
export const update = `UPDATE workflows SET name = ?, description = ?, search_text = ?, status = ?, version = ?, active_version = ?,
  settings = ?, tags = ?, node_count = ?, created_at = ?, updated_at = ?, sort_name = ? WHERE id = ? AND owner_id = ?`;

export const select = `SELECT ${columns} FROM workflows w`;
export const get = `${select} WHERE w.id = ? AND w.owner_id = ? AND w.removed = 0`;

/** Conditions of a list: owner, then status, search pattern and tag if given. */
export function buildWorkflowCondition(by: { status: boolean; search: boolean; tag: boolean }): string {
  return [
    'w.owner_id = ? AND w.removed = 0',
    ...(by.status ? ['w.status = ?'] : []),
    ...(by.search ? [`w.search_text LIKE ? ESCAPE '\\'`] : []),
    ...(by.tag ? ['EXISTS (SELECT 1 FROM workflow_tags t WHERE t.workflow_id = w.id AND t.tag = ?)'] : []),
  ].join(' AND ');
}

const orders = {
  name: 'w.sort_name',
  created_at: 'w.created_at',
  updated_at: 'w.updated_at',
  // A workflow that never ran counts as the one that ran longest ago.
  last_execution: 'coalesce((SELECT max(e.created_at) FROM executions e WHERE e.workflow_id = w.id), 0)',
} as const;

export function list(
  condition: string,
  sort: keyof typeof orders = 'created_at',
  direction: 'asc' | 'desc' = 'desc',
): string {
  const way = direction === 'asc' ? 'ASC' : 'DESC';
  return `SELECT ${columns} FROM workflows w WHERE ${condition} ORDER BY ${orders[sort]} ${way}, w.id ${way} LIMIT ? OFFSET ?`;
}
export function count(condition: string): string {
  return `SELECT count(*) AS n FROM workflows w WHERE ${condition}`;
}

/** How far the deletion of a workflow is: the values of the column `removed`; 0 for a workflow in use. */
export const deletionStates = { completely: 1, executions: 2, restorable: 3 } as const;
export const state = `SELECT removed FROM workflows WHERE id = ?`;
export const selectState = `SELECT removed FROM workflows WHERE id = ? AND owner_id = ? AND removed <> 1`;
export const markForRemoval = `UPDATE workflows SET removed = 1, status = 'inactive', active_version = NULL WHERE id = ? AND owner_id = ? AND removed <> 1`;
/** Params: the owner, twice. */
export const listIds = `SELECT id FROM workflows WHERE owner_id = ? AND removed = 0
  UNION ALL SELECT id FROM workflows WHERE owner_id = ? AND removed > 1`;
/** Params: the limit, twice. */
export const hidden = `SELECT id FROM (SELECT id FROM workflows WHERE removed = 1 ORDER BY id LIMIT ?) AS gone
  UNION ALL SELECT id FROM (SELECT id FROM workflows WHERE removed = 2 ORDER BY id LIMIT ?) AS emptied`;

/** Hides a workflow and keeps it; its executions are deleted next. */
export const markDeleted = `UPDATE workflows SET removed = 2, status = CASE WHEN status = 'draft' THEN 'draft' ELSE 'inactive' END,
  active_version = NULL, deleted_at = ?, deleted_by = ?, purge_at = ? WHERE id = ? AND owner_id = ? AND removed = 0`;
export const markRestorable = `UPDATE workflows SET removed = 3 WHERE id = ? AND removed = 2`;
export const undelete = `UPDATE workflows SET removed = 0, deleted_at = NULL, deleted_by = NULL, purge_at = NULL WHERE id = ? AND owner_id = ? AND removed = 3`;
export const purge = `UPDATE workflows SET removed = 1 WHERE id IN
  (SELECT id FROM workflows WHERE removed = 3 AND purge_at <= ? ORDER BY purge_at LIMIT ?) AND removed = 3`;
const deleted = `SELECT ${columns}, w.deleted_at, w.deleted_by, w.purge_at FROM workflows w WHERE w.owner_id = ? AND w.removed > 1`;
export const getDeleted = `${deleted} AND w.id = ?`;
export const listDeleted = `${deleted} ORDER BY w.deleted_at DESC, w.id DESC LIMIT ? OFFSET ?`;
export const countDeleted = `SELECT count(*) AS n FROM workflows w WHERE w.owner_id = ? AND w.removed > 1`;
export const remove = `DELETE FROM workflows WHERE id = ? AND removed = 1`;

export const addTag = `INSERT INTO workflow_tags (workflow_id, tag) VALUES (?, ?) ON CONFLICT (workflow_id, tag) DO NOTHING`;
export const removeTags = `DELETE FROM workflow_tags WHERE workflow_id = ?`;

const authorNames = {
  user: `SELECT coalesce(nullif(name, ''), email) FROM users`,
  api_key: `SELECT name FROM api_keys`,
  oauth_client: `SELECT name FROM oauth_clients`,
} as const;
/** Params: workflow, version, definition, number of nodes, time, and the type and id of the author. */
export function insertVersion(author: keyof typeof authorNames): string {
  return `INSERT INTO workflow_versions (workflow_id, version, definition, node_count, created_at, author_type, author_name)
    VALUES (?, ?, ?, ?, ?, ?, (${authorNames[author]} WHERE id = ?))`;
}
export const insertVersionWithoutAuthor = `INSERT INTO workflow_versions (workflow_id, version, definition, node_count, created_at) VALUES (?, ?, ?, ?, ?)`;
export const getVersion = `SELECT v.workflow_id, v.version, v.name, v.definition, v.created_at, v.author_type, v.author_name FROM workflow_versions v
  JOIN workflows w ON w.id = v.workflow_id WHERE v.workflow_id = ? AND v.version = ? AND w.owner_id = ? AND w.removed = 0`;
export const versions = `SELECT version, name, created_at, node_count, author_type, author_name FROM workflow_versions WHERE workflow_id = ? AND version > 0 ORDER BY version DESC LIMIT ? OFFSET ?`;
/** Params: name, workflow, version, owner. */
export const nameVersion = `UPDATE workflow_versions SET name = ? WHERE workflow_id = ? AND version = ?
  AND EXISTS (SELECT 1 FROM workflows w WHERE w.id = workflow_id AND w.owner_id = ? AND w.removed = 0)`;
export const countVersions = `SELECT count(*) AS n FROM workflow_versions WHERE workflow_id = ? AND version > 0`;
/** Returns the number of tests of the workflow. */
export const countTest = `UPDATE workflows SET test_count = test_count + 1 WHERE id = ? AND owner_id = ? AND removed = 0 RETURNING test_count`;
/** Deletes definitions of tests that no execution uses. Params: those saved before this time, the limit. */
export const pruneTests = `DELETE FROM workflow_versions WHERE version < 0 AND (workflow_id, version) IN
  (SELECT v.workflow_id, v.version FROM workflow_versions v WHERE v.version < 0 AND v.created_at < ? AND NOT EXISTS
    (SELECT 1 FROM executions e WHERE e.workflow_id = v.workflow_id AND e.workflow_version = v.version AND e.workflow_version < 0)
    LIMIT ?)`;
export const removeVersions = `DELETE FROM workflow_versions WHERE workflow_id = ?`;
