import { Type } from 'typebox';
import { plans, roles } from '../principal.ts';
import { Count, OneOf, Text, Time, listOf, nullable, resource } from './resource.ts';
import { scopes } from '../scopes.ts';

/** What answers show of users, their credentials and secrets. */

export const LoginResource = resource('Login', 'A session token.', {
  token: Text('A JWT, for the Authorization header.'),
  expires_in: Count('Seconds.'),
  user: resource('LoginUser', 'Who logged in.', { id: Text(), email: Text(), name: Text() }),
});

export const CookieLoginResource = resource('CookieLogin', 'A session whose token is in the cookie alone.', {
  expires_in: Count('Seconds until the session has to be renewed.'),
  user: LoginResource.properties.user,
});

export const UserResource = resource('User', 'A person with an account.', {
  id: Text(),
  email: Text(),
  name: Text(),
  role: OneOf(roles),
  plan: OneOf(plans),
  created_at: Time(),
});
export const UserListResource = listOf('UserList', 'users', UserResource);

const apiKey = {
  id: Text(),
  name: Text(),
  prefix: Text('Its first characters, to recognise it.'),
  scopes: nullable(Type.Array(OneOf(scopes), { description: 'Null: all that its owner may.' })),
  expires_at: nullable(Time()),
  created_at: Time(),
  last_used_at: nullable(Time()),
};
export const ApiKeyResource = resource('ApiKey', 'A key, without the key itself.', apiKey);
export const NewApiKeyResource = resource('NewApiKey', 'A key that was just made.', {
  ...apiKey,
  key: Text('Shown in this answer alone.'),
});
export const ApiKeyListResource = listOf('ApiKeyList', 'api_keys', ApiKeyResource);

export const SecretResource = resource('Secret', 'A stored secret, never its value.', {
  name: Text(),
  hosts: nullable(Type.Array(Text(), { description: 'The only hosts that it is sent to. Null: any.' })),
  description: Text(),
  created_at: Time(),
  updated_at: Time(),
});
export const SecretListResource = listOf('SecretList', 'secrets', SecretResource);
