import { GraphQLBoolean, GraphQLNonNull, GraphQLString } from 'graphql';
import { VectorCollectionListQuerySchema } from '../../../contract/requests/vector-collection.ts';
import {
  VectorCollectionListResource,
  VectorCollectionResource,
} from '../../../contract/resources/vector-collection.ts';
import { presentVectorCollection, presentVectorCollections } from '../../serializers/vector-collection.ts';
import type { GraphqlServices } from '../services.ts';
import { createOutputType, createQueryArgs, type OperationBuilder } from './operation-builder.ts';
import { toNullIfMissing, readText, type Operation } from './operation.ts';

export function vectorCollectionOperations(
  builder: OperationBuilder,
  { vectorCollections }: GraphqlServices,
): Operation[] {
  const list = createOutputType(builder, VectorCollectionListResource);
  const collection = createOutputType(builder, VectorCollectionResource);
  const listArgs = createQueryArgs(builder, VectorCollectionListQuerySchema);
  const name = { type: new GraphQLNonNull(GraphQLString), description: 'The name of the collection.' };
  return [
    {
      kind: 'query',
      name: 'vectorCollections',
      scope: 'executions:read',
      description: 'Your vector collections by name.',
      args: listArgs.args,
      type: list.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        list.show(presentVectorCollections(await vectorCollections.list(principal, listArgs.read(args)))),
    },
    {
      kind: 'query',
      name: 'vectorCollection',
      scope: 'executions:read',
      description: 'A vector collection; null when it does not exist.',
      args: { name },
      type: builder.objects.of(VectorCollectionResource).type,
      resolve: (args, principal) =>
        toNullIfMissing(
          vectorCollections
            .get(principal, readText(args, 'name'))
            .then((found) => collection.show(presentVectorCollection(found))),
        ),
    },
    {
      kind: 'mutation',
      name: 'deleteVectorCollection',
      scope: 'executions:write',
      description: 'Deletes a vector collection with all of its documents.',
      args: { name },
      type: new GraphQLNonNull(GraphQLBoolean),
      resolve: async (args, principal) => {
        await vectorCollections.remove(principal, readText(args, 'name'));
        return true;
      },
    },
  ];
}
