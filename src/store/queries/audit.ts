const columns = `id, created_at, action, outcome, actor_id, actor_email, credential, credential_id, target_id,
  target_name, address, user_agent, details`;

/** An event is written once, also when its transaction is repeated after a lost connection. */
export const insert = `INSERT INTO audit_events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO NOTHING`;

export type AuditConditions = {
  actor: 'id' | 'email' | null;
  action: boolean;
  targetType: boolean;
  targetId: boolean;
  outcome: boolean;
  from: boolean;
  to: boolean;
};

/** Params: those of the conditions, in this order. */
function where(conditions: AuditConditions): string {
  const { actor, action, targetType, targetId, outcome, from, to } = conditions;
  const found = [
    ...(actor === 'id' ? ['actor_id = ?'] : []),
    ...(actor === 'email' ? ['lower(actor_email) = lower(?)'] : []),
    ...(action ? ['action = ?'] : []),
    ...(targetType ? [`action LIKE ?`] : []),
    ...(targetId ? ['target_id = ?'] : []),
    ...(outcome ? ['outcome = ?'] : []),
    ...(from ? ['created_at >= ?'] : []),
    ...(to ? ['created_at < ?'] : []),
  ];
  return found.length === 0 ? '1 = 1' : found.join(' AND ');
}

/** Params: conditions, limit, offset. */
export function list(conditions: AuditConditions): string {
  return `SELECT ${columns} FROM audit_events WHERE ${where(conditions)} ORDER BY id DESC LIMIT ? OFFSET ?`;
}
export function count(conditions: AuditConditions): string {
  return `SELECT count(*) AS n FROM audit_events WHERE ${where(conditions)}`;
}
/** Params: conditions, id, limit. */
export function selectPage(conditions: AuditConditions): string {
  return `SELECT ${columns} FROM audit_events WHERE ${where(conditions)} AND id > ? ORDER BY id LIMIT ?`;
}

/** Params: created before, limit. */
export const prune = `DELETE FROM audit_events WHERE id IN
  (SELECT id FROM audit_events WHERE created_at < ? ORDER BY created_at LIMIT ?)`;
