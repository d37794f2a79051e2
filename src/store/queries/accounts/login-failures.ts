export const put = `INSERT INTO login_failures (email_hash, failures, last_at) VALUES (?, ?, ?)
  ON CONFLICT (email_hash) DO UPDATE SET failures = excluded.failures, last_at = excluded.last_at`;
export const recent = `SELECT email_hash, failures, last_at FROM login_failures WHERE last_at >= ? ORDER BY last_at DESC LIMIT ?`;
export const prune = `DELETE FROM login_failures WHERE email_hash IN (SELECT email_hash FROM login_failures WHERE last_at < ? ORDER BY last_at LIMIT ?)`;
