export const add = `INSERT INTO blobs (execution, hash) VALUES ((SELECT number FROM executions WHERE id = ?), ?)
  ON CONFLICT (execution, hash) DO NOTHING`;
export const removeByExecution = `DELETE FROM blobs WHERE execution = ? RETURNING hash`;
/** Whether a content is referenced, as a large value of a journal or as a file. */
export const referenced = `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM blobs WHERE hash = ?) OR EXISTS (SELECT 1 FROM files WHERE hash = ?)`;
