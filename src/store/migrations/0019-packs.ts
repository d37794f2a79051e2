/**
 * Packs: connectors that an administrator installed for all users. `manifest` and `content` are compressed
 * text; `bytes` is their length. Several packs may have the same document. `pack_changes` has one row, whose
 * `n` grows with every change.
 */
export const sql = `
CREATE TABLE packs (
  name TEXT NOT NULL,
  major INTEGER NOT NULL,
  minor INTEGER NOT NULL,
  patch INTEGER NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  operations INTEGER NOT NULL,
  manifest TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  document_hash TEXT NOT NULL,
  source_url TEXT,
  installed_by TEXT NOT NULL,
  installed_at INTEGER NOT NULL,
  PRIMARY KEY (name, major, minor, patch)
);
CREATE INDEX packs_document ON packs (document_hash);
CREATE TABLE pack_documents (
  hash TEXT PRIMARY KEY,
  content TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  size INTEGER NOT NULL
);
CREATE TABLE pack_changes (
  id INTEGER PRIMARY KEY,
  n INTEGER NOT NULL
);
`;
