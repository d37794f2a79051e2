import { timingSafeEqual } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import {
  Provider,
  errors,
  interactionPolicy,
  type Client,
  type Configuration,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { scopes } from '../../contract/scopes.ts';
import type { Ids } from '../../ports/ids.ts';
import type { OAuthStore } from '../../ports/store/accounts/oauth.ts';
import type { AccountStore } from '../../ports/store/accounts/accounts.ts';
import { hashApiKey } from '../api-key.ts';
import type { PrincipalCache } from '../principal-cache.ts';
import { createSecretBox } from '../secret-box.ts';
import type { DerivedKeys } from '../secret-key.ts';
import { createAdapters } from './oidc-adapter.ts';
import type { RequestOrigin } from '../../contract/principal.ts';
import {
  DOCUMENT_CACHE_S,
  MAX_DOCUMENT_BYTES,
  createClientDocuments,
  isDocumentUnavailable,
  type ClientDocumentsOptions,
} from './client-documents.ts';
import { isDocumentUrl } from './document-url.ts';
import { AUTH_METHODS, REGISTERED_BY, checkRegistration } from './registration.ts';
import { findResource, oauthPaths } from './paths.ts';
import { deriveSigningKey } from './signing-key.ts';

const MINUTE_S = 60;
const DAY_S = 86_400;
/**
 * In seconds. A refresh token expires when it is unused for this long; a grant, with all of its tokens, in
 * any case.
 */
const ttl = {
  AccessToken: 60 * MINUTE_S,
  ClientCredentials: 60 * MINUTE_S,
  AuthorizationCode: MINUTE_S,
  RefreshToken: 30 * DAY_S,
  Grant: 365 * DAY_S,
  Interaction: 15 * MINUTE_S,
  Session: DAY_S,
  IdToken: 60 * MINUTE_S,
};
/** Interval between two updates of a client's last use, ms. */
const TOUCH_INTERVAL_MS = 3_600_000;

type ErrorOut = { error: string; error_description?: string | undefined };

/** Renders an error page for users, for errors before a redirect to the client is allowed. */
export type ErrorPage = (
  error: ErrorOut,
  requestId: string,
) => { html: string; headers: Readonly<Record<string, string>> };

export type OAuthProviderOptions = {
  /** The public origin. Called at the first request, when the port is known. */
  readonly issuer: () => string;
  readonly oauth: OAuthStore;
  readonly accounts: Pick<AccountStore, 'userById'>;
  readonly keys: DerivedKeys;
  readonly cache: Pick<PrincipalCache, 'forget'>;
  readonly ids: Ids;
  readonly now: () => number;
  readonly errorPage: ErrorPage;
  /** Fetches the metadata documents of clients; null: their URLs are not accepted as client IDs. */
  readonly sendForDocument: ClientDocumentsOptions['send'] | null;
  /** Called before a token is issued to a client with its own credentials. */
  readonly clientTokenIssued: (client: ClientName, scope: string, origin: RequestOrigin) => Promise<void>;
  /** Called when the credentials of a client are wrong. */
  readonly clientRefused: (clientId: string | null, origin: RequestOrigin) => Promise<void>;
  /** Called after an application registered itself. */
  readonly clientRegistered: (client: ClientName, origin: RequestOrigin) => Promise<void>;
  readonly report: (message: string, error: unknown) => void;
};
export type ClientName = { readonly id: string; readonly name: string };

/** Creates the authorization server. The library is large, so `lazy-provider.ts` loads it on first use. */
export function makeProvider(options: OAuthProviderOptions): Provider {
  const { oauth, now, report } = options;
  const issuer = options.issuer();
  const unavailable = new WeakSet<KoaContextWithOIDC>();
  const provider = new Provider(issuer, configure(options, issuer.startsWith('https:')));
  // The HTTP server sets the forwarded headers; those of the caller are removed.
  provider.proxy = true;
  provider.Client.prototype.compareClientSecret = compareByHash;
  provider.registerGrantType('client_credentials', grantToClient, ['scope', 'resource']);
  provider.use(async (ctx, next) => {
    try {
      await next();
      const context = ctx as KoaContextWithOIDC;
      if (unavailable.has(context)) respondUnavailable(context);
      else adaptResponse(context);
    } catch (error) {
      report('the authorization server failed', error);
      ctx.status = 500;
      ctx.body = { error: 'server_error', error_description: 'Something went wrong on our side.' };
    }
  });
  provider.on('server_error', (_ctx, error) => report('the authorization server failed', error));
  // Replaces the framework's own output; the library's types declare only its own events.
  (provider as EventEmitter).on('error', (error: unknown) =>
    report('a response of the authorization server was interrupted', error),
  );
  provider.on('grant.success', (ctx) => {
    const clientId = ctx.oidc.client?.clientId;
    if (clientId !== undefined)
      noteUse(oauth, clientId, now()).catch((error: unknown) =>
        report('the last use of a client could not be stored', error),
      );
  });
  provider.on('grant.error', (ctx, error) => {
    if (isDocumentUnavailable(error)) unavailable.add(ctx);
    if (unavailable.has(ctx) || error.error !== 'invalid_client') return;
    const clientId = ctx.oidc.params?.['client_id'] ?? ctx.oidc.client?.clientId;
    options
      .clientRefused(typeof clientId === 'string' ? clientId : null, readOrigin(ctx))
      .catch((failure: unknown) => report('a refused OAuth client could not be recorded', failure));
  });
  provider.on('registration_create.success', (ctx, client) => {
    options
      .clientRegistered(toClientName(client), readOrigin(ctx))
      .catch((failure: unknown) => report('the registration of a client could not be recorded', failure));
  });
  return provider;

  /** RFC 6749 §4.4. Without `scope`: all scopes that the client was registered for. */
  async function grantToClient(ctx: KoaContextWithOIDC): Promise<void> {
    const client = ctx.oidc.client;
    if (client === undefined) throw new errors.InvalidClientAuth('no client');
    const registered = new Set(client.scope?.split(' '));
    const { scope, resource } = ctx.oidc.params as { scope?: string; resource?: string };
    const asked = scope === undefined ? registered : new Set(scope.split(' '));
    for (const name of asked) {
      if (!registered.has(name))
        throw new errors.InvalidScope('the client was not registered for this scope', name);
    }
    const granted = [...asked].join(' ');
    await options.clientTokenIssued(toClientName(client), granted, readOrigin(ctx));
    const token = new provider.ClientCredentials({ client, scope: granted });
    if (resource !== undefined) token.setAudience(requireResource(ctx, resource));
    ctx.oidc.entity('ClientCredentials', token);
    const value = await token.save();
    ctx.body = {
      access_token: value,
      expires_in: token.expiration,
      scope: token.scope,
      token_type: token.tokenType,
    };
  }
}

function toClientName({ clientId, clientName }: Client): ClientName {
  return { id: clientId, name: clientName ?? clientId };
}

/** The HTTP server has set the forwarded address. */
function readOrigin({ ip, headers }: KoaContextWithOIDC): RequestOrigin {
  return { address: ip, userAgent: headers['user-agent'] ?? null };
}

/**
 * Adapts two responses to what clients expect: RFC 6749 §5.2 has an error code for a grant type that the
 * client was not registered for, and some clients parse the empty response of a revocation as JSON.
 */
function adaptResponse(ctx: KoaContextWithOIDC): void {
  const { route, client, params } = ctx.oidc ?? {};
  const { grant_type: grantType } = (params ?? {}) as { grant_type?: string };
  const { error } = (ctx.body ?? {}) as { error?: string };
  if (route === 'revocation' && ctx.status === 200) ctx.body = {};
  if (route !== 'token' || error !== 'invalid_request' || grantType === undefined) return;
  if (client !== undefined && !client.grantTypeAllowed(grantType))
    ctx.body = {
      error: 'unauthorized_client',
      error_description: `The client is not registered for the grant type ${grantType}.`,
    };
}

/** A client that is refused as unknown would discard its tokens. */
function respondUnavailable(ctx: KoaContextWithOIDC): void {
  ctx.status = 503;
  ctx.body = {
    error: 'temporarily_unavailable',
    error_description: 'The metadata document of the client could not be fetched; try again later.',
  };
}

/** The store holds the hash of a secret, so the library uses the hash as the secret. */
function compareByHash(this: Client, actual: string): boolean {
  const expected = Buffer.from(this.clientSecret ?? '');
  const given = Buffer.from(hashApiKey(actual));
  return expected.length === given.length && timingSafeEqual(expected, given);
}

async function noteUse(oauth: OAuthStore, clientId: string, now: number): Promise<void> {
  const client = await oauth.client(clientId);
  if (client === null || (client.lastUsedAt !== null && now - client.lastUsedAt < TOUCH_INTERVAL_MS)) return;
  await oauth.touchClient(clientId, now);
}

function configure(options: OAuthProviderOptions, isSecure: boolean): Configuration {
  const { oauth, accounts, keys, cache, ids, now, errorPage } = options;
  // The __Host- prefix binds the cookie to this host and to https, where the browser supports it.
  const host = isSecure ? '__Host-' : '';
  const secure = isSecure ? '__Secure-' : '';
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  const documents =
    options.sendForDocument === null ? null : createClientDocuments({ send: options.sendForDocument, now });
  return {
    adapter: createAdapters({ store: oauth, box: createSecretBox(keys.oauthRecords), cache, now }),
    jwks: { keys: [deriveSigningKey(keys.oauthSigning)] },
    cookies: {
      names: {
        session: `${host}weft_login`,
        interaction: `${secure}weft_interaction`,
        resume: `${secure}weft_resume`,
      },
      long: cookie,
      short: cookie,
      keys: [Buffer.from(keys.oauthCookies).toString('base64url')],
    },
    scopes: ['openid', ...scopes],
    claims: { openid: ['sub'] },
    ttl,
    clockTolerance: 0,
    responseTypes: ['code'],
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    // A page may call for a public client if it has the origin of one of the client's redirect URIs.
    clientBasedCORS: (_ctx, origin, client) =>
      client.clientAuthMethod === 'none' &&
      (client.redirectUris ?? []).some((uri) => origin !== 'null' && new URL(uri).origin === origin),
    extraClientMetadata: {
      properties: [REGISTERED_BY, AUTH_METHODS],
      validator: (ctx, key, value, metadata) =>
        checkRegistration(ctx, key, value, metadata as Record<string, unknown>),
    },
    extraParams: { scope: requireSomeScope },
    findAccount: async (_ctx, id) =>
      (await accounts.userById(id)) === null
        ? undefined
        : { accountId: id, claims: () => Promise.resolve({ sub: id }) },
    interactions: {
      policy: makePolicy(),
      url: (_ctx, interaction) => `${oauthPaths.interaction}/${interaction.uid}`,
    },
    // Each authorization has its own grant, so that revoking one affects no other.
    async loadExistingGrant(ctx) {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : await ctx.oidc.provider.Grant.find(grantId);
    },
    issueRefreshToken: (_ctx, client) => Promise.resolve(client.grantTypeAllowed('refresh_token')),
    rotateRefreshToken: true,
    expiresWithSession: () => Promise.resolve(false),
    revokeGrantPolicy: () => true,
    renderError(ctx, out, error) {
      // Non-browser routes respond as RFC 6749 specifies, whatever the Accept header.
      if (ctx.oidc.route !== 'authorization' && ctx.oidc.route !== 'resume') {
        ctx.body = out;
        return;
      }
      const { html, headers } = errorPage(
        describeClientError(ctx, out),
        String(ctx.res.getHeader('x-request-id') ?? ''),
      );
      if (!(error instanceof errors.OIDCProviderError)) ctx.status = 500;
      ctx.type = 'html';
      ctx.set({ ...headers });
      ctx.body = html;
    },
    routes: {
      authorization: oauthPaths.authorization,
      token: oauthPaths.token,
      registration: oauthPaths.registration,
      revocation: oauthPaths.revocation,
      introspection: oauthPaths.introspection,
      jwks: oauthPaths.jwks,
    },
    // All outgoing requests must use the egress policy; only documents of clients need one.
    fetch: (url) =>
      documents?.fetch(url) ?? Promise.reject(new Error('The authorization server sends no requests.')),
    fetchResponseBodyLimits: { 'client_id metadata document': MAX_DOCUMENT_BYTES },
    features: {
      clientIdMetadataDocument: {
        enabled: documents !== null,
        ack: 'draft-02',
        allowFetch: (ctx, clientId) => documents?.allowFetch(ctx, clientId) ?? false,
        cacheDuration: DOCUMENT_CACHE_S,
      },
      clientCredentials: { enabled: true },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      revocation: {
        enabled: true,
        allowedPolicy(_ctx, client, token) {
          if (token.clientId !== client.clientId)
            throw new errors.InvalidRequest('the token belongs to another client');
          return true;
        },
      },
      registration: {
        enabled: true,
        initialAccessToken: false,
        idFactory: () => ids.next('oauthClient'),
        issueRegistrationAccessToken: false,
      },
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      // A token without a resource is for the whole service.
      resourceIndicators: {
        enabled: true,
        // Undefined: none. Its types do not know it. Several are refused when a token is requested.
        defaultResource: (_ctx, _client, oneOf) => oneOf as string[],
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource) => ({
          scope: scopes.join(' '),
          audience: requireResource(ctx, resource),
          accessTokenFormat: 'opaque',
        }),
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
  };
}

/** An app that is described by a document is not unknown: its document could not be read. */
function describeClientError(ctx: KoaContextWithOIDC, out: ErrorOut): ErrorOut {
  const clientId = ctx.oidc.params?.['client_id'];
  return out.error === 'invalid_client' && typeof clientId === 'string' && isDocumentUrl(clientId)
    ? { ...out, error: 'invalid_client_metadata' }
    : out;
}

/**
 * Requires login, then consent: always, because a client that anyone can register is identified only by its
 * name.
 */
function makePolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  const { Check } = interactionPolicy;
  policy
    .get('login')
    ?.checks.add(
      new Check('account_gone', 'the account is gone', ({ oidc }) =>
        oidc.session?.accountId !== undefined && oidc.account === undefined
          ? Check.REQUEST_PROMPT
          : Check.NO_NEED_TO_PROMPT,
      ),
    );
  policy
    .get('consent')
    ?.checks.add(
      new Check('always_asked', 'consent is asked for each authorization', ({ oidc }) =>
        oidc.result?.consent === undefined ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT,
      ),
    );
  return policy;
}

/** Returns the audience of a resource of this service (RFC 8707). */
function requireResource(ctx: KoaContextWithOIDC, resource: string): string {
  const { issuer } = ctx.oidc.provider;
  const found = findResource(issuer, resource);
  if (found === null)
    throw new errors.InvalidTarget(`resource must be a URL of this service, such as ${issuer}/v1/mcp`);
  return `${issuer}${found}`;
}

/** Without `scope`, the registered scopes are requested. Unknown scopes are ignored. */
function requireSomeScope(ctx: KoaContextWithOIDC, scope: string | undefined, client: Client): void {
  if (scope !== undefined && scope !== '') return;
  if (scope === undefined && client.scope !== undefined && client.scope !== '') {
    ctx.oidc.params!['scope'] = client.scope;
    return;
  }
  throw new errors.InvalidScope(`scope must name some of: openid ${scopes.join(' ')}`, scope ?? '');
}
