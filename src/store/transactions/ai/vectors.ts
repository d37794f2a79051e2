import { hash } from 'node:crypto';
import {
  MAX_COLLECTION_DOCUMENTS,
  MAX_COLLECTIONS,
  type VectorMatch,
  type VectorRefusal,
} from '../../../contract/ai/vectors.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type {
  StoredVectorDocument,
  VectorCollectionRow,
  VectorQuery,
  VectorSelection,
  VectorUpsert,
} from '../../../ports/store/ai/vectors.ts';
import * as vectors from '../../queries/ai/vectors.ts';
import { searchPattern } from '../../search-text.ts';
import {
  selectAll,
  change,
  selectFirst,
  lock,
  type Scalar,
  type Statement,
  type Transaction,
} from '../../statement.ts';

/** The documents that one transaction deletes. */
const PIECE_DOCUMENTS = 500;

type Found = { id: string; model: string; dimensions: number };
type CollectionRecord = {
  name: string;
  model: string;
  dimensions: number;
  documents: number;
  created_at: number;
  updated_at: number;
};
type MatchRecord = {
  document_key: string;
  source: string | null;
  content: string;
  metadata: string;
  score: number;
};

/** Of all changes of an owner's collections, so that their limits hold. */
const lockOf = (ownerId: string): string => `vectors of ${ownerId}`;

/** The id follows from the key, so that a repeated upsert writes the same rows. */
function toDocumentId(collection: string, key: string): string {
  return hash('sha256', JSON.stringify([collection, key]), 'hex').slice(0, 32);
}

const refuse = (field: string, issue: string, type: VectorRefusal['type'] = 'validation'): VectorRefusal => ({
  kind: 'refused',
  type,
  field,
  issue,
});
const NOT_SEARCHABLE = refuse(
  'collection',
  'needs the extension pgvector in the PostgreSQL database of Weft: CREATE EXTENSION vector',
);

function findMisfit(found: Found, model: string, dimensions: number): VectorRefusal | null {
  if (found.model !== model)
    return refuse('model', `must be ${JSON.stringify(found.model)}, the model of the collection`);
  if (found.dimensions !== dimensions)
    return refuse(
      'embeddings',
      `must have ${found.dimensions} dimensions like the collection, not ${dimensions}`,
    );
  return null;
}

export function* upsertVectors(
  ownerId: string,
  { id, collection, model, dimensions, documents, at }: VectorUpsert,
): Transaction<{ kind: 'stored'; stored: number } | VectorRefusal> {
  yield* lock(lockOf(ownerId));
  if ((yield* selectFirst(vectors.isSearchable)) === null) return NOT_SEARCHABLE;
  const found = yield* selectFirst<Found>(vectors.find, ownerId, collection);
  const misfit = found === null ? null : findMisfit(found, model, dimensions);
  if (misfit !== null) return misfit;
  if (found === null) {
    const owned = yield* selectFirst<{ n: number }>(vectors.countOfOwner, ownerId);
    if (Number(owned?.n) >= MAX_COLLECTIONS)
      return refuse('collection', `would be more than ${MAX_COLLECTIONS} collections`, 'limit');
  }
  const target = found?.id ?? id;
  const rows = documents.map((document) => ({ ...document, id: toDocumentId(target, document.key) }));
  const { sql, params } = vectors.selectExisting(rows.map((row) => row.id));
  const known = yield* selectAll(sql, ...params);
  const total = Number((yield* selectFirst<{ n: number }>(vectors.countDocuments, target))?.n);
  if (total + rows.length - known.length > MAX_COLLECTION_DOCUMENTS)
    return refuse(
      'documents',
      `would be more than ${MAX_COLLECTION_DOCUMENTS} documents in the collection`,
      'limit',
    );
  yield [
    found === null
      ? { sql: vectors.insert, params: [target, ownerId, collection, model, dimensions, at, at] }
      : { sql: vectors.touch, params: [at, target] },
    ...putDocuments(target, rows),
  ];
  return { kind: 'stored', stored: rows.length };
}

function putDocuments(
  collection: string,
  rows: readonly (StoredVectorDocument & { readonly id: string })[],
): Statement[] {
  return [
    {
      sql: vectors.putDocument,
      each: rows.map(({ id, key, source, text, metadata }) => [id, collection, key, source, text, metadata]),
    },
    { sql: vectors.putEmbedding, each: rows.map(({ id, embedding }) => [id, collection, embedding]) },
    { sql: vectors.removeFields, each: rows.map(({ id }) => [id]) },
    {
      sql: vectors.putField,
      each: rows.flatMap(({ id, fields }) =>
        fields.map(([name, value]): Scalar[] => [
          id,
          name,
          typeof value === 'string' ? value : null,
          typeof value === 'number' ? value : null,
          typeof value === 'boolean' ? Number(value) : null,
        ]),
      ),
    },
  ];
}

