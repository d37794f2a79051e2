import { GraphQLBoolean, GraphQLList, GraphQLNonNull } from 'graphql';
import { HealthResource } from '../../../contract/resources/health.ts';
import { NodeDetailResource, NodeTestResource } from '../../../contract/resources/node.ts';
import {
  NodeQuerySchema,
  RegisterNodeSchema,
  RemoveNodeQuerySchema,
  TestNodeSchema,
} from '../../../contract/requests/node.ts';
import { presentNodeDetail, presentNodeTest } from '../../serializers/node.ts';
import {
  createOutputType,
  createIdArg,
  createInputArg,
  createQueryArgs,
  type OperationBuilder,
} from './operation-builder.ts';
import { toNullIfMissing, readText, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';

/** Operations on the node catalog and the health of the service. */
export function nodeOperations(builder: OperationBuilder, { nodes, health }: GraphqlServices): Operation[] {
  const node = createOutputType(builder, NodeDetailResource);
  const shownHealth = createOutputType(builder, HealthResource);
  const filter = createInputArg(builder, 'filter', 'NodeFilter', NodeQuerySchema);
  const register = createInputArg(builder, 'input', 'RegisterNodeInput', RegisterNodeSchema);
  const tested = createOutputType(builder, NodeTestResource);
  const test = createInputArg(builder, 'input', 'TestNodeInput', TestNodeSchema);
  const removeArgs = createQueryArgs(builder, RemoveNodeQuerySchema);
  const list = new GraphQLNonNull(new GraphQLList(node.type));
  const id = createIdArg('The id of the node, such as http_request.');

  return [
    {
      kind: 'query',
      name: 'nodes',
      scope: 'nodes:read',
      description: 'The available nodes: the newest version of each, or the requested version.',
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
      description: 'The newest version of a node; null when the id does not exist.',
      args: { id },
      type: builder.objects.of(NodeDetailResource).type,
      resolve(args, principal) {
        const one = async () =>
          node.show(presentNodeDetail(await nodes.get(principal, readText(args, 'id'))));
        return toNullIfMissing(one());
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
        (await nodes.versions(principal, readText(args, 'id'))).map((each) =>
          node.show(presentNodeDetail(each)),
        ),
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
      name: 'testNode',
      scope: 'nodes:write',
      description: 'Runs the code of a custom node once, without registering it.',
      args: test.args,
      type: tested.type,
      resolve: async (args, principal) =>
        tested.show(presentNodeTest(await nodes.test(principal, test.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'deleteNode',
      scope: 'nodes:write',
      description: 'Deletes a custom node or one of its versions. Fails while a saved workflow uses it.',
      args: { id, ...removeArgs.args },
      type: new GraphQLNonNull(GraphQLBoolean),
      async resolve(args, principal) {
        await nodes.remove(principal, readText(args, 'id'), removeArgs.read(args));
        return true;
      },
    },
    {
      kind: 'query',
      name: 'health',
      scope: 'public',
      description: 'The health of the service. Administrators also see measurements.',
      type: shownHealth.type,
      resolve: async (_args, { principal }) => shownHealth.show(await health.view(principal)),
    },
  ];
}
