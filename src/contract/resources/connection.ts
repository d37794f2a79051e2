import { Type } from 'typebox';
import { providerNames } from '../connection-providers.ts';
import { Count, OneOf, Text, Time, listOf, nullable, resource } from './resource.ts';
import { connectionGrantTypes } from '../requests/connection.ts';

/** What answers show of connected accounts: never a token and never a client's secret. */

/**
 * `pending`: nobody has allowed anything yet, or the settings changed since. `needs_reauthorization`: only a person can help.
 * `failing`: the last request for a token was refused for a reason that lies in the settings; the next use tries again.
 */
export const connectionStatuses = ['pending', 'connected', 'needs_reauthorization', 'failing'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

const account = {
  name: Text('What nodes say.'),
  description: Text(),
  provider: nullable(OneOf(providerNames)),
  grant_type: OneOf(connectionGrantTypes),
  authorization_url: nullable(Text('Null for client_credentials.')),
  token_url: Text(),
  client_id: Text(),
  has_client_secret: Type.Boolean(),
  scopes: Type.Array(Text(), { description: 'What is asked for.' }),
  client_authentication: nullable(OneOf(['basic', 'body'])),
  pkce: Type.Boolean(),
  authorization_params: Type.Record(Type.String(), Text()),
  base_url: nullable(Text('As it was given.')),
  test_url: nullable(Text('As it was given.')),
  hosts: nullable(
    Type.Array(Text(), { description: 'The only hosts that the token is sent to. Null: any.' }),
  ),
  redirect_uri: Text('What the app at the provider must name as where people come back to.'),
  status: OneOf(
    connectionStatuses,
    'pending: not allowed yet. needs_reauthorization: a person has to allow it again. failing: the last request for a token was refused; the next use tries again.',
  ),
  error: nullable(Text('Why it is not connected.')),
  granted_scopes: nullable(Type.Array(Text(), { description: 'Null: the provider did not say.' })),
  refreshable: Type.Boolean({ description: 'Weft can get a new token by itself.' }),
  expires_at: nullable(Time('Of the access token. Null: there is none, or the provider did not say.')),
  authorized_at: nullable(Time('When a person last allowed it.')),
  refreshed_at: nullable(Time('When the newest token was stored.')),
  created_at: Time(),
  updated_at: Time('Of the settings.'),
};

export const ConnectedAccountResource = resource(
  'ConnectedAccount',
  'A connection to an account at another service.',
  account,
);
export const NewConnectedAccountResource = resource(
  'NewConnectedAccount',
  'A connection that was just made.',
  {
    ...account,
    connect_url: nullable(
      Text('Where to send the person who allows it, within ten minutes. Null for client_credentials.'),
    ),
  },
);
export const ConnectedAccountListResource = listOf(
  'ConnectedAccountList',
  'connections',
  ConnectedAccountResource,
);
export const ConnectionInvitationResource = resource(
  'ConnectionInvitation',
  'An address at which a person lets Weft use an account.',
  {
    connect_url: Text('Where to send the person. It works once.'),
    expires_at: Time(),
  },
);
export const ConnectionTestResource = resource('ConnectionTest', 'What a test of a connection came to.', {
  ok: Type.Boolean(),
  message: Text('What was tried, and what came of it.'),
  http_status: nullable(Count('What the provider answered. Null: it was not asked, or did not answer.')),
  status: OneOf(connectionStatuses, 'Of the connection, after the test.'),
});
