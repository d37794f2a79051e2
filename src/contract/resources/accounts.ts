import { Type } from 'typebox';
import { plans, roles } from '../principal.ts';
import { Count, OneOf, Text, Time, defineList, nullable, defineResource } from './resource.ts';
import { scopes } from '../scopes.ts';

/** Response resources of users, their credentials and secrets. */

export const LoginResource = defineResource('Login', 'A session token.', {
  token: Text('A JWT, for the Authorization header.'),
  expires_in: Count('Lifetime of the token, in seconds.'),
  user: defineResource('LoginUser', 'The user who logged in.', { id: Text(), email: Text(), name: Text() }),
});

export const CookieLoginResource = defineResource(
  'CookieLogin',
  'A session whose token is only in the cookie.',
  {
    expires_in: Count('Seconds until the session must be renewed.'),
    user: LoginResource.properties.user,
  },
);

export const UserResource = defineResource('User', 'A person with an account.', {
  id: Text(),
  email: Text(),
  name: Text(),
  role: OneOf(roles),
  plan: OneOf(plans),
  created_at: Time(),
});
export const UserListResource = defineList('UserList', 'users', UserResource);

const apiKey = {
  id: Text(),
  name: Text(),
  prefix: Text('The first characters of the key.'),
  scopes: nullable(Type.Array(OneOf(scopes), { description: 'Null: all permissions of its owner.' })),
  expires_at: nullable(Time()),
  created_at: Time(),
  last_used_at: nullable(Time()),
};
export const ApiKeyResource = defineResource('ApiKey', 'An API key, without the key itself.', apiKey);
export const NewApiKeyResource = defineResource('NewApiKey', 'A new API key.', {
  ...apiKey,
  key: Text('Returned only in this response.'),
});
export const ApiKeyListResource = defineList('ApiKeyList', 'api_keys', ApiKeyResource);

export const SecretResource = defineResource('Secret', 'A stored secret, without its value.', {
  name: Text(),
  hosts: nullable(Type.Array(Text(), { description: 'The hosts that it may be sent to. Null: any host.' })),
  description: Text(),
  created_at: Time(),
  updated_at: Time(),
});
export const SecretListResource = defineList('SecretList', 'secrets', SecretResource);
