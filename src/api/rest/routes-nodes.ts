import {
  NodeDetailResource,
  NodeListResource,
  NodeResource,
  NodeTestResource,
  NodeVersionListResource,
} from '../../contract/resources/node.ts';
import {
  NodeQuerySchema,
  RegisterNodeSchema,
  RemoveNodeQuerySchema,
  TestNodeSchema,
} from '../../contract/requests/node.ts';
import { DeletedResource } from '../../contract/resources/resource.ts';
import type { Nodes } from '../../services/workflows/nodes.service.ts';
import { presentNode, presentNodeDetail, presentNodeTest } from '../serializers/node.ts';
import { createClientSignal } from './client-signal.ts';
import type { Route } from './route.ts';

export function nodeRoutes(nodes: Nodes): Route[] {
  return [
    {
      method: 'GET',
      path: '/nodes',
      operation: 'listNodes',
      status: 200,
      scope: 'nodes:read',
      summary: 'List the available nodes',
      response: NodeListResource,
      query: NodeQuerySchema,
      handle: async ({ principal, query }) => ({
        nodes: (await nodes.list(principal, query)).map(presentNode),
      }),
    },
    {
      method: 'POST',
      path: '/nodes',
      operation: 'registerNode',
      status: 201,
      scope: 'nodes:write',
      summary: 'Register a version of a custom node',
      response: NodeResource,
      errors: ['CONFLICT'],
      body: RegisterNodeSchema,
      handle: async ({ principal, body }) => presentNode(await nodes.register(principal, body)),
    },
    {
      method: 'POST',
      path: '/nodes/test',
      operation: 'testNode',
      status: 200,
      scope: 'nodes:write',
      summary: 'Run the code of a custom node once, without registering it',
      response: NodeTestResource,
      body: TestNodeSchema,
      async handle({ principal, body, request }) {
        const client = createClientSignal(request);
        try {
          return presentNodeTest(await nodes.test(principal, body, client.signal));
        } finally {
          client.release();
        }
      },
    },
    {
      method: 'GET',
      path: '/nodes/{id}',
      operation: 'getNode',
      status: 200,
      scope: 'nodes:read',
      summary: 'Get the newest version of a node, with its code',
      response: NodeDetailResource,
      handle: async ({ principal, params }) => presentNodeDetail(await nodes.get(principal, params['id']!)),
    },
    {
      method: 'DELETE',
      path: '/nodes/{id}',
      operation: 'deleteNode',
      status: 200,
      scope: 'nodes:write',
      summary: 'Delete a custom node or one of its versions. Fails while a saved workflow uses it',
      response: DeletedResource,
      errors: ['CONFLICT'],
      query: RemoveNodeQuerySchema,
      async handle({ principal, params: { id = '' }, query }) {
        await nodes.remove(principal, id, query);
        return { id, deleted: true };
      },
    },
    {
      method: 'GET',
      path: '/nodes/{id}/versions',
      operation: 'listNodeVersions',
      status: 200,
      scope: 'nodes:read',
      summary: 'List all versions of a node, newest first',
      response: NodeVersionListResource,
      handle: async ({ principal, params }) => ({
        versions: (await nodes.versions(principal, params['id']!)).map(presentNode),
      }),
    },
  ];
}
