import { Count, Text, Time, defineList, defineResource } from './resource.ts';

/** Response resources of vector collections. */

export const VectorCollectionResource = defineResource(
  'VectorCollection',
  'Documents that nodes find by the similarity of their embeddings.',
  {
    name: Text(),
    model: Text('The model of all its embeddings.'),
    dimensions: Count('The length of each embedding.'),
    documents: Count(),
    created_at: Time(),
    updated_at: Time('When documents were last stored.'),
  },
);

export const VectorCollectionListResource = defineList(
  'VectorCollectionList',
  'vector_collections',
  VectorCollectionResource,
);
