import type { Json, JsonObject } from '../../lib/json/json.ts';

/**
 * The paths of the authorization server (RFC 6749, 7009, 7591, 7636, 7662, 8414) at the root of the origin.
 */
export function describeOAuthPaths(origin: string): JsonObject {
  const at = (path: string, method: string, operation: JsonObject): [string, Json] => [
    path,
    { servers: [{ url: origin }], [method]: { tags: ['OAuth 2.0'], 'x-api': 'oauth', ...operation } },
  ];
  return Object.fromEntries([
    at('/.well-known/oauth-authorization-server', 'get', {
      operationId: 'getOAuthMetadata',
      summary: 'Get the authorization server metadata (RFC 8414)',
      description:
        'The endpoints, grants, scopes and signing keys of the authorization server. Clients discover everything else from it.',
      security: [],
      responses: {
        '200': createJsonResponse('The metadata.', {
          issuer: origin,
          token_endpoint: `${origin}/oauth/token`,
        }),
      },
    }),
    at('/.well-known/oauth-protected-resource', 'get', {
      operationId: 'getResourceMetadata',
      summary: 'Get the protected resource metadata (RFC 9728)',
      description: 'The resource, its scopes and the issuer of its tokens.',
      security: [],
      responses: {
        '200': createJsonResponse('The metadata.', { resource: origin, authorization_servers: [origin] }),
      },
    }),
    at('/oauth/authorize', 'get', {
      operationId: 'oauthAuthorize',
      summary:
        'Start an authorization: the user logs in and consents, and the client gets a code (PKCE with S256 is required)',
      description:
        'Opened in the browser of the user, not called by a program. The code can be used once and expires soon.',
      security: [],
      parameters: [
        query('response_type', 'Always `code`.', 'code'),
        query('client_id', 'The id of the client.', 'cli_01kjqy4qw0h5m8z'),
        query('redirect_uri', 'The registered URL that receives the code.', 'http://127.0.0.1:7777/callback'),
        query('scope', 'The scopes, separated by spaces.', 'workflows:read executions:write'),
        query(
          'code_challenge',
          'The SHA-256 hash of the verifier, in base64url.',
          'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        ),
        query('code_challenge_method', 'Always `S256`.', 'S256'),
        query('state', 'Returned unchanged.', 'af0ifjsldkj', false),
      ],
      responses: {
        '303': {
          description: 'Redirects to the login page, or to the client with `code` or `error`.',
        },
        '400': { description: 'An error page, when there is no valid redirect URL.' },
      },
    }),
    at('/oauth/token', 'post', {
      operationId: 'oauthToken',
      summary: 'Get an access token: `authorization_code`, `client_credentials` or `refresh_token`',
      description:
        'Confidential clients authenticate by HTTP Basic or with `client_secret` in the form; public clients only send `client_id`.',
      security: [],
      requestBody: form(
        {
          grant_type: { type: 'string', enum: ['authorization_code', 'client_credentials', 'refresh_token'] },
          code: { type: 'string' },
          redirect_uri: { type: 'string' },
          code_verifier: { type: 'string' },
          refresh_token: { type: 'string', description: 'Valid once: the response contains the next one.' },
          scope: { type: 'string' },
          client_id: { type: 'string' },
          client_secret: { type: 'string', description: 'Alternatively by HTTP Basic.' },
        },
        ['grant_type'],
        { grant_type: 'client_credentials', client_id: 'cli_01kjqy4qw0h5m8z', client_secret: 's3cr3t' },
      ),
      responses: {
        '200': createJsonResponse('The tokens.', {
          access_token: 'ofS_1N_GdZ3n15eHVjLrucgfoyoUQOghAI9oeNOnRtc',
          token_type: 'Bearer',
          expires_in: 3600,
          scope: 'workflows:read',
        }),
        ...oauthErrors,
      },
    }),
    at('/oauth/revoke', 'post', {
      operationId: 'oauthRevoke',
      summary: 'Revoke a token (RFC 7009)',
      description: 'Revoking a refresh token also revokes its access tokens.',
      security: [],
      requestBody: tokenForm,
      responses: { '200': { description: 'The token is revoked, or did not exist.' }, ...oauthErrors },
    }),
    at('/oauth/introspect', 'post', {
      operationId: 'oauthIntrospect',
      summary: 'Introspect a token (RFC 7662)',
      description:
        'For the client that the token was issued to. Any other token is reported as `active: false`.',
      security: [],
      requestBody: tokenForm,
      responses: {
        '200': createJsonResponse('The properties of the token, or `{"active": false}` if it is not valid.', {
          active: false,
        }),
        ...oauthErrors,
      },
    }),
    at('/oauth/register', 'post', {
      operationId: 'oauthRegister',
      summary: 'Register a public client (RFC 7591) for the authorization code flow',
      description:
        'Requires no credential. The client gets no secret; the user selects its scopes on the consent page.',
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { type: 'object', additionalProperties: true },
            example: { client_name: 'Desktop', redirect_uris: ['http://127.0.0.1:7777/callback'] },
          },
        },
      },
      responses: {
        '201': createJsonResponse('The client.', {
          client_id: 'cli_01kjqy4qw0h5m8z',
          client_name: 'Desktop',
        }),
        ...oauthErrors,
      },
    }),
  ]);
}

function query(name: string, description: string, example: string, required = true): JsonObject {
  return { name, in: 'query', description, required, schema: { type: 'string' }, example };
}

function form(properties: JsonObject, required: string[], example: JsonObject): JsonObject {
  const schema = { type: 'object', required, properties };
  return { required: true, content: { 'application/x-www-form-urlencoded': { schema, example } } };
}

const tokenForm = form(
  {
    token: { type: 'string' },
    token_type_hint: { type: 'string' },
    client_id: { type: 'string' },
    client_secret: { type: 'string' },
  },
  ['token'],
  {
    token: 'ofS_1N_GdZ3n15eHVjLrucgfoyoUQOghAI9oeNOnRtc',
    client_id: 'cli_01kjqy4qw0h5m8z',
    client_secret: 's3cr3t',
  },
);

function createJsonResponse(description: string, example: JsonObject): JsonObject {
  const schema = { type: 'object', additionalProperties: true };
  return { description, content: { 'application/json': { schema, example } } };
}

const oauthErrors: JsonObject = {
  '400': createJsonResponse('`error` and `error_description`, as in RFC 6749.', { error: 'invalid_grant' }),
  '401': createJsonResponse('The client could not be authenticated.', { error: 'invalid_client' }),
  '429': createJsonResponse('Too many requests from this address.', { error: 'temporarily_unavailable' }),
};
