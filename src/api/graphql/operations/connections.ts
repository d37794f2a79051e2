import { GraphQLBoolean, GraphQLID, GraphQLNonNull, GraphQLString } from 'graphql';
import { PageQuery } from '../../../contract/paging.ts';
import {
  ConnectedAccountListResource,
  ConnectedAccountResource,
  ConnectionInvitationResource,
  ConnectionProviderListResource,
  ConnectionProviderResource,
  ConnectionTestResource,
  NewConnectedAccountResource,
} from '../../../contract/resources/connection.ts';
import {
  AuthorizeConnectionInput,
  CreateConnectionInput,
  ProviderQuery,
  RemoveConnectionQuery,
  UpdateConnectionInput,
  shownOfConnection,
} from '../../../contract/requests/connection.ts';
import {
  presentConnection,
  presentConnections,
  presentConnectionTest,
  presentAuthorizationUrl,
  presentNewConnection,
  presentProvider,
} from '../../serializers/connection.ts';
import { presentList } from '../../serializers/accounts.ts';
import {
  createOutputType,
  createInputArg,
  createQueryArgs,
  type OperationBuilder,
} from './operation-builder.ts';
import { toNullIfMissing, readText, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';

/** The cost of a call to another service, which limits their number in one operation. */
const CALL_COST = { own: 100 };

/** Operations on connections. */
export function connectionOperations(
  builder: OperationBuilder,
  { connections, connectionProviders }: GraphqlServices,
): Operation[] {
  const account = createOutputType(builder, ConnectedAccountResource);
  const newAccount = createOutputType(builder, NewConnectedAccountResource);
  const list = createOutputType(builder, ConnectedAccountListResource);
  const invitation = createOutputType(builder, ConnectionInvitationResource);
  const test = createOutputType(builder, ConnectionTestResource);
  const provider = createOutputType(builder, ConnectionProviderResource);
  const providers = createOutputType(builder, ConnectionProviderListResource);
  const catalog = createQueryArgs(builder, ProviderQuery);
  const page = createQueryArgs(builder, PageQuery);
  const removal = createQueryArgs(builder, RemoveConnectionQuery);
  const create = createInputArg(builder, 'input', 'CreateConnectionInput', CreateConnectionInput, {
    leaveOut: shownOfConnection,
  });
  const update = createInputArg(builder, 'input', 'UpdateConnectionInput', UpdateConnectionInput, {
    leaveOut: ['name', ...shownOfConnection],
  });
  const authorize = createInputArg(builder, 'input', 'AuthorizeConnectionInput', AuthorizeConnectionInput, {
    optional: true,
  });
  const name = { type: new GraphQLNonNull(GraphQLString), description: 'The name of the connection.' };
  return [
    {
      kind: 'query',
      name: 'connections',
      scope: 'secrets:read',
      description: 'Your connections, newest first. Tokens and fields are never returned.',
      args: page.args,
      type: list.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        list.show(presentConnections(await connections.list(principal, page.read(args)))),
    },
    {
      kind: 'query',
      name: 'connection',
      scope: 'secrets:read',
      description: 'A connection; null when the name does not exist.',
      args: { name },
      type: builder.objects.of(ConnectedAccountResource).type,
      resolve: (args, principal) =>
        toNullIfMissing(
          connections
            .get(principal, readText(args, 'name'))
            .then((found) => account.show(presentConnection(found))),
        ),
    },
    {
      kind: 'query',
      name: 'connectionProviders',
      scope: 'secrets:read',
      description: 'The catalog of services whose accounts can be connected, by title.',
      args: catalog.args,
      type: providers.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        providers.show(
          presentList(
            'providers',
            await connectionProviders.list(principal, catalog.read(args)),
            presentProvider,
          ),
        ),
    },
    {
      kind: 'query',
      name: 'connectionProvider',
      scope: 'secrets:read',
      description: 'A service of the catalog; null when the id does not exist.',
      args: { id: { type: new GraphQLNonNull(GraphQLID), description: 'The id of the provider.' } },
      type: builder.objects.of(ConnectionProviderResource).type,
      resolve: (args, principal) =>
        toNullIfMissing(
          connectionProviders
            .get(principal, readText(args, 'id'))
            .then((found) => provider.show(presentProvider(found))),
        ),
    },
    {
      kind: 'mutation',
      name: 'createConnection',
      scope: 'secrets:write',
      description:
        'Creates a connection and, for authorization_code, returns the URL where the user authorizes it.',
      args: create.args,
      type: newAccount.type,
      resolve: async (args, principal) =>
        newAccount.show(presentNewConnection(await connections.create(principal, create.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'updateConnection',
      scope: 'secrets:write',
      description:
        'Updates a connection. Omitted fields keep their values; changing the account disconnects it.',
      args: { name, ...update.args },
      type: account.type,
      resolve: async (args, principal) =>
        account.show(
          presentConnection(await connections.update(principal, readText(args, 'name'), update.read(args))),
        ),
    },
    {
      kind: 'mutation',
      name: 'deleteConnection',
      scope: 'secrets:write',
      description:
        'Deletes a connection with its tokens and fields. Fails while active workflows use it, unless forced.',
      args: { name, ...removal.args },
      type: new GraphQLNonNull(GraphQLBoolean),
      async resolve(args, principal) {
        await connections.remove(principal, readText(args, 'name'), removal.read(args));
        return true;
      },
    },
    {
      kind: 'mutation',
      name: 'authorizeConnection',
      scope: 'secrets:write',
      description: 'Returns a new authorization URL, to connect or reconnect the account.',
      args: { name, ...authorize.args },
      type: invitation.type,
      resolve: async (args, principal) =>
        invitation.show(
          presentAuthorizationUrl(
            await connections.authorize(principal, readText(args, 'name'), authorize.read(args)),
          ),
        ),
    },
    {
      kind: 'mutation',
      name: 'refreshConnection',
      scope: 'secrets:write',
      description: 'Refreshes the access token.',
      args: { name },
      type: account.type,
      cost: CALL_COST,
      resolve: async (args, principal) =>
        account.show(presentConnection(await connections.refresh(principal, readText(args, 'name')))),
    },
    {
      kind: 'mutation',
      name: 'testConnection',
      scope: 'secrets:write',
      description: 'Tests a connection: gets its token or fields and, if a URL is known, calls it with them.',
      args: { name },
      type: test.type,
      cost: CALL_COST,
      resolve: async (args, principal) =>
        test.show(presentConnectionTest(await connections.test(principal, readText(args, 'name')))),
    },
  ];
}
