export const beat = `INSERT INTO workers (id, lease_until) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`;
export const live = `SELECT id, lease_until FROM workers WHERE lease_until > ? ORDER BY id`;
export const remove = `DELETE FROM workers WHERE id = ?`;
/** Leases that ended long ago; their executions count as free without a row. */
export const prune = `DELETE FROM workers WHERE lease_until < ?`;
/** For a process that has just become the only one: the leases of those before it mean nothing any more. */
export const removeAll = `DELETE FROM workers`;
