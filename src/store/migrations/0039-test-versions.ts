/**
 * Definitions that are run as a test are versions with a negative number. `test_count`: how many the workflow
 * had, so that no number is used twice.
 */
export const sql = `
ALTER TABLE workflows ADD COLUMN test_count INTEGER NOT NULL DEFAULT 0;
CREATE INDEX workflow_versions_tests ON workflow_versions (created_at) WHERE version < 0;
CREATE INDEX executions_tests ON executions (workflow_id, workflow_version) WHERE workflow_version < 0;
`;
