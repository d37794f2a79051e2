const app = `pack, address, secret, updated_at`;
export const get = `SELECT ${app} FROM pack_apps WHERE pack = ?`;
export const find = `SELECT ${app} FROM pack_apps WHERE address = ?`;
/** The address of an app never changes: it is entered at the service. */
export const put = `INSERT INTO pack_apps (${app}) VALUES (?, ?, ?, ?)
  ON CONFLICT (pack) DO UPDATE SET secret = excluded.secret, updated_at = excluded.updated_at`;
export const remove = `DELETE FROM pack_apps WHERE pack = ?`;

/** Only an active trigger has a time of its next poll. */
const active = `FROM pack_listeners l JOIN polls p ON p.address = l.address WHERE p.next_run_at IS NOT NULL AND l.pack = ?`;
export const countActive = `SELECT count(DISTINCT l.address) AS n ${active}`;
/** Params: pack, event, identifier, the last address that was read, limit. */
export const listAddresses = `SELECT l.address ${active} AND l.event = ? AND l.identifier = ? AND l.address > ? ORDER BY l.address LIMIT ?`;
export const addListener = `INSERT INTO pack_listeners (pack, event, identifier, address) VALUES (?, ?, ?, ?)
  ON CONFLICT (pack, event, identifier, address) DO NOTHING`;
export const removeListeners = `DELETE FROM pack_listeners WHERE address = ?`;
