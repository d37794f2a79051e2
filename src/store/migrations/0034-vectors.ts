/*
 * `vector_collections`: documents that are found by the similarity of their embeddings. `removed`: 1 while
 * its documents are being deleted. `vector_embeddings` is separate from `vector_documents`, because a search
 * reads all embeddings and few texts. `vector_fields`: the values of the metadata that filters compare; one
 * of the three columns has the value.
 */
export const sql = `
CREATE TABLE vector_collections (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  removed INTEGER NOT NULL
);
CREATE UNIQUE INDEX vector_collections_name ON vector_collections (owner_id, name) WHERE removed = 0;
CREATE INDEX vector_collections_removed ON vector_collections (id) WHERE removed = 1;

CREATE TABLE vector_documents (
  id TEXT PRIMARY KEY,
  collection TEXT NOT NULL,
  document_key TEXT NOT NULL,
  source TEXT,
  content TEXT NOT NULL,
  metadata TEXT NOT NULL
);
CREATE INDEX vector_documents_collection ON vector_documents (collection);

CREATE TABLE vector_embeddings (
  document TEXT PRIMARY KEY,
  collection TEXT NOT NULL,
  embedding BLOB NOT NULL
);
CREATE INDEX vector_embeddings_collection ON vector_embeddings (collection);

CREATE TABLE vector_fields (
  document TEXT NOT NULL,
  name TEXT NOT NULL,
  text_value TEXT,
  number_value REAL,
  flag_value INTEGER
);
CREATE INDEX vector_fields_document ON vector_fields (document, name);
`;
