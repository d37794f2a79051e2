export const extendLease = `INSERT INTO workers (id, lease_until) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`;
export const live = `SELECT id, lease_until FROM workers WHERE lease_until > ? ORDER BY id`;
export const remove = `DELETE FROM workers WHERE id = ?`;
/** Leases that expired long ago; their executions count as unclaimed without a row. */
export const prune = `DELETE FROM workers WHERE lease_until < ?`;
/** For a process that has just become the only one: leases of earlier processes are void. */
export const removeAll = `DELETE FROM workers`;
