import type { JsonObject } from '../../lib/json/json.ts';

export const MAX_COLLECTIONS = 100;
/** The documents of a collection: a search compares all of them. */
export const MAX_COLLECTION_DOCUMENTS = 100_000;
/** The documents of one upsert, which is one transaction. */
export const MAX_UPSERT_DOCUMENTS = 256;
export const MAX_DIMENSIONS = 4_096;
export const MAX_DOCUMENT_KEY = 512;
export const MAX_DOCUMENT_SOURCE = 2_048;
/** In characters. */
export const MAX_DOCUMENT_TEXT = 32_768;
/** In bytes of JSON. */
export const MAX_DOCUMENT_METADATA = 8_192;
/** The values of the metadata, with those of lists: each is a row of its own. */
export const MAX_DOCUMENT_VALUES = 256;
export const MAX_MATCHES = 100;
export const MAX_FILTER_FIELDS = 16;
export const MAX_FILTER_VALUES = 100;
/** The keys of one deletion. */
export const MAX_DELETED_KEYS = 1_000;

export const COLLECTION_NAME = '^[a-z0-9][a-z0-9_-]{0,63}$';

/** The name of the source in filters; metadata cannot have a field with this name. */
export const SOURCE_FIELD = 'source';

/** `key` is unique in its collection. `source`: where the text is from; null: unknown. */
export type VectorDocument = {
  readonly key: string;
  readonly text: string;
  readonly source: string | null;
  readonly metadata: JsonObject;
  readonly embedding: readonly number[];
};

/** `score`: the cosine of the angle between both embeddings, from -1 to 1. */
export type VectorMatch = {
  readonly key: string;
  readonly score: number;
  readonly text: string;
  readonly source: string | null;
  readonly metadata: JsonObject;
};

/** Names of the node `condition`. */
export const rangeOperators = ['greater_than', 'greater_or_equal', 'less_than', 'less_or_equal'] as const;

export type FilterValue = string | number | boolean;

/**
 * A condition on a field of the metadata, or on the source. A field with a list has each of its elements.
 * `in`: one of these values; the others compare numbers or texts, and `value` has the type of both.
 */
export type VectorCondition =
  | { readonly field: string; readonly operator: 'in'; readonly values: readonly FilterValue[] }
  | {
      readonly field: string;
      readonly operator: (typeof rangeOperators)[number];
      readonly value: string | number;
    };

/** Why a collection cannot do what was requested; `field` is of the configuration of the node. */
export type VectorRefusal = {
  readonly kind: 'refused';
  readonly type: 'validation' | 'limit';
  readonly field: string;
  readonly issue: string;
};

/** The collections of the owner of an attempt. */
export type NodeVectors = {
  /**
   * Stores documents, all or none. Replaces those with the same keys, and creates the collection with the
   * first ones.
   */
  upsert(
    collection: string,
    model: string,
    documents: readonly VectorDocument[],
  ): Promise<{ kind: 'stored'; stored: number } | VectorRefusal>;
  /** The documents with the highest scores that meet all conditions, highest first. */
  query(
    collection: string,
    model: string,
    search: {
      readonly embedding: readonly number[];
      readonly conditions: readonly VectorCondition[];
      readonly limit: number;
    },
  ): Promise<{ kind: 'found'; matches: VectorMatch[] } | VectorRefusal>;
  /** Deletes documents by key, or those that meet all conditions. A missing collection has none. */
  remove(
    collection: string,
    which: { readonly keys: readonly string[] } | { readonly conditions: readonly VectorCondition[] },
  ): Promise<number>;
};
