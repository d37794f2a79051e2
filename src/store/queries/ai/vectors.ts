import type { VectorCondition } from '../../../contract/ai/vectors.ts';
import { createPlaceholders, type Scalar } from '../../statement.ts';

const columns = `c.id, c.name, c.model, c.dimensions, c.created_at, c.updated_at,
  (SELECT count(*) FROM vector_documents d WHERE d.collection = c.id) AS documents`;

/** Whether the database can compare embeddings: PostgreSQL needs pgvector. */
export const isSearchable = `SELECT 1 AS n`;

/** Params: owner, name. */
export const find = `SELECT id, model, dimensions FROM vector_collections c
  WHERE c.owner_id = ? AND c.name = ? AND c.removed = 0`;
export const get = `SELECT ${columns} FROM vector_collections c
  WHERE c.owner_id = ? AND c.name = ? AND c.removed = 0`;

const isListed = `c.owner_id = ? AND c.removed = 0 AND c.name LIKE ? ESCAPE '\\'`;
/** Params: owner, pattern, limit, offset. */
export const list = `SELECT ${columns} FROM vector_collections c WHERE ${isListed} ORDER BY c.name LIMIT ? OFFSET ?`;
export const count = `SELECT count(*) AS n FROM vector_collections c WHERE ${isListed}`;
export const countOfOwner = `SELECT count(*) AS n FROM vector_collections WHERE owner_id = ? AND removed = 0`;
export const countDocuments = `SELECT count(*) AS n FROM vector_documents WHERE collection = ?`;

/** Params: id, owner, name, model, dimensions, now, now. */
export const insert = `INSERT INTO vector_collections (id, owner_id, name, model, dimensions, created_at, updated_at,
  removed) VALUES (?, ?, ?, ?, ?, ?, ?, 0)`;
/** Params: now, id. */
export const touch = `UPDATE vector_collections SET updated_at = ? WHERE id = ?`;

/** Params: id, collection, key, source, text, metadata. */
export const putDocument = `INSERT INTO vector_documents (id, collection, document_key, source, content, metadata)
  VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET source = excluded.source, content = excluded.content,
  metadata = excluded.metadata`;
/** Params: document, collection, embedding. */
export const putEmbedding = `INSERT INTO vector_embeddings (document, collection, embedding)
  VALUES (?, ?, pack_vector(?)) ON CONFLICT (document) DO UPDATE SET embedding = excluded.embedding`;
/** Params: document, name, text, number, flag. */
export const putField = `INSERT INTO vector_fields (document, name, text_value, number_value, flag_value)
  VALUES (?, ?, ?, ?, ?)`;

export const removeDocument = `DELETE FROM vector_documents WHERE id = ?`;
export const removeEmbedding = `DELETE FROM vector_embeddings WHERE document = ?`;
export const removeFields = `DELETE FROM vector_fields WHERE document = ?`;

/** Params: owner, name. */
export const hide = `UPDATE vector_collections SET removed = 1 WHERE owner_id = ? AND name = ? AND removed = 0`;
export const hideOfOwner = `UPDATE vector_collections SET removed = 1 WHERE owner_id = ?`;
export const anyHidden = `SELECT id FROM vector_collections WHERE removed = 1 ORDER BY id LIMIT 1`;
/** Params: collection, limit. */
export const some = `SELECT id FROM vector_documents WHERE collection = ? LIMIT ?`;
export const remove = `DELETE FROM vector_collections WHERE id = ?`;

export function selectExisting(ids: readonly string[]): { sql: string; params: Scalar[] } {
  const { text, params } = createPlaceholders(ids);
  return { sql: `SELECT id FROM vector_documents WHERE id IN (${text})`, params };
}

/** The highest scores first. Params of the result begin with the packed embedding. */
export function selectNearest(
  collection: string,
  embedding: string,
  conditions: readonly VectorCondition[],
  limit: number,
): { sql: string; params: Scalar[] } {
  const where = conditions.map((condition) => meets('e.document', condition));
  return {
    sql: `WITH query AS MATERIALIZED (SELECT pack_vector(?) AS embedding), nearest AS (
        SELECT e.document, vector_similarity(e.embedding, q.embedding) AS score FROM query q, vector_embeddings e
        WHERE e.collection = ?${where.map(({ sql }) => ` AND ${sql}`).join('')} ORDER BY 2 DESC, 1 LIMIT ?)
      SELECT d.document_key, d.source, d.content, d.metadata, n.score
      FROM nearest n JOIN vector_documents d ON d.id = n.document ORDER BY n.score DESC, d.id`,
    params: [embedding, collection, ...where.flatMap(({ params }) => params), limit],
  };
}

export function selectMatching(
  collection: string,
  conditions: readonly VectorCondition[],
  limit: number,
): { sql: string; params: Scalar[] } {
  const where = conditions.map((condition) => meets('d.id', condition));
  return {
    sql: `SELECT d.id FROM vector_documents d WHERE d.collection = ?${where.map(({ sql }) => ` AND ${sql}`).join('')}
      LIMIT ?`,
    params: [collection, ...where.flatMap(({ params }) => params), limit],
  };
}

const operators = {
  greater_than: '>',
  greater_or_equal: '>=',
  less_than: '<',
  less_or_equal: '<=',
} as const;

function meets(document: string, condition: VectorCondition): { sql: string; params: Scalar[] } {
  const { sql, params } = compares(condition);
  return {
    sql: `EXISTS (SELECT 1 FROM vector_fields f WHERE f.document = ${document} AND f.name = ? AND ${sql})`,
    params: [condition.field, ...params],
  };
}

function compares(condition: VectorCondition): { sql: string; params: Scalar[] } {
  if (condition.operator !== 'in') {
    const column = typeof condition.value === 'number' ? 'number_value' : 'text_value';
    return { sql: `f.${column} ${operators[condition.operator]} ?`, params: [condition.value] };
  }
  const { values } = condition;
  const parts = [
    { column: 'text_value', of: values.filter((value) => typeof value === 'string') },
    { column: 'number_value', of: values.filter((value) => typeof value === 'number') },
    { column: 'flag_value', of: values.filter((value) => typeof value === 'boolean').map(Number) },
  ]
    .filter(({ of }) => of.length > 0)
    .map(({ column, of }) => {
      const { text, params } = createPlaceholders(of);
      return { sql: `f.${column} IN (${text})`, params };
    });
  return {
    sql: `(${parts.map(({ sql }) => sql).join(' OR ')})`,
    params: parts.flatMap(({ params }) => params),
  };
}
