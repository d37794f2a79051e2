import { Type, type Static } from 'typebox';
import { FieldAuthenticationInput, MAX_FIELD_VALUE_LENGTH } from '../connections/connection-fields.ts';
import { pagingFields } from '../paging.ts';

/** Requests about connected accounts and the catalog of providers. */

export const connectionGrantTypes = ['authorization_code', 'client_credentials', 'fields'] as const;
export type ConnectionGrantType = (typeof connectionGrantTypes)[number];

export const CONNECTION_NAME_PATTERN = '^[A-Za-z_][A-Za-z0-9_]{0,63}$';

const closed = { additionalProperties: false };
const Address = (description: string) => Type.String({ minLength: 1, maxLength: 2_000, description });
/** The characters of a scope (RFC 6749 §3.3), except the comma, which some providers use as the separator. */
const ScopeToken = Type.String({
  maxLength: 500,
  pattern: String.raw`^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]+$`,
  'x-issue': 'must be one scope, without spaces, commas, quotes and backslashes',
});
const Host = Type.String({
  maxLength: 260,
  pattern: String.raw`^(?:[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$`,
  'x-issue': 'must be a host name or address, with or without a port, such as api.example.com',
});

const settings = {
  provider: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Null()], {
      description:
        'The id of a provider from the catalog, which presets the fields below; explicit values override it.',
    }),
  ),
  provider_fields: Type.Optional(
    Type.Record(Type.String({ maxLength: 64 }), Type.String({ minLength: 1, maxLength: 300 }), {
      maxProperties: 10,
      description:
        'Values of the provider\'s fields, which are part of its URLs, such as {"subdomain": "acme"}.',
    }),
  ),
  grant_type: Type.Optional(
    Type.Enum([...connectionGrantTypes], {
      description:
        'authorization_code (default): a user authorizes Weft to use an account. client_credentials: the app itself is the account. fields: an API key, a password or several values, without OAuth. It cannot be changed to or from fields.',
    }),
  ),
  authorization_url: Type.Optional(
    Type.Union([Address('The authorization endpoint.'), Type.Null()], {
      description: 'The authorization endpoint. Required without a provider.',
    }),
  ),
  token_url: Type.Optional(
    Type.Union([Address('The token endpoint.'), Type.Null()], {
      description: 'The token endpoint. Required without a provider.',
    }),
  ),
  client_id: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 1_000 }), Type.Null()], {
      description: 'The client id of the app at the provider. Required for OAuth.',
    }),
  ),
  client_secret: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: 10_000 }), Type.Null()], {
      description: 'Stored encrypted and never returned. Null or absent: a public client, protected by PKCE.',
    }),
  ),
  scopes: Type.Optional(Type.Array(ScopeToken, { maxItems: 100, uniqueItems: true })),
  client_authentication: Type.Optional(
    Type.Union([Type.Enum(['basic', 'body']), Type.Null()], {
      description:
        "How the secret is sent to the token endpoint. Default: the provider's method, or basic, with a fallback to the body when basic is rejected.",
    }),
  ),
  pkce: Type.Optional(
    Type.Boolean({
      description: 'Whether to use PKCE (S256). Default: as the provider has it, otherwise true.',
    }),
  ),
  authorization_params: Type.Optional(
    Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 1_000 }), {
      maxProperties: 20,
      description: 'Additional parameters of the authorization URL, such as {"audience": "…"}.',
    }),
  ),
  base_url: Type.Optional(
    Type.Union([Address('The base URL of the API that connector nodes call.'), Type.Null()], {
      description:
        "The base URL of the API that connector nodes call. Null or absent: the provider's, or the one in the token response.",
    }),
  ),
  test_url: Type.Optional(
    Type.Union([Address('The URL that a test requests.'), Type.Null()], {
      description:
        "The URL that a test requests. Null or absent: the provider's; without one, the test only obtains a token.",
    }),
  ),
  test_method: Type.Optional(
    Type.Enum(['GET', 'HEAD', 'POST'], { description: 'The method of the test request. Default: GET.' }),
  ),
  test_status: Type.Optional(
    Type.Union([Type.Integer({ minimum: 200, maximum: 599 }), Type.Null()], {
      description: 'The status that a successful test has. Null or absent: any from 200 to 299.',
    }),
  ),
  authentication: Type.Optional(
    Type.Union([FieldAuthenticationInput, Type.Null()], {
      description: 'For grant type fields: how the fields authenticate a request. Required for it.',
    }),
  ),
  fields: Type.Optional(
    Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: MAX_FIELD_VALUE_LENGTH }), {
      maxProperties: 20,
      description:
        'For grant type fields: the values by the names of the fields, such as {"value": "…"}. Stored encrypted and never returned. An update keeps the values of omitted fields.',
    }),
  ),
  hosts: Type.Optional(
    Type.Union([Type.Array(Host, { minItems: 1, maxItems: 50, uniqueItems: true }), Type.Null()], {
      description:
        'The hosts that the token or the fields may be sent to. Null or absent: any host; required for grant type fields.',
    }),
  ),
  description: Type.Optional(Type.String({ maxLength: 1_000 })),
};

/**
 * Fields that GET returns and requests cannot set: accepted and ignored, so that a GET response can be sent
 * with PUT.
 */
const shown = {
  status: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Unknown()),
  granted_scopes: Type.Optional(Type.Unknown()),
  expires_at: Type.Optional(Type.Unknown()),
  refreshable: Type.Optional(Type.Unknown()),
  authorized_at: Type.Optional(Type.Unknown()),
  refreshed_at: Type.Optional(Type.Unknown()),
  has_client_secret: Type.Optional(Type.Unknown()),
  field_names: Type.Optional(Type.Unknown()),
  redirect_uri: Type.Optional(Type.Unknown()),
  connect_url: Type.Optional(Type.Unknown()),
  created_at: Type.Optional(Type.Unknown()),
  updated_at: Type.Optional(Type.Unknown()),
};
export const shownOfConnection = Object.keys(shown);

const returnTo = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 1_000,
    description:
      'A path of this Weft instance, such as /connections, to which the browser is redirected at the end, with ?connection= and status= or error=.',
  }),
);

export const CreateConnectionInput = Type.Object(
  {
    name: Type.String({
      pattern: CONNECTION_NAME_PATTERN,
      'x-issue': 'must be 1 to 64 letters, digits and _, and not begin with a digit',
    }),
    ...settings,
    return_to: returnTo,
    ...shown,
  },
  { title: 'CreateConnectionInput', ...closed },
);
export type CreateConnection = Static<typeof CreateConnectionInput>;

export const UpdateConnectionInput = Type.Object(
  { name: Type.Optional(Type.Unknown()), ...settings, ...shown },
  { title: 'UpdateConnectionInput', ...closed },
);
export type ConnectionSettings = Omit<CreateConnection, 'name' | 'return_to' | keyof typeof shown>;

export const AuthorizeConnectionInput = Type.Object(
  { return_to: returnTo },
  { title: 'AuthorizeConnectionInput', ...closed },
);

export const RemoveConnectionQuery = Type.Object(
  {
    force: Type.Optional(
      Type.Boolean({ description: 'Delete it even if active workflows use it. Default: false.' }),
    ),
  },
  closed,
);

export const ProviderQuery = Type.Object(
  {
    ...pagingFields,
    search: Type.Optional(
      Type.String({ maxLength: 200, description: 'Text in the id, the title or a host, ignoring case.' }),
    ),
  },
  closed,
);
