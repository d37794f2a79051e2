/** Queued executions that somebody has claimed: few at any time, and counted where a workflow has a `max_concurrency`. */
export const sql = `
CREATE INDEX executions_taken ON executions (workflow_id, id, worker) WHERE status = 'queued' AND worker IS NOT NULL;
`;