export function* queryVectors(
  ownerId: string,
  { collection, model, dimensions, embedding, conditions, limit }: VectorQuery,
): Transaction<{ kind: 'found'; matches: VectorMatch[] } | VectorRefusal> {
  if ((yield* selectFirst(vectors.isSearchable)) === null) return NOT_SEARCHABLE;
  const found = yield* selectFirst<Found>(vectors.find, ownerId, collection);
  if (found === null) return refuse('collection', 'does not exist; it begins with its first documents');
  const misfit = findMisfit(found, model, dimensions);
  if (misfit !== null)
    return { ...misfit, field: misfit.field === 'embeddings' ? 'embedding' : misfit.field };
  const { sql, params } = vectors.selectNearest(found.id, embedding, conditions, limit);
  const matches = (yield* selectAll<MatchRecord>(sql, ...params)).map((row) => ({
    key: row.document_key,
    score: Math.min(1, Math.max(-1, Number(row.score))),
    text: row.content,
    source: row.source,
    metadata: JSON.parse(row.metadata) as JsonObject,
  }));
  return { kind: 'found', matches };
}

function* removeByIds(ids: readonly string[]): Transaction<number> {
  if (ids.length === 0) return 0;
  const each = ids.map((id) => [id]);
  const [removed] = yield [
    { sql: vectors.removeDocument, each },
    { sql: vectors.removeEmbedding, each },
    { sql: vectors.removeFields, each },
  ];
  return removed?.changes ?? 0;
}

/** Deletes some of the documents. `more`: there may be others. */
export function* removeVectorDocuments(
  ownerId: string,
  collection: string,
  which: VectorSelection,
): Transaction<{ removed: number; more: boolean }> {
  yield* lock(lockOf(ownerId));
  const found = yield* selectFirst<Found>(vectors.find, ownerId, collection);
  if (found === null) return { removed: 0, more: false };
  if ('keys' in which) {
    const ids = which.keys.map((key) => toDocumentId(found.id, key));
    return { removed: yield* removeByIds(ids), more: false };
  }
  const { sql, params } = vectors.selectMatching(found.id, which.conditions, PIECE_DOCUMENTS);
  const rows = yield* selectAll<{ id: string }>(sql, ...params);
  const removed = yield* removeByIds(rows.map((row) => row.id));
  return { removed, more: rows.length === PIECE_DOCUMENTS };
}

const toRow = (record: CollectionRecord): VectorCollectionRow => ({
  name: record.name,
  model: record.model,
  dimensions: record.dimensions,
  documents: Number(record.documents),
  createdAt: record.created_at,
  updatedAt: record.updated_at,
});

export function* listVectorCollections(
  ownerId: string,
  search: string | null,
  offset: number,
  limit: number,
): Transaction<{ items: VectorCollectionRow[]; total: number }> {
  const pattern = searchPattern(search ?? '');
  const counted = yield* selectFirst<{ n: number }>(vectors.count, ownerId, pattern);
  const records = yield* selectAll<CollectionRecord>(vectors.list, ownerId, pattern, limit, offset);
  return { items: records.map(toRow), total: Number(counted?.n ?? 0) };
}

export function* getVectorCollection(ownerId: string, name: string): Transaction<VectorCollectionRow | null> {
  const record = yield* selectFirst<CollectionRecord>(vectors.get, ownerId, name);
  return record === null ? null : toRow(record);
}

export function* hideVectorCollection(ownerId: string, name: string): Transaction<boolean> {
  yield* lock(lockOf(ownerId));
  return (yield* change(vectors.hide, ownerId, name)) > 0;
}

/** Deletes some documents of hidden collections. True when there are more. */
export function* removeHiddenVectors(): Transaction<boolean> {
  yield* lock('hidden collections');
  const hidden = yield* selectFirst<{ id: string }>(vectors.anyHidden);
  if (hidden === null) return false;
  const rows = yield* selectAll<{ id: string }>(vectors.some, hidden.id, PIECE_DOCUMENTS);
  yield* removeByIds(rows.map((row) => row.id));
  if (rows.length < PIECE_DOCUMENTS) yield [{ sql: vectors.remove, params: [hidden.id] }];
  return true;
}
