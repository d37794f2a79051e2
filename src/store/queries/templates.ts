const summary = `t.owner_id, t.name, t.major, t.minor, t.patch, t.description, t.parameters, t.created_at`;

export const exists = `SELECT 1 AS found FROM templates WHERE owner_id = ? AND name = ? AND major = ? AND minor = ? AND patch = ?`;
export const countByOwner = `SELECT count(*) AS n FROM templates WHERE owner_id = ?`;
export const insert = `INSERT INTO templates (owner_id, name, major, minor, patch, description, search_text, parameters, workflow, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export const newest = `SELECT ${summary}, t.workflow FROM templates t WHERE t.owner_id = ? AND t.name = ?
  ORDER BY t.major DESC, t.minor DESC, t.patch DESC LIMIT 1`;
export const one = `SELECT ${summary}, t.workflow FROM templates t WHERE t.owner_id = ? AND t.name = ? AND t.major = ? AND t.minor = ? AND t.patch = ?`;
export const versions = `SELECT major, minor, patch FROM templates WHERE owner_id = ? AND name = ?
  ORDER BY major DESC, minor DESC, patch DESC`;

/** The newest version of each name, filtered by a search pattern with `search`. */
export function buildTemplateCondition(search: boolean): string {
  return `t.owner_id = ? AND NOT EXISTS (SELECT 1 FROM templates n WHERE n.owner_id = t.owner_id AND n.name = t.name
    AND (n.major, n.minor, n.patch) > (t.major, t.minor, t.patch))${search ? ` AND t.search_text LIKE ? ESCAPE '\\'` : ''}`;
}
export function list(condition: string): string {
  return `SELECT ${summary} FROM templates t WHERE ${condition} ORDER BY t.created_at DESC, t.name DESC LIMIT ? OFFSET ?`;
}
export function count(condition: string): string {
  return `SELECT count(*) AS n FROM templates t WHERE ${condition}`;
}

export const remove = `DELETE FROM templates WHERE owner_id = ? AND name = ?`;
export const removeVersion = `DELETE FROM templates WHERE owner_id = ? AND name = ? AND major = ? AND minor = ? AND patch = ?`;
export const removeByOwner = `DELETE FROM templates WHERE owner_id = ?`;
