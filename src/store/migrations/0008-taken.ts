/**
 * Queued executions that a worker has claimed: few at any time, and counted for workflows with a
 * `max_concurrency`.
 */
export const sql = `
CREATE INDEX executions_taken ON executions (workflow_id, id, worker) WHERE status = 'queued' AND worker IS NOT NULL;
`;
