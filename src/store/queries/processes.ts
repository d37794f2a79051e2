const columns = `id, place, role, version, host, pid, shares, started_at, alive_until`;

export const put = `INSERT INTO processes (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET place = excluded.place, role = excluded.role, version = excluded.version, host = excluded.host,
    pid = excluded.pid, shares = excluded.shares, alive_until = excluded.alive_until`;
export const live = `SELECT ${columns} FROM processes WHERE alive_until > ? ORDER BY started_at, id`;
export const remove = `DELETE FROM processes WHERE id = ?`;
export const prune = `DELETE FROM processes WHERE alive_until <= ?`;
/** For a process that has just become the only one. */
export const removeAll = `DELETE FROM processes`;
