import { GraphQLBoolean, GraphQLList, GraphQLNonNull } from 'graphql';
import { HealthResource } from '../../../contract/resources/health.ts';
import { NodeDetailResource } from '../../../contract/resources/node.ts';
import {
  NodeQuerySchema,
  RegisterNodeSchema,
  RemoveNodeQuerySchema,
} from '../../../contract/requests/node.ts';
import { presentNodeDetail } from '../../serializers/node.ts';
import { answer, idArg, inputArg, queryArgs, type OperationBuilder } from './operation-builder.ts';
import { orNull, text, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';

/** The catalogue, and how the service is. */
export function nodeOperations(kit: OperationBuilder, { nodes, health }: GraphqlServices): Operation[] {
  const node = answer(kit, NodeDetailResource);
  const shownHealth = answer(kit, HealthResource);
  const filter = inputArg(kit, 'filter', 'NodeFilter', NodeQuerySchema);
  const register = inputArg(kit, 'input', 'RegisterNodeInput', RegisterNodeSchema);
  const removeArgs = queryArgs(kit, RemoveNodeQuerySchema);
  const list = new GraphQLNonNull(new GraphQLList(node.type));
  const id = idArg('Of the node, such as http_request.');

  return [
    {
      kind: 'query',
      name: 'nodes',
      scope: 'nodes:read',
      description:
        'The nodes that workflows may use: the newest version of each, or exactly the one asked for.',
      args: filter.args,
      type: list,
      cost: { own: 10 },
      resolve: async (args, principal) =>
        (await nodes.list(principal, filter.read(args))).map((each) => node.show(presentNodeDetail(each))),
    },
    {
      kind: 'query',
      name: 'node',
      scope: 'nodes:read',
      description: 'One node in its newest version; null when there is none of this id.',
      args: { id },
      type: kit.objects.of(NodeDetailResource).type,
      resolve(args, principal) {
        const one = async () => node.show(presentNodeDetail(await nodes.get(principal, text(args, 'id'))));
        return orNull(one());
      },
    },
    {
      kind: 'query',
      name: 'nodeVersions',
      scope: 'nodes:read',
      description: 'All versions of a node, newest first.',
      args: { id },
      type: list,
      cost: { own: 10 },
      resolve: async (args, principal) =>
        (await nodes.versions(principal, text(args, 'id'))).map((each) => node.show(presentNodeDetail(each))),
    },
    {
      kind: 'mutation',
      name: 'registerNode',
      scope: 'nodes:write',
      description: 'Registers a version of a custom node.',
      args: register.args,
      type: node.type,
      resolve: async (args, principal) =>
        node.show(presentNodeDetail(await nodes.register(principal, register.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'deleteNode',
      scope: 'nodes:write',
      description: 'Deletes a custom node, or one version of it, that no workflow was saved with.',
      args: { id, ...removeArgs.args },
      type: new GraphQLNonNull(GraphQLBoolean),
      async resolve(args, principal) {
        await nodes.remove(principal, text(args, 'id'), removeArgs.read(args));
        return true;
      },
    },
    {
      kind: 'query',
      name: 'health',
      scope: 'public',
      description: 'How the service is; administrators also see its measures.',
      type: shownHealth.type,
      resolve: async (_args, { principal }) => shownHealth.show(await health.view(principal)),
    },
  ];
}
