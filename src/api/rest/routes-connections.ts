import { PageQuery } from '../../contract/paging.ts';
import { DeletedByNameResource } from '../../contract/resources/resource.ts';
import {
  ConnectedAccountListResource,
  ConnectedAccountResource,
  ConnectionInvitationResource,
  ConnectionTestResource,
  NewConnectedAccountResource,
} from '../../contract/resources/connection.ts';
import {
  AuthorizeConnectionInput,
  CreateConnectionInput,
  RemoveConnectionQuery,
  UpdateConnectionInput,
} from '../../contract/requests/connection.ts';
import type { Connections } from '../../services/credentials/connections.service.ts';
import {
  presentConnection,
  presentConnectionTest,
  presentInvitation,
  presentNewConnection,
} from '../serializers/connection.ts';
import { presentList } from '../serializers/accounts.ts';
import type { Route } from './route.ts';

/** Connected accounts. Where a browser comes back from the provider is a door of its own. */
export function connectionRoutes(connections: Connections): Route[] {
  return [
    {
      method: 'GET',
      path: '/connections',
      operation: 'listConnections',
      status: 200,
      scope: 'secrets:read',
      summary: 'List the own connections, newest first, never their tokens',
      answer: ConnectedAccountListResource,
      query: PageQuery,
      handle: async ({ principal, query }) =>
        presentList('connections', await connections.list(principal, query), presentConnection),
    },
    {
      method: 'POST',
      path: '/connections',
      operation: 'createConnection',
      status: 201,
      scope: 'secrets:write',
      summary: 'Create a connection, with the address to send the person to who allows it',
      answer: NewConnectedAccountResource,
      errors: ['CONFLICT'],
      body: CreateConnectionInput,
      handle: async ({ principal, body }) => presentNewConnection(await connections.create(principal, body)),
    },
    {
      method: 'GET',
      path: '/connections/{name}',
      operation: 'getConnection',
      status: 200,
      scope: 'secrets:read',
      summary: 'Get one connection',
      answer: ConnectedAccountResource,
      handle: async ({ principal, params: { name = '' } }) =>
        presentConnection(await connections.get(principal, name)),
    },
    {
      method: 'PUT',
      path: '/connections/{name}',
      operation: 'updateConnection',
      status: 200,
      scope: 'secrets:write',
      summary: 'Replace the fields that are given; what makes it another account disconnects it',
      answer: ConnectedAccountResource,
      body: UpdateConnectionInput,
      handle: async ({ principal, params: { name = '' }, body }) =>
        presentConnection(await connections.update(principal, name, body)),
    },
    {
      method: 'DELETE',
      path: '/connections/{name}',
      operation: 'deleteConnection',
      status: 200,
      scope: 'secrets:write',
      summary: 'Delete a connection with its tokens; refused while active workflows use it, unless forced',
      answer: DeletedByNameResource,
      errors: ['CONFLICT'],
      query: RemoveConnectionQuery,
      handle: async ({ principal, params: { name = '' }, query }) => {
        await connections.remove(principal, name, query);
        return { name, deleted: true };
      },
    },
    {
      method: 'POST',
      path: '/connections/{name}/authorize',
      operation: 'authorizeConnection',
      status: 200,
      scope: 'secrets:write',
      summary: 'Get a new address for a person to allow it, for the first time or again',
      answer: ConnectionInvitationResource,
      errors: ['CONFLICT'],
      body: AuthorizeConnectionInput,
      bodyOptional: true,
      handle: async ({ principal, params: { name = '' }, body }) =>
        presentInvitation(await connections.authorize(principal, name, body)),
    },
    {
      method: 'POST',
      path: '/connections/{name}/refresh',
      operation: 'refreshConnection',
      status: 200,
      scope: 'secrets:write',
      summary: 'Get a new token now',
      answer: ConnectedAccountResource,
      errors: ['CONFLICT'],
      handle: async ({ principal, params: { name = '' } }) =>
        presentConnection(await connections.refresh(principal, name)),
    },
    {
      method: 'POST',
      path: '/connections/{name}/test',
      operation: 'testConnection',
      status: 200,
      scope: 'secrets:write',
      summary: 'Try it: get a token, and ask the provider with it where it is known what to ask',
      answer: ConnectionTestResource,
      handle: async ({ principal, params: { name = '' } }) =>
        presentConnectionTest(await connections.test(principal, name)),
    },
  ];
}
