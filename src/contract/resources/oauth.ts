import { Type } from 'typebox';
import { OneOf, Text, Time, listOf, nullable, resource } from './resource.ts';
import { oauthGrantTypes } from '../requests/oauth.ts';
import { scopes } from '../scopes.ts';

/** What answers show of OAuth clients. */

const client = {
  client_id: Text(),
  name: Text(),
  grant_types: Type.Array(OneOf(oauthGrantTypes)),
  redirect_uris: Type.Array(Text()),
  scopes: Type.Array(OneOf(scopes), { description: 'The most that its tokens may do.' }),
  created_at: Time(),
  last_used_at: nullable(Time('When it last got a token, to the hour.')),
};
export const OAuthClientResource = resource('OAuthClient', 'A client with a secret, without it.', client);
export const NewOAuthClientResource = resource('NewOAuthClient', 'A client that was just registered.', {
  ...client,
  client_secret: Text('Shown in this answer alone.'),
});
export const OAuthClientListResource = listOf('OAuthClientList', 'clients', OAuthClientResource);

export const OAuthGrantResource = resource('OAuthGrant', 'What a person allowed a client.', {
  id: Text(),
  client_id: Text(),
  client_name: Text('As the client gives it.'),
  registered_by: OneOf(['user', 'itself'], 'Who registered the client.'),
  scopes: Type.Array(OneOf(scopes)),
  created_at: Time(),
  expires_at: Time('When all of it ends, whatever is renewed.'),
});
export const OAuthGrantListResource = listOf('OAuthGrantList', 'grants', OAuthGrantResource);
