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
import {
  createOutputType,
  createIdArg,
  createInputArg,
  createQueryArgs,
  type OperationBuilder,
} from './operation-builder.ts';
import { readText, type Operation } from './operation.ts';
import type { GraphqlServices } from '../services.ts';

/** Operations on confidential OAuth clients and on grants. */
export function oauthOperations(
  builder: OperationBuilder,
  { oauthClients: clients, oauthGrants: grants }: GraphqlServices,
): Operation[] {
  const newClient = createOutputType(builder, NewOAuthClientResource);
  const clientList = createOutputType(builder, OAuthClientListResource);
  const grantList = createOutputType(builder, OAuthGrantListResource);
  const page = createQueryArgs(builder, PageQuery);
  const create = createInputArg(builder, 'input', 'CreateOAuthClientInput', CreateOAuthClientInput);
  const done = new GraphQLNonNull(GraphQLBoolean);
  return [
    {
      kind: 'query',
      name: 'oauthClients',
      scope: 'session',
      description: 'Your OAuth clients, newest first.',
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
      description: 'Registers an OAuth client with a secret. The secret is returned only in this response.',
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
      description: 'Deletes an OAuth client. Its tokens stop working immediately.',
      args: { id: createIdArg('The id of the client.') },
      type: done,
      async resolve(args, principal) {
        await clients.remove(principal, readText(args, 'id'));
        return true;
      },
    },
    {
      kind: 'query',
      name: 'oauthGrants',
      scope: 'session',
      description: 'Your grants to OAuth clients, newest first.',
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
      description: "Revokes the grant of an OAuth client. The client's tokens stop working immediately.",
      args: { id: createIdArg('The id of the grant.') },
      type: done,
      async resolve(args, principal) {
        await grants.remove(principal, readText(args, 'id'));
        return true;
      },
    },
  ];
}
