import { PageQuery } from '../../contract/paging.ts';
import { DeletedResource } from '../../contract/resources/resource.ts';
import {
  NewOAuthClientResource,
  OAuthClientListResource,
  OAuthGrantListResource,
} from '../../contract/resources/oauth.ts';
import { CreateOAuthClientInput } from '../../contract/requests/oauth.ts';
import type { OAuthClientsService } from '../../services/accounts/oauth-clients.service.ts';
import type { OAuthGrantsService } from '../../services/accounts/oauth-grants.service.ts';
import { presentOAuthClient, presentOAuthGrant } from '../serializers/oauth.ts';
import { presentList } from '../serializers/accounts.ts';
import type { Route } from './route.ts';

export type OAuthServices = {
  readonly oauthClients: OAuthClientsService;
  readonly oauthGrants: OAuthGrantsService;
};

/** Routes for confidential OAuth clients and for grants. The authorization server is in `api/oauth`. */
export function oauthRoutes({ oauthClients: clients, oauthGrants: grants }: OAuthServices): Route[] {
  return [
    {
      method: 'GET',
      path: '/oauth/clients',
      operation: 'listOAuthClients',
      status: 200,
      scope: 'session',
      summary: 'List your OAuth clients, newest first.',
      response: OAuthClientListResource,
      query: PageQuery,
      handle: async ({ principal, query }) =>
        presentList('clients', await clients.list(principal, query), presentOAuthClient),
    },
    {
      method: 'POST',
      path: '/oauth/clients',
      operation: 'createOAuthClient',
      status: 201,
      scope: 'session',
      summary: 'Register an OAuth client with a secret. The secret is returned only in this response.',
      response: NewOAuthClientResource,
      errors: ['CONFLICT'],
      body: CreateOAuthClientInput,
      handle: async ({ principal, body }) => {
        const { row, secret } = await clients.create(principal, body);
        return { ...presentOAuthClient(row), client_secret: secret };
      },
    },
    {
      method: 'DELETE',
      path: '/oauth/clients/{id}',
      operation: 'deleteOAuthClient',
      status: 200,
      scope: 'session',
      summary: 'Delete an OAuth client. Its tokens stop working immediately.',
      response: DeletedResource,
      handle: async ({ principal, params: { id = '' } }) => {
        await clients.remove(principal, id);
        return { id, deleted: true };
      },
    },
    {
      method: 'GET',
      path: '/oauth/grants',
      operation: 'listOAuthGrants',
      status: 200,
      scope: 'session',
      summary: 'List the grants of the user to OAuth clients, newest first.',
      response: OAuthGrantListResource,
      query: PageQuery,
      handle: async ({ principal, query }) =>
        presentList('grants', await grants.list(principal, query), presentOAuthGrant),
    },
    {
      method: 'DELETE',
      path: '/oauth/grants/{id}',
      operation: 'deleteOAuthGrant',
      status: 200,
      scope: 'session',
      summary: "Revoke the grant of an OAuth client. The client's tokens stop working immediately.",
      response: DeletedResource,
      handle: async ({ principal, params: { id = '' } }) => {
        await grants.remove(principal, id);
        return { id, deleted: true };
      },
    },
  ];
}
