import { GraphQLBoolean, GraphQLNonNull, GraphQLString } from 'graphql';
import { PageQuery } from '../../../contract/paging.ts';
import {
  ConnectedAccountListResource,
  ConnectedAccountResource,
  ConnectionInvitationResource,
  ConnectionTestResource,
  NewConnectedAccountResource,
} from '../../../contract/resources/connection.ts';
import {
  AuthorizeConnectionInput,
  CreateConnectionInput,
  RemoveConnectionQuery,
  UpdateConnectionInput,
  shownOfConnection,
} from '../../../contract/requests/connection.ts';
import {
  presentConnection,
  presentConnectionTest,
  presentInvitation,
  presentNewConnection,
} from '../../serializers/connection.ts';
import { presentList } from '../../serializers/accounts.ts';
import { answer, inputArg, queryArgs, type OperationBuilder } from './operation-builder.ts';
import { orNull, text, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';

/** A call to another service within an operation: few of them in one. */
const CALL = { own: 100 };

/** Connected accounts. */
export function connectionOperations(kit: OperationBuilder, { connections }: GraphqlServices): Operation[] {
  const account = answer(kit, ConnectedAccountResource);
  const newAccount = answer(kit, NewConnectedAccountResource);
  const list = answer(kit, ConnectedAccountListResource);
  const invitation = answer(kit, ConnectionInvitationResource);
  const test = answer(kit, ConnectionTestResource);
  const page = queryArgs(kit, PageQuery);
  const removal = queryArgs(kit, RemoveConnectionQuery);
  const create = inputArg(kit, 'input', 'CreateConnectionInput', CreateConnectionInput, {
    leaveOut: shownOfConnection,
  });
  const update = inputArg(kit, 'input', 'UpdateConnectionInput', UpdateConnectionInput, {
    leaveOut: ['name', ...shownOfConnection],
  });
  const authorize = inputArg(kit, 'input', 'AuthorizeConnectionInput', AuthorizeConnectionInput, {
    optional: true,
  });
  const name = { type: new GraphQLNonNull(GraphQLString), description: 'Of the connection.' };
  return [
    {
      kind: 'query',
      name: 'connections',
      scope: 'secrets:read',
      description: 'The own connections, newest first, never their tokens.',
      args: page.args,
      type: list.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        list.show(
          presentList('connections', await connections.list(principal, page.read(args)), presentConnection),
        ),
    },
    {
      kind: 'query',
      name: 'connection',
      scope: 'secrets:read',
      description: 'One connection; null when there is none of this name.',
      args: { name },
      type: kit.objects.of(ConnectedAccountResource).type,
      resolve: (args, principal) =>
        orNull(
          connections
            .get(principal, text(args, 'name'))
            .then((found) => account.show(presentConnection(found))),
        ),
    },
    {
      kind: 'mutation',
      name: 'createConnection',
      scope: 'secrets:write',
      description: 'Creates a connection, with the address to send the person to who allows it.',
      args: create.args,
      type: newAccount.type,
      resolve: async (args, principal) =>
        newAccount.show(presentNewConnection(await connections.create(principal, create.read(args)))),
    },
    {
      kind: 'mutation',
      name: 'updateConnection',
      scope: 'secrets:write',
      description: 'Replaces the fields that are given; what makes it another account disconnects it.',
      args: { name, ...update.args },
      type: account.type,
      resolve: async (args, principal) =>
        account.show(
          presentConnection(await connections.update(principal, text(args, 'name'), update.read(args))),
        ),
    },
    {
      kind: 'mutation',
      name: 'deleteConnection',
      scope: 'secrets:write',
      description:
        'Deletes a connection with its tokens; refused while active workflows use it, unless forced.',
      args: { name, ...removal.args },
      type: new GraphQLNonNull(GraphQLBoolean),
      async resolve(args, principal) {
        await connections.remove(principal, text(args, 'name'), removal.read(args));
        return true;
      },
    },
    {
      kind: 'mutation',
      name: 'authorizeConnection',
      scope: 'secrets:write',
      description: 'A new address for a person to allow it, for the first time or again.',
      args: { name, ...authorize.args },
      type: invitation.type,
      resolve: async (args, principal) =>
        invitation.show(
          presentInvitation(await connections.authorize(principal, text(args, 'name'), authorize.read(args))),
        ),
    },
    {
      kind: 'mutation',
      name: 'refreshConnection',
      scope: 'secrets:write',
      description: 'Gets a new token now.',
      args: { name },
      type: account.type,
      cost: CALL,
      resolve: async (args, principal) =>
        account.show(presentConnection(await connections.refresh(principal, text(args, 'name')))),
    },
    {
      kind: 'mutation',
      name: 'testConnection',
      scope: 'secrets:write',
      description: 'Tries it: gets a token, and asks the provider with it where it is known what to ask.',
      args: { name },
      type: test.type,
      cost: CALL,
      resolve: async (args, principal) =>
        test.show(presentConnectionTest(await connections.test(principal, text(args, 'name')))),
    },
  ];
}
