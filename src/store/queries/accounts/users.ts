const columns = `id, email, name, password_hash, role, plan, created_at`;

export const count = `SELECT count(*) AS n FROM users`;
export const insert = `INSERT INTO users (id, email, email_key, name, password_hash, role, plan, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (email_key) DO NOTHING`;
export const byId = `SELECT ${columns} FROM users WHERE id = ?`;
export const byEmail = `SELECT ${columns} FROM users WHERE email_key = ?`;
export const list = `SELECT ${columns} FROM users ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`;
export const update = `UPDATE users SET email = ?, email_key = ?, name = ?, password_hash = ?, role = ?, plan = ? WHERE id = ?`;
export const remove = `DELETE FROM users WHERE id = ?`;
