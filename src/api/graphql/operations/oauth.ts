import { GraphQLBoolean, GraphQLNonNull } from 'graphql';
import { PageQuery } from '../../../contract/paging.ts';
import {
  NewOAuthClientResource,
  OAuthClientListResource,
  OAuthGrantListResource,
} from '../../../contract/resources/oauth.ts';
import { CreateOAuthClientInput } from '../../../contract/requests/oauth.ts';
import { presentOAuthClient, presentOAuthGrant } from '../../serializers/oauth.ts';
import { presentList } from '../../serializers/accounts.ts';
import { answer, idArg, inputArg, queryArgs, type OperationBuilder } from './operation-builder.ts';
import { text, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';

/** OAuth clients with a secret, and what was allowed to clients. */
export function oauthOperations(
  kit: OperationBuilder,
  { oauthClients: clients, oauthGrants: grants }: GraphqlServices,
): Operation[] {
  const newClient = answer(kit, NewOAuthClientResource);
  const clientList = answer(kit, OAuthClientListResource);
  const grantList = answer(kit, OAuthGrantListResource);
  const page = queryArgs(kit, PageQuery);
  const create = inputArg(kit, 'input', 'CreateOAuthClientInput', CreateOAuthClientInput);
  const done = new GraphQLNonNull(GraphQLBoolean);
  return [
    {
      kind: 'query',
      name: 'oauthClients',
      scope: 'session',
      description: 'The own OAuth clients, newest first.',
      args: page.args,
      type: clientList.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        clientList.show(
          presentList('clients', await clients.list(principal, page.read(args)), presentOAuthClient),
        ),
    },
    {
      kind: 'mutation',
      name: 'createOAuthClient',
      scope: 'session',
      description: 'Registers an OAuth client with a secret, which is shown in this answer alone.',
      args: create.args,
      type: newClient.type,
      async resolve(args, principal) {
        const { row, secret } = await clients.create(principal, create.read(args));
        return newClient.show({ ...presentOAuthClient(row), client_secret: secret });
      },
    },
    {
      kind: 'mutation',
      name: 'deleteOAuthClient',
      scope: 'session',
      description: 'Deletes an OAuth client; its tokens stop working at once.',
      args: { id: idArg('Of the client.') },
      type: done,
      async resolve(args, principal) {
        await clients.remove(principal, text(args, 'id'));
        return true;
      },
    },
    {
      kind: 'query',
      name: 'oauthGrants',
      scope: 'session',
      description: 'What you have allowed to OAuth clients, newest first.',
      args: page.args,
      type: grantList.type,
      cost: { limit: ['limit'] },
      resolve: async (args, principal) =>
        grantList.show(
          presentList('grants', await grants.list(principal, page.read(args)), presentOAuthGrant),
        ),
    },
    {
      kind: 'mutation',
      name: 'deleteOAuthGrant',
      scope: 'session',
      description:
        "Takes back what was allowed to an OAuth client; the client's tokens stop working at once.",
      args: { id: idArg('Of the grant.') },
      type: done,
      async resolve(args, principal) {
        await grants.remove(principal, text(args, 'id'));
        return true;
      },
    },
  ];
}
