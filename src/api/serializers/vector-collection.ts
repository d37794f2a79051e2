import { formatIsoTime } from '../../lib/time/iso-time.ts';
import type { VectorCollectionRow } from '../../ports/store/ai/vectors.ts';
import type { VectorCollections } from '../../services/vectors/vector-collections.service.ts';
import { presentList } from './accounts.ts';

export function presentVectorCollection(collection: VectorCollectionRow) {
  return {
    name: collection.name,
    model: collection.model,
    dimensions: collection.dimensions,
    documents: collection.documents,
    created_at: formatIsoTime(collection.createdAt),
    updated_at: formatIsoTime(collection.updatedAt),
  };
}

export function presentVectorCollections(list: Awaited<ReturnType<VectorCollections['list']>>) {
  return presentList('vector_collections', list, presentVectorCollection);
}
