import type { VectorCondition, VectorMatch, VectorRefusal } from '../../../contract/ai/vectors.ts';
import type { AuditedChange } from '../audit.ts';

/** `fields`: the values of the metadata, and the source, that conditions compare. */
export type StoredVectorDocument = {
  readonly key: string;
  readonly text: string;
  readonly source: string | null;
  /** JSON. */
  readonly metadata: string;
  readonly fields: readonly (readonly [name: string, value: string | number | boolean])[];
  /** See `packEmbedding`. */
  readonly embedding: string;
};

/** `id`: the id of the collection if this creates it. `at` in ms. */
export type VectorUpsert = {
  readonly id: string;
  readonly collection: string;
  readonly model: string;
  readonly dimensions: number;
  readonly documents: readonly StoredVectorDocument[];
  readonly at: number;
};

export type VectorQuery = {
  readonly collection: string;
  readonly model: string;
  readonly dimensions: number;
  readonly embedding: string;
  readonly conditions: readonly VectorCondition[];
  readonly limit: number;
};

export type VectorSelection =
  | { readonly keys: readonly string[] }
  | { readonly conditions: readonly VectorCondition[] };

export type VectorCollectionRow = {
  name: string;
  model: string;
  dimensions: number;
  documents: number;
  createdAt: number;
  updatedAt: number;
};

export type VectorStore = {
  /** Stores all documents or none. */
  upsert(ownerId: string, upsert: VectorUpsert): Promise<{ kind: 'stored'; stored: number } | VectorRefusal>;
  query(
    ownerId: string,
    query: VectorQuery,
  ): Promise<{ kind: 'found'; matches: VectorMatch[] } | VectorRefusal>;
  /** Returns the number of deleted documents. */
  removeDocuments(ownerId: string, collection: string, which: VectorSelection): Promise<number>;
  /** By name. */
  list(
    ownerId: string,
    search: string | null,
    offset: number,
    limit: number,
  ): Promise<{ items: VectorCollectionRow[]; total: number }>;
  /** Null when there is none. */
  get(ownerId: string, name: string): Promise<VectorCollectionRow | null>;
  /** Hides the collection at once, then deletes its documents. False when there is none. */
  remove(ownerId: string, name: string, event?: AuditedChange): Promise<boolean>;
};
