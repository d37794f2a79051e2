import { Type } from 'typebox';
import { fieldAuthenticationTypes } from '../connections/connection-fields.ts';
import {
  PaginationResource,
  Count,
  OneOf,
  Text,
  Time,
  defineList,
  nullable,
  defineResource,
} from './resource.ts';
import { connectionGrantTypes } from '../requests/connection.ts';

/** Response resources of connected accounts. They never contain a token or a client secret. */

/**
 * `pending`: not authorized yet, or the settings changed since. `needs_reauthorization`: a user must
 * authorize again. `failing`: the last token request was rejected because of the settings, or the last test
 * of fields was; the next use tries again.
 */
export const connectionStatuses = ['pending', 'connected', 'needs_reauthorization', 'failing'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

const PlacementResource = defineResource('ConnectionPlacement', 'Where the value of a field is sent.', {
  in: OneOf(['header', 'query']),
  name: Text('The name of the header or of the query parameter.'),
  field: Text('The name of the field.'),
  prefix: Text('Text before the value.'),
});
const FieldAuthenticationResource = defineResource(
  'ConnectionAuthentication',
  'How a connection of named fields authenticates a request.',
  {
    type: OneOf(fieldAuthenticationTypes),
    name: nullable(Text('The name of the header or of the query parameter. Null for other types.')),
    prefix: nullable(Text('Text before the value. Null for types other than header.')),
    placements: nullable(
      Type.Array(PlacementResource, {
        description: 'Where each field is sent. Null for types other than custom.',
      }),
    ),
  },
);

const account = {
  name: Text('The name that nodes use.'),
  description: Text(),
  provider: nullable(Text('The id of a provider in the catalog.')),
  provider_fields: Type.Record(Type.String(), Text()),
  grant_type: OneOf(connectionGrantTypes),
  authorization_url: nullable(Text('Null for client_credentials and fields.')),
  token_url: nullable(Text('Null for fields.')),
  client_id: nullable(Text('Null for fields.')),
  has_client_secret: Type.Boolean(),
  authentication: nullable(FieldAuthenticationResource),
  field_names: nullable(
    Type.Array(Text(), {
      description: 'The names of the fields, whose values are never returned. Null for OAuth.',
    }),
  ),
  scopes: Type.Array(Text(), { description: 'The requested scopes.' }),
  client_authentication: nullable(OneOf(['basic', 'body'])),
  pkce: Type.Boolean(),
  authorization_params: Type.Record(Type.String(), Text()),
  base_url: nullable(Text('As configured.')),
  test_url: nullable(Text('As configured.')),
  test_method: OneOf(['GET', 'HEAD', 'POST']),
  test_status: nullable(Count('The status that a successful test has. Null: any from 200 to 299.')),
  hosts: nullable(
    Type.Array(Text(), {
      description: 'The hosts that the token or the fields may be sent to. Null: any host.',
    }),
  ),
  redirect_uri: Text('The redirect URI to register for the app at the provider.'),
  status: OneOf(
    connectionStatuses,
    'pending: not authorized yet. needs_reauthorization: a user must authorize it again. failing: the last token request, or the last test of fields, was rejected; the next use tries again.',
  ),
  error: nullable(Text('Why it is not connected.')),
  granted_scopes: nullable(Type.Array(Text(), { description: 'Null: not reported by the provider.' })),
  refreshable: Type.Boolean({ description: 'Whether Weft can refresh the token.' }),
  expires_at: nullable(Time('Expiry of the access token. Null: no token, or not reported by the provider.')),
  authorized_at: nullable(Time('When a user last authorized it.')),
  refreshed_at: nullable(Time('When the newest token or the newest fields were stored.')),
  created_at: Time(),
  updated_at: Time('When the settings were last changed.'),
};

export const ConnectedAccountResource = defineResource(
  'ConnectedAccount',
  'A connection to an account at another service.',
  account,
);
export const NewConnectedAccountResource = defineResource('NewConnectedAccount', 'A new connection.', {
  ...account,
  connect_url: nullable(
    Text(
      'URL at which a user authorizes the connection, valid for ten minutes. Null for client_credentials and fields.',
    ),
  ),
});
export const ConnectedAccountListResource = defineResource('ConnectedAccountList', 'One page of a list.', {
  connections: Type.Array(ConnectedAccountResource),
  redirect_uri: Text('The redirect URI to register for an app at a provider, the same for all connections.'),
  pagination: PaginationResource,
});
export const ConnectionInvitationResource = defineResource(
  'ConnectionInvitation',
  'A URL at which a user authorizes Weft to use an account.',
  {
    connect_url: Text('The URL to open in a browser. It can be used once.'),
    expires_at: Time(),
  },
);
export const ConnectionTestResource = defineResource('ConnectionTest', 'The result of a connection test.', {
  ok: Type.Boolean(),
  message: Text('What was tested, and the result.'),
  http_status: nullable(
    Count("The status of the provider's response. Null: no request was sent, or no response was received."),
  ),
  status: OneOf(connectionStatuses, 'The status of the connection after the test.'),
});

export const ConnectionProviderResource = defineResource(
  'ConnectionProvider',
  'A service of the catalog: how its accounts are connected.',
  {
    id: Text('The value of `provider` in a connection.'),
    title: Text(),
    authorization_url: Text('With `{name}` in place of each field.'),
    token_url: Text('With `{name}` in place of each field.'),
    scope_separator: OneOf([' ', ',']),
    client_authentication: nullable(
      OneOf(['basic', 'body'], 'Null: not known. Weft tries basic, then the body.'),
    ),
    pkce: Type.Boolean(),
    authorization_params: Type.Record(Type.String(), Text(), {
      description: 'Additional parameters of the authorization URL.',
    }),
    fields: Type.Array(
      defineResource('ConnectionProviderField', 'A value that is part of the URLs of a provider.', {
        name: Text(),
        title: Text(),
        pattern: Text('A regular expression that the whole value matches.'),
        example: Text(),
        default: nullable(Text('Null: a connection must set the field.')),
      }),
    ),
    hosts: Type.Array(Text(), { description: 'Domains of the API.' }),
    base_url: nullable(Text()),
    test_url: nullable(Text()),
    reviewed: nullable(
      defineResource(
        'ConnectionProviderReview',
        'The comparison of an entry with a document of the provider.',
        {
          date: Text('As YYYY-MM-DD.'),
          source: Text('The URL of the document.'),
        },
      ),
    ),
  },
);
export const ConnectionProviderListResource = defineList(
  'ConnectionProviderList',
  'providers',
  ConnectionProviderResource,
);
