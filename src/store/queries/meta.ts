export const put = `INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
export const get = `SELECT value FROM meta WHERE name = ?`;
export const putNew = `INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`;
/** Only when it has the value that is expected. */
export const replace = `UPDATE meta SET value = ? WHERE name = ? AND value = ?`;
