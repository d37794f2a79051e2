export const insert = `INSERT INTO sessions (id, user_id, token_id, previous_token_id, rotated_at, created_at, expires_at, ended_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
export const get = `SELECT id, user_id, token_id, previous_token_id, rotated_at, created_at, expires_at, ended_at FROM sessions WHERE id = ?`;
export const rotate = `UPDATE sessions SET previous_token_id = token_id, token_id = ?, rotated_at = ?, expires_at = ?
  WHERE id = ? AND token_id = ? AND ended_at IS NULL`;
export const end = `UPDATE sessions SET ended_at = ? WHERE id = ? AND ended_at IS NULL`;
export const endByUser = `UPDATE sessions SET ended_at = ? WHERE user_id = ? AND id <> ? AND ended_at IS NULL`;
export const removeByUser = `DELETE FROM sessions WHERE user_id = ?`;
export const prune = `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;
