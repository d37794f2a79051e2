import { Type } from 'typebox';
import type { Static } from 'typebox';
import type {
  ConnectionCredentials,
  TokenRequest,
} from '../../contract/connections/connection-credentials.ts';
import type { NodeContext } from '../../contract/node-type.ts';
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
    closed(
      {
        type: Type.Literal('connection'),
        connection: connectionName({
          title: 'Connection',
          ...ui({ hint: '' }),
          description:
            'The name of a connection of any kind: a connected account, an API key, a password or other fields.',
        }),
      },
      { title: 'Connection' },
    ),
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

/** The field that names a connection, by the type of authentication. */
const CONNECTION_FIELDS: Readonly<Record<string, string>> = {
  connection: 'connection',
  oauth2: 'credential',
};

/** Returns the connection that an http_request configuration names. */
export function listNamedConnections({ authentication }: JsonObject): { field: string; name: string }[] {
  if (!isObject(authentication)) return [];
  const { type } = authentication;
  const field = typeof type === 'string' ? CONNECTION_FIELDS[type] : undefined;
  const name = field === undefined ? undefined : authentication[field];
  return typeof name === 'string' ? [{ field: `authentication.${field}`, name }] : [];
}

/** What authenticates a request: headers, with names in lower case, and query parameters. */
export type Proof = Pick<ConnectionCredentials, 'headers' | 'query'>;

export type Credentials = {
  /** Synchronous if nothing has to be loaded or requested. */
  proof(): Proof | Promise<Proof>;
  /** Whether `renew` may have an effect. */
  readonly isRenewable: boolean;
  /**
   * Called after a 401. Resolves to true if `proof` now uses a new token, because a token may be revoked
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
  if (authentication?.type === 'connection') return createConnected(ctx, authentication.connection);
  if (authentication?.type !== 'oauth2') {
    const proof = { headers: fixedHeaders(authentication), query: {} };
    return { proof: () => proof, isRenewable: false, renew: () => Promise.resolve(false) };
  }
  if (authentication.credential !== undefined) return createConnected(ctx, authentication.credential);
  let token: string | undefined;
  const get = (refused?: string): Promise<string> =>
    ctx.http.token({ ...tokenRequest(authentication), ...(proxy === undefined ? {} : { proxy }) }, refused);
  return {
    async proof() {
      token ??= await get();
      return { headers: { authorization: `Bearer ${token}` }, query: {} };
    },
    isRenewable: true,
    async renew() {
      const refused = token;
      token = await get(refused);
      return token !== refused;
    },
  };
}

function createConnected(ctx: NodeContext, name: string): Credentials {
  let current: ConnectionCredentials | undefined;
  return {
    async proof() {
      current ??= await ctx.http.connection(name);
      return current;
    },
    isRenewable: true,
    async renew() {
      const refused = current?.token ?? null;
      if (refused === null) return false;
      current = await ctx.http.connection(name, refused);
      return current.token !== refused;
    },
  };
}

/** Adds the query parameters that authenticate a request. They replace parameters of the same name. */
export function authenticateUrl(text: string, query: Proof['query']): string {
  const entries = Object.entries(query);
  const url = entries.length === 0 ? null : URL.parse(text);
  if (url === null) return text;
  for (const [name, value] of entries) url.searchParams.set(name, value);
  return url.href;
}

function fixedHeaders(
  authentication: Exclude<Authentication, { type: 'oauth2' | 'connection' }> | undefined,
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
