import { Type } from 'typebox';
import { OneOf, Text, Time, defineList, nullable, defineResource } from './resource.ts';
import { oauthGrantTypes } from '../requests/oauth.ts';
import { scopes } from '../scopes.ts';

/** Response resources of OAuth clients. */

const client = {
  client_id: Text(),
  name: Text(),
  grant_types: Type.Array(OneOf(oauthGrantTypes)),
  redirect_uris: Type.Array(Text()),
  scopes: Type.Array(OneOf(scopes), { description: 'The maximum scopes of its tokens.' }),
  created_at: Time(),
  last_used_at: nullable(Time('When it last obtained a token, to the hour.')),
};
export const OAuthClientResource = defineResource(
  'OAuthClient',
  'An OAuth client, without its secret.',
  client,
);
export const NewOAuthClientResource = defineResource('NewOAuthClient', 'A newly registered client.', {
  ...client,
  client_secret: Text('Returned only in this response.'),
});
export const OAuthClientListResource = defineList('OAuthClientList', 'clients', OAuthClientResource);

export const OAuthGrantResource = defineResource(
  'OAuthGrant',
  'The access that a user granted to a client.',
  {
    id: Text(),
    client_id: Text(),
    client_name: Text('As the client registered it. With a metadata document: its URL.'),
    registered_by: OneOf(
      ['user', 'itself', 'document'],
      'Who registered the client. `document`: its `client_id` is the URL of its metadata document.',
    ),
    scopes: Type.Array(OneOf(scopes)),
    created_at: Time(),
    expires_at: Time('When the grant expires; refreshing a token does not extend it.'),
  },
);
export const OAuthGrantListResource = defineList('OAuthGrantList', 'grants', OAuthGrantResource);
