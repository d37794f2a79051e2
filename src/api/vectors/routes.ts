import { VectorCollectionListQuerySchema } from '../../contract/requests/vector-collection.ts';
import { DeletedByNameResource } from '../../contract/resources/resource.ts';
import {
  VectorCollectionListResource,
  VectorCollectionResource,
} from '../../contract/resources/vector-collection.ts';
import type { VectorCollections } from '../../services/vectors/vector-collections.service.ts';
import { presentVectorCollection, presentVectorCollections } from '../serializers/vector-collection.ts';
import type { Route } from '../rest/route.ts';

export function vectorCollectionRoutes(collections: VectorCollections): Route[] {
  return [
    {
      method: 'GET',
      path: '/vector-collections',
      operation: 'listVectorCollections',
      status: 200,
      scope: 'executions:read',
      summary: 'List your vector collections by name',
      response: VectorCollectionListResource,
      query: VectorCollectionListQuerySchema,
      handle: async ({ principal, query }) =>
        presentVectorCollections(await collections.list(principal, query)),
    },
    {
      method: 'GET',
      path: '/vector-collections/{name}',
      operation: 'getVectorCollection',
      status: 200,
      scope: 'executions:read',
      summary: 'Read a vector collection',
      response: VectorCollectionResource,
      handle: async ({ principal, params: { name = '' } }) =>
        presentVectorCollection(await collections.get(principal, name)),
    },
    {
      method: 'DELETE',
      path: '/vector-collections/{name}',
      operation: 'deleteVectorCollection',
      status: 200,
      scope: 'executions:write',
      summary: 'Delete a vector collection with all of its documents',
      response: DeletedByNameResource,
      handle: async ({ principal, params: { name = '' } }) => {
        await collections.remove(principal, name);
        return { name, deleted: true };
      },
    },
  ];
}
