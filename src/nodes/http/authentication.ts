import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { NodeContext, TokenRequest } from '../../contract/node-type.ts';
import type { SecretFields } from '../../contract/secret-fields.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isObject } from '../../lib/json/json.ts';
import { closed, connectionName, oneOfTexts, tagged } from '../schema.ts';
import { ui } from '../ui-hints.ts';

const text = (notes: Record<string, unknown> = {}) => Type.String({ minLength: 1, ...notes });
const secretText = (notes: Record<string, unknown> = {}) => text({ ...ui({ control: 'secret' }), ...notes });
/** The fields of OAuth 2.0 that are used without a connection. */
const own = ui({ group: 'Without a connection' });

export const authenticationSchema = tagged(
  'type',
  [
    closed({ type: Type.Literal('bearer'), token: secretText() }, { title: 'Bearer token' }),
    closed(
      {
        type: Type.Literal('basic'),
        username: Type.String(),
        password: Type.String(ui({ control: 'secret' })),
      },
      { title: 'User name and password' },
    ),
    closed({ type: Type.Literal('header'), name: text(), value: secretText() }, { title: 'Header' }),
    closed(
      {
        type: Type.Literal('oauth2'),
        grant_type: Type.Optional(
          oneOfTexts(['client_credentials', 'refresh_token'], {
            ...own,
            description: 'Default: refresh_token if a refresh token is set, otherwise client_credentials.',
          }),
        ),
        token_url: Type.Optional(text({ ...own, description: 'The URL of the token endpoint.' })),
        client_id: Type.Optional(text(own)),
        client_secret: Type.Optional(secretText(ui({ group: 'Without a connection', control: 'secret' }))),
        scope: Type.Optional(Type.String(own)),
        refresh_token: Type.Optional(secretText(ui({ group: 'Without a connection', control: 'secret' }))),
        credential: Type.Optional(
          connectionName({
            title: 'Connection',
            ...ui({ order: 1, hint: '' }),
            description: 'The name of a connection (a connected account). No other field may be set with it.',
          }),
        ),
      },
      { title: 'OAuth 2.0' },
    ),
  ],
  {
    description: 'How the request authenticates. Use secrets as {{ secrets.NAME }}.',
    ...ui({ hint: '' }),
  },
);
/**
 * Fields that may read secrets. OAuth 2.0 credentials are sent to the token endpoint; the access token is
 * sent to the service.
 */
export const authenticationSecrets = {
  'authentication.token': 'request',
  'authentication.username': 'request',
  'authentication.password': 'request',
  'authentication.name': 'request',
  'authentication.value': 'request',
  'authentication.token_url': 'token',
  'authentication.client_id': 'token',
  'authentication.client_secret': 'token',
  'authentication.scope': 'token',
  'authentication.refresh_token': 'token',
} as const satisfies SecretFields;
export type Authentication = Static<typeof authenticationSchema>;

/** Returns the connection that an http_request configuration names. */
export function namedConnections({ authentication }: JsonObject): { field: string; name: string }[] {
  const name =
    isObject(authentication) && authentication['type'] === 'oauth2'
      ? authentication['credential']
      : undefined;
  return typeof name === 'string' ? [{ field: 'authentication.credential', name }] : [];
}

export type Credentials = {
  /** The authentication headers. Synchronous if no token has to be requested. */
  headers(): Record<string, string> | Promise<Record<string, string>>;
  /**
   * Called after a 401. Resolves to true if `headers` now uses a new token, because a token may be revoked
   * before it expires.
   */
  renew(): Promise<boolean>;
};

/** Creates the credentials for the requests of one attempt. */
export function createCredentials(
  ctx: NodeContext,
  authentication: Authentication | undefined,
  proxy?: string,
): Credentials {
  if (authentication?.type !== 'oauth2') {
    const headers = fixedHeaders(authentication);
    return { headers: () => headers, renew: () => Promise.resolve(false) };
  }
  const { credential } = authentication;
  let token: string | undefined;
  const get = async (refused?: string): Promise<string> =>
    credential === undefined
      ? ctx.http.token(
          { ...tokenRequest(authentication), ...(proxy === undefined ? {} : { proxy }) },
          refused,
        )
      : (await ctx.http.connection(credential, refused)).token;
  return {
    async headers() {
      token ??= await get();
      return { authorization: `Bearer ${token}` };
    },
    async renew() {
      const refused = token;
      token = await get(refused);
      return token !== refused;
    },
  };
}

function fixedHeaders(
  authentication: Exclude<Authentication, { type: 'oauth2' }> | undefined,
): Record<string, string> {
  if (authentication === undefined) return {};
  if (authentication.type === 'bearer') return { authorization: `Bearer ${authentication.token}` };
  if (authentication.type === 'header') return { [authentication.name.toLowerCase()]: authentication.value };
  const pair = Buffer.from(`${authentication.username}:${authentication.password}`);
  return { authorization: `Basic ${pair.toString('base64')}` };
}

function tokenRequest(oauth2: Extract<Authentication, { type: 'oauth2' }>): TokenRequest {
  const { token_url = '', client_id = '', client_secret, scope, refresh_token } = oauth2;
  return {
    token_url,
    client_id,
    ...(client_secret === undefined ? {} : { client_secret }),
    ...(scope === undefined ? {} : { scope }),
    ...(refresh_token === undefined ? {} : { refresh_token }),
  };
}
