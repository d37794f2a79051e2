/** The retries of an execution. */
export const sql = `
CREATE INDEX executions_retry_of ON executions (retry_of) WHERE retry_of IS NOT NULL;
`;
