import { Type } from 'typebox';
import { providerNames } from '../connection-providers.ts';
import { PaginationResource, Count, OneOf, Text, Time, nullable, resource } from './resource.ts';
import { connectionGrantTypes } from '../requests/connection.ts';

/** Response resources of connected accounts. They never contain a token or a client secret. */

/**
 * `pending`: not authorized yet, or the settings changed since. `needs_reauthorization`: a user must
 * authorize again. `failing`: the last token request was rejected because of the settings; the next use tries
 * again.
 */
export const connectionStatuses = ['pending', 'connected', 'needs_reauthorization', 'failing'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

const account = {
  name: Text('The name that nodes use.'),
  description: Text(),
  provider: nullable(OneOf(providerNames)),
  grant_type: OneOf(connectionGrantTypes),
  authorization_url: nullable(Text('Null for client_credentials.')),
  token_url: Text(),
  client_id: Text(),
  has_client_secret: Type.Boolean(),
  scopes: Type.Array(Text(), { description: 'The requested scopes.' }),
  client_authentication: nullable(OneOf(['basic', 'body'])),
  pkce: Type.Boolean(),
  authorization_params: Type.Record(Type.String(), Text()),
  base_url: nullable(Text('As configured.')),
  test_url: nullable(Text('As configured.')),
  hosts: nullable(
    Type.Array(Text(), { description: 'The hosts that the token may be sent to. Null: any host.' }),
  ),
  redirect_uri: Text('The redirect URI to register for the app at the provider.'),
  status: OneOf(
    connectionStatuses,
    'pending: not authorized yet. needs_reauthorization: a user must authorize it again. failing: the last token request was rejected; the next use tries again.',
  ),
  error: nullable(Text('Why it is not connected.')),
  granted_scopes: nullable(Type.Array(Text(), { description: 'Null: not reported by the provider.' })),
  refreshable: Type.Boolean({ description: 'Whether Weft can refresh the token.' }),
  expires_at: nullable(Time('Expiry of the access token. Null: no token, or not reported by the provider.')),
  authorized_at: nullable(Time('When a user last authorized it.')),
  refreshed_at: nullable(Time('When the newest token was stored.')),
  created_at: Time(),
  updated_at: Time('When the settings were last changed.'),
};

export const ConnectedAccountResource = resource(
  'ConnectedAccount',
  'A connection to an account at another service.',
  account,
);
export const NewConnectedAccountResource = resource('NewConnectedAccount', 'A new connection.', {
  ...account,
  connect_url: nullable(
    Text(
      'URL at which a user authorizes the connection, valid for ten minutes. Null for client_credentials.',
    ),
  ),
});
export const ConnectedAccountListResource = resource('ConnectedAccountList', 'One page of a list.', {
  connections: Type.Array(ConnectedAccountResource),
  redirect_uri: Text('The redirect URI to register for an app at a provider, the same for all connections.'),
  pagination: PaginationResource,
});
export const ConnectionInvitationResource = resource(
  'ConnectionInvitation',
  'A URL at which a user authorizes Weft to use an account.',
  {
    connect_url: Text('The URL to open in a browser. It can be used once.'),
    expires_at: Time(),
  },
);
export const ConnectionTestResource = resource('ConnectionTest', 'The result of a connection test.', {
  ok: Type.Boolean(),
  message: Text('What was tested, and the result.'),
  http_status: nullable(
    Count("The status of the provider's response. Null: no request was sent, or no response was received."),
  ),
  status: OneOf(connectionStatuses, 'The status of the connection after the test.'),
});
