export const add = `INSERT INTO counters (subject, status, n) VALUES (?, ?, ?)
  ON CONFLICT (subject, status) DO UPDATE SET n = counters.n + excluded.n`;
export const of = `SELECT status, n FROM counters WHERE subject = ?`;
export const removeBySubject = `DELETE FROM counters WHERE subject = ?`;
