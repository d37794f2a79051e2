import { PageQuery } from '../../contract/paging.ts';
import { DeletedByNameResource } from '../../contract/resources/resource.ts';
import {
  ConnectedAccountListResource,
  ConnectedAccountResource,
  ConnectionInvitationResource,
  ConnectionProviderListResource,
  ConnectionProviderResource,
  ConnectionTestResource,
  NewConnectedAccountResource,
} from '../../contract/resources/connection.ts';
import {
  AuthorizeConnectionInput,
  CreateConnectionInput,
  ProviderQuery,
  RemoveConnectionQuery,
  UpdateConnectionInput,
} from '../../contract/requests/connection.ts';
import type { ConnectionProviders } from '../../services/credentials/connection-providers.service.ts';
import type { Connections } from '../../services/credentials/connections.service.ts';
import {
  presentConnection,
  presentConnections,
  presentConnectionTest,
  presentAuthorizationUrl,
  presentNewConnection,
  presentProvider,
} from '../serializers/connection.ts';
import { presentList } from '../serializers/accounts.ts';
import type { Route } from './route.ts';

/** Routes for connections. The redirect endpoint of the provider is in `api/connection-callback`. */
export function connectionRoutes(connections: Connections, providers: ConnectionProviders): Route[] {
  return [
    {
      method: 'GET',
      path: '/connections',
      operation: 'listConnections',
      status: 200,
      scope: 'secrets:read',
      summary: 'List your connections, newest first. Tokens and fields are never returned',
      response: ConnectedAccountListResource,
      query: PageQuery,
      handle: async ({ principal, query }) => presentConnections(await connections.list(principal, query)),
    },
    {
      method: 'POST',
      path: '/connections',
      operation: 'createConnection',
      status: 201,
      scope: 'secrets:write',
      summary: 'Create a connection and, for authorization_code, get the URL where the user authorizes it',
      response: NewConnectedAccountResource,
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
      summary: 'Get a connection',
      response: ConnectedAccountResource,
      handle: async ({ principal, params: { name = '' } }) =>
        presentConnection(await connections.get(principal, name)),
    },
    {
      method: 'PUT',
      path: '/connections/{name}',
      operation: 'updateConnection',
      status: 200,
      scope: 'secrets:write',
      summary: 'Update a connection. Omitted fields keep their values; changing the account disconnects it',
      response: ConnectedAccountResource,
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
      summary:
        'Delete a connection with its tokens and fields. Fails while active workflows use it, unless forced',
      response: DeletedByNameResource,
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
      summary: 'Get a new authorization URL, to connect or reconnect the account',
      response: ConnectionInvitationResource,
      errors: ['CONFLICT'],
      body: AuthorizeConnectionInput,
      bodyOptional: true,
      handle: async ({ principal, params: { name = '' }, body }) =>
        presentAuthorizationUrl(await connections.authorize(principal, name, body)),
    },
    {
      method: 'POST',
      path: '/connections/{name}/refresh',
      operation: 'refreshConnection',
      status: 200,
      scope: 'secrets:write',
      summary: 'Refresh the access token',
      response: ConnectedAccountResource,
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
      summary: 'Test a connection: get its token or fields and, if a URL is known, call it with them',
      response: ConnectionTestResource,
      handle: async ({ principal, params: { name = '' } }) =>
        presentConnectionTest(await connections.test(principal, name)),
    },
    {
      method: 'GET',
      path: '/connection-providers',
      operation: 'listConnectionProviders',
      status: 200,
      scope: 'secrets:read',
      summary: 'List the catalog of services whose accounts can be connected, by title',
      response: ConnectionProviderListResource,
      query: ProviderQuery,
      handle: async ({ principal, query }) =>
        presentList('providers', await providers.list(principal, query), presentProvider),
    },
    {
      method: 'GET',
      path: '/connection-providers/{id}',
      operation: 'getConnectionProvider',
      status: 200,
      scope: 'secrets:read',
      summary: 'Get a service of the catalog',
      response: ConnectionProviderResource,
      handle: async ({ principal, params: { id = '' } }) =>
        presentProvider(await providers.get(principal, id)),
    },
  ];
}
