/* Names that users give to versions of workflows. */
export const sql = `
ALTER TABLE workflow_versions ADD COLUMN name TEXT;
`;
