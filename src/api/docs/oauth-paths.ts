import type { Json, JsonObject } from '../../lib/json/json.ts';

/** The authorization server, which follows its own standards (RFC 6749, 7009, 7591, 7636, 7662, 8414), at the root of the origin. */
export function oauthPaths(origin: string): JsonObject {
  const at = (path: string, method: string, operation: JsonObject): [string, Json] => [
    path,
    { servers: [{ url: origin }], [method]: { tags: ['OAuth 2.0'], 'x-door': 'oauth', ...operation } },
  ];
  return Object.fromEntries([
    at('/.well-known/oauth-authorization-server', 'get', {
      operationId: 'getOAuthMetadata',
      summary: 'Where everything of OAuth is (RFC 8414)',
      description:
        'The endpoints, grants, scopes and signing keys of the authorization server. Clients discover everything else from it.',
      security: [],
      responses: {
        '200': jsonAnswer('The metadata.', { issuer: origin, token_endpoint: `${origin}/oauth/token` }),
      },
    }),
    at('/.well-known/oauth-protected-resource', 'get', {
      operationId: 'getResourceMetadata',
      summary: 'Which authorization server protects the API (RFC 9728)',
      description: 'The resource, its scopes and the issuer that a client asks for tokens.',
      security: [],
      responses: {
        '200': jsonAnswer('The metadata.', { resource: origin, authorization_servers: [origin] }),
      },
    }),
    at('/oauth/authorize', 'get', {
      operationId: 'oauthAuthorize',
      summary: 'Send a person to log in and consent; a code comes back (PKCE with S256 is required)',
      description:
        'Opened in the browser of a person, not called by a program. The code is valid once and for a short time.',
      security: [],
      parameters: [
        query('response_type', 'Always `code`.', 'code'),
        query('client_id', 'Of the client.', 'cli_01kjqy4qw0h5m8z'),
        query(
          'redirect_uri',
          'Where the code is sent, as it was registered.',
          'http://127.0.0.1:7777/callback',
        ),
        query('scope', 'Scopes, with spaces between.', 'workflows:read executions:write'),
        query(
          'code_challenge',
          'SHA-256 of the verifier, base64url.',
          'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        ),
        query('code_challenge_method', 'Always `S256`.', 'S256'),
        query('state', 'Comes back as it is.', 'af0ifjsldkj', false),
      ],
      responses: {
        '303': {
          description: 'To a page where the person logs in, or back to the client with `code` or `error`.',
        },
        '400': { description: 'A page that says what is wrong, when there is no address to go back to.' },
      },
    }),
    at('/oauth/token', 'post', {
      operationId: 'oauthToken',
      summary: 'Get an access token: `authorization_code`, `client_credentials` or `refresh_token`',
      description:
        'Confidential clients authenticate by HTTP Basic or with `client_secret` in the form; public clients send `client_id` alone.',
      security: [],
      requestBody: form(
        {
          grant_type: { type: 'string', enum: ['authorization_code', 'client_credentials', 'refresh_token'] },
          code: { type: 'string' },
          redirect_uri: { type: 'string' },
          code_verifier: { type: 'string' },
          refresh_token: { type: 'string', description: 'Spent by its use: the answer has the next one.' },
          scope: { type: 'string' },
          client_id: { type: 'string' },
          client_secret: { type: 'string', description: 'Or by HTTP Basic.' },
        },
        ['grant_type'],
        { grant_type: 'client_credentials', client_id: 'cli_01kjqy4qw0h5m8z', client_secret: 's3cr3t' },
      ),
      responses: {
        '200': jsonAnswer('The tokens.', {
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
      summary: 'End a token (RFC 7009)',
      description: 'Revoking a refresh token ends its access tokens too.',
      security: [],
      requestBody: tokenForm,
      responses: { '200': { description: 'It is ended, or never was.' }, ...oauthErrors },
    }),
    at('/oauth/introspect', 'post', {
      operationId: 'oauthIntrospect',
      summary: 'Ask whether a token is good (RFC 7662)',
      description:
        'For the client that the token was given to; any other token is answered with `active: false`.',
      security: [],
      requestBody: tokenForm,
      responses: {
        '200': jsonAnswer('What it is; `{"active": false}` for all that is not good.', { active: false }),
        ...oauthErrors,
      },
    }),
    at('/oauth/register', 'post', {
      operationId: 'oauthRegister',
      summary: 'Register a public client (RFC 7591), for the code flow alone',
      description:
        'Needs no credential. The client gets no secret; the person decides on the consent page which scopes it gets.',
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
        '201': jsonAnswer('The client.', { client_id: 'cli_01kjqy4qw0h5m8z', client_name: 'Desktop' }),
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

function jsonAnswer(description: string, example: JsonObject): JsonObject {
  const schema = { type: 'object', additionalProperties: true };
  return { description, content: { 'application/json': { schema, example } } };
}

const oauthErrors: JsonObject = {
  '400': jsonAnswer('`error` and `error_description`, as RFC 6749 has them.', { error: 'invalid_grant' }),
  '401': jsonAnswer('The client could not be authenticated.', { error: 'invalid_client' }),
  '429': jsonAnswer('Too many requests from this address.', { error: 'temporarily_unavailable' }),
};
