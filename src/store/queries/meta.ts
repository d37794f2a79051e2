export const put = `INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
export const get = `SELECT value FROM meta WHERE name = ?`;
export const putNew = `INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`;
export const remove = `DELETE FROM meta WHERE name = ?`;
