/*
 * A deleted workflow can be restored until `purge_at`. `workflows.removed` is 0 for a workflow in use, 1
 * while it is deleted with everything that belongs to it, 2 while only its executions are deleted, and 3 when
 * it can be restored. An older program shows none of the last three.
 *
 * `sort_name` is the beginning of the name in the form of `search_text`, of which it is the first line:
 * `ltrim` of everything except line breaks leaves the part from the first line break.
 */
export const sql = `
ALTER TABLE workflows ADD COLUMN deleted_at INTEGER;
ALTER TABLE workflows ADD COLUMN deleted_by TEXT;
ALTER TABLE workflows ADD COLUMN purge_at INTEGER;
ALTER TABLE workflows ADD COLUMN sort_name TEXT NOT NULL DEFAULT '';
UPDATE workflows SET sort_name = substr(search_text, 1,
  length(substr(search_text, 1, 200)) - length(ltrim(substr(search_text, 1, 200), replace(substr(search_text, 1, 200), '
', ''))));
CREATE INDEX workflows_deleted ON workflows (owner_id, deleted_at, id) WHERE removed > 1;
CREATE INDEX workflows_emptied ON workflows (id) WHERE removed = 2;
CREATE INDEX workflows_purge ON workflows (purge_at) WHERE removed = 3;
CREATE INDEX workflows_name ON workflows (owner_id, sort_name, id) WHERE removed = 0;
CREATE INDEX workflows_updated ON workflows (owner_id, updated_at, id) WHERE removed = 0;
`;
