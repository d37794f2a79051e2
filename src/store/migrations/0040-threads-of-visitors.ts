/** Threads of visitors without an account have the keys of chat pages. Their number is limited. */
export const sql = `
CREATE INDEX threads_visitors ON threads (owner_id, workflow_id, namespace, updated_at)
  WHERE (substr(thread_key, 1, 7) = 'public.' OR substr(thread_key, 1, 5) = 'link.');
`;
