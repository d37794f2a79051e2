import {
  SOURCE_FIELD,
  type FilterValue,
  type NodeVectors,
  type VectorDocument,
  type VectorRefusal,
} from '../contract/ai/vectors.ts';
import { packEmbedding } from '../lib/vectors/packed-embedding.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Attempt } from '../ports/runner.ts';
import type { StoredVectorDocument, VectorStore } from '../ports/store/ai/vectors.ts';

export type VectorAccess = Pick<VectorStore, 'upsert' | 'query' | 'removeDocuments'>;

const refuseEmbedding = (field: string): VectorRefusal => ({
  kind: 'refused',
  type: 'validation',
  field,
  issue: 'must have a number that is not 0, and numbers whose squares have a finite sum',
});

/** The access of one attempt to the collections of its owner. */
export function createAttemptVectors(
  { vectors, clock, ids }: { vectors: VectorAccess; clock: Pick<Clock, 'now'>; ids: Ids },
  { ownerId }: Pick<Attempt, 'ownerId'>,
): NodeVectors {
  return {
    async upsert(collection, model, documents) {
      const stored: StoredVectorDocument[] = [];
      for (const [index, document] of documents.entries()) {
        const embedding = packEmbedding(document.embedding);
        if (embedding === null) return refuseEmbedding(`embeddings[${index}]`);
        stored.push(toStored(document, embedding));
      }
      return await vectors.upsert(ownerId, {
        id: ids.next('vectorCollection'),
        collection,
        model,
        dimensions: documents[0]?.embedding.length ?? 0,
        documents: stored,
        at: clock.now(),
      });
    },
    async query(collection, model, { embedding, conditions, limit }) {
      const packed = packEmbedding(embedding);
      if (packed === null) return refuseEmbedding('embedding');
      return await vectors.query(ownerId, {
        collection,
        model,
        dimensions: embedding.length,
        embedding: packed,
        conditions,
        limit,
      });
    },
    remove: (collection, which) => vectors.removeDocuments(ownerId, collection, which),
  };
}

function toStored({ key, text, source, metadata }: VectorDocument, embedding: string): StoredVectorDocument {
  const values = Object.entries(metadata).flatMap(([name, value]) =>
    [value].flat().map((one): [string, FilterValue] => [name, one as FilterValue]),
  );
  return {
    key,
    text,
    source,
    metadata: JSON.stringify(metadata),
    fields: source === null ? values : [...values, [SOURCE_FIELD, source]],
    embedding,
  };
}
