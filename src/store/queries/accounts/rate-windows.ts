export const put = `INSERT INTO rate_windows (user_id, ends_at, used) VALUES (?, ?, ?)
  ON CONFLICT (user_id) DO UPDATE SET ends_at = excluded.ends_at, used = excluded.used`;
export const live = `SELECT user_id, ends_at, used FROM rate_windows WHERE ends_at > ? AND (ends_at, user_id) > (?, ?)
  ORDER BY ends_at, user_id LIMIT ?`;
export const prune = `DELETE FROM rate_windows WHERE user_id IN (SELECT user_id FROM rate_windows WHERE ends_at <= ? ORDER BY ends_at LIMIT ?)`;
export const removeByUser = `DELETE FROM rate_windows WHERE user_id = ?`;
