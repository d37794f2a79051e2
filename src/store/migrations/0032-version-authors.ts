/* Who saved a version of a workflow, with the name of that time. Null: the version is older than this. */
export const sql = `
ALTER TABLE workflow_versions ADD COLUMN author_type TEXT;
ALTER TABLE workflow_versions ADD COLUMN author_name TEXT;
`;
