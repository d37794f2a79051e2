export const findHash = `SELECT document_hash FROM packs WHERE name = ? AND major = ? AND minor = ? AND patch = ?`;
export const used = `SELECT (SELECT count(*) FROM packs) AS n,
  (SELECT coalesce(sum(bytes), 0) FROM packs) + (SELECT coalesce(sum(bytes), 0) FROM pack_documents) AS bytes`;
export const documentExists = `SELECT 1 AS found FROM pack_documents WHERE hash = ?`;
export const insert = `INSERT INTO packs (name, major, minor, patch, kind, title, description, operations, manifest,
  bytes, document_hash, source_url, installed_by, installed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
export const insertDocument = `INSERT INTO pack_documents (hash, content, bytes, size) VALUES (?, ?, ?, ?)
  ON CONFLICT (hash) DO NOTHING`;
export const countChange = `INSERT INTO pack_changes (id, n) VALUES (1, 1)
  ON CONFLICT (id) DO UPDATE SET n = pack_changes.n + 1`;
export const changes = `SELECT n FROM pack_changes WHERE id = 1`;
export const list = `SELECT p.name, p.major, p.minor, p.patch, p.kind, p.title, p.description, p.operations,
  p.document_hash, d.size, p.source_url, p.installed_by, p.installed_at
  FROM packs p JOIN pack_documents d ON d.hash = p.document_hash ORDER BY p.name, p.major, p.minor, p.patch`;
export const exists = `SELECT 1 AS found FROM packs WHERE name = ? LIMIT 1`;
export const manifest = `SELECT manifest FROM packs WHERE name = ? AND major = ? AND minor = ? AND patch = ?`;
export const document = `SELECT d.content FROM packs p JOIN pack_documents d ON d.hash = p.document_hash
  WHERE p.name = ? AND p.major = ? AND p.minor = ? AND p.patch = ?`;
export const listVersions = `SELECT major, minor, patch FROM packs WHERE name = ?`;
export const remove = `DELETE FROM packs WHERE name = ? AND major = ? AND minor = ? AND patch = ?`;
export const removeDocuments = `DELETE FROM pack_documents
  WHERE NOT EXISTS (SELECT 1 FROM packs WHERE packs.document_hash = pack_documents.hash)`;
/** Workflows of all owners that changed since a time, after an id. */
export const listWorkflows = `SELECT id, owner_id, name FROM workflows
  WHERE id > ? AND removed = 0 AND updated_at >= ? ORDER BY id LIMIT ?`;
