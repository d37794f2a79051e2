import { NodeListResource, NodeResource, NodeVersionListResource } from '../../contract/resources-node.ts';
import { Type } from 'typebox';
import { NodeQuerySchema } from '../../contract/schemas-node.ts';
import type { Nodes } from '../../services/nodes.service.ts';
import { presentNode } from '../present/node.ts';
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
      answer: NodeListResource,
      query: NodeQuerySchema,
      handle: ({ principal, query }) => ({ nodes: nodes.list(principal, query).map(presentNode) }),
    },
    {
      method: 'POST',
      path: '/nodes',
      operation: 'registerNode',
      status: 201,
      scope: 'nodes:write',
      summary: 'Register a custom node (refused in this version)',
      answer: NodeResource,
      errors: ['CONFLICT'],
      body: Type.Unknown(),
      bodyOptional: true,
      handle: ({ principal }) => nodes.register(principal),
    },
    {
      method: 'GET',
      path: '/nodes/{id}',
      operation: 'getNode',
      status: 200,
      scope: 'nodes:read',
      summary: 'Get one node in its newest version',
      answer: NodeResource,
      handle: ({ principal, params }) => presentNode(nodes.get(principal, params['id']!)),
    },
    {
      method: 'GET',
      path: '/nodes/{id}/versions',
      operation: 'listNodeVersions',
      status: 200,
      scope: 'nodes:read',
      summary: 'List all versions of a node, newest first',
      answer: NodeVersionListResource,
      handle: ({ principal, params }) => ({
        versions: nodes.versions(principal, params['id']!).map(presentNode),
      }),
    },
  ];
}
