import { WeftError } from '../contract/errors.ts';
import type { Principal } from '../contract/principal.ts';
import { isScope } from '../contract/scopes.ts';
import type { ApiKeyRow } from '../ports/store/accounts/api-keys.ts';
import type { OAuthStore, OAuthTokenRow } from '../ports/store/accounts/oauth.ts';
import type { AccountStore } from '../ports/store/accounts/accounts.ts';
import type { SessionRow } from '../ports/store/accounts/sessions.ts';
import type { UserRow } from '../ports/store/accounts/users.ts';
import { hasApiKeyForm, hashApiKey } from './api-key.ts';
import type { Authenticate } from './credentials.ts';
import { includesPath } from './oauth/paths.ts';
import type { PrincipalCache } from './principal-cache.ts';
import type { SessionTokens } from './session-token.ts';

/**
 * Interval between updates of an API key's last use, ms: precise enough for users, without a write per
 * request.
 */
const TOUCH_INTERVAL_MS = 60_000;

/** An access token of the authorization server; a session token contains dots. */
const OAUTH_TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

export type AuthenticateOptions = {
  readonly accounts: AccountStore;
  readonly oauth: Pick<OAuthStore, 'token'>;
  /** Returns the resource for which an access token was issued; null: the whole service. */
  readonly readResource: (token: OAuthTokenRow) => Principal['resource'] | null;
  readonly tokens: SessionTokens;
  readonly cache: PrincipalCache;
  readonly now: () => number;
  /** Called when the last use of a key could not be stored: the request continues. */
  readonly onTouchFailed: (error: unknown) => void;
};

/**
 * `authenticate` reads the headers and the cookie; `authenticateToken` takes a token or an API key, as sent
 * over a WebSocket.
 */
export type Authenticator = {
  readonly authenticate: Authenticate;
  readonly authenticateToken: (token: string, path: string) => Principal | Promise<Principal>;
};

/** Caches a result until `expiresAt` (ms, null for never) at the latest. */
type CachePrincipal = (principal: Principal, expiresAt: number | null) => void;

/**
 * One precedence for all APIs: `Authorization`, `X-API-Key`, session cookie; an invalid credential fails. A
 * cached credential costs one hash and one lookup.
 */
export function createAuthenticator(options: AuthenticateOptions): Authenticator {
  const { accounts, oauth, tokens, cache, now, onTouchFailed } = options;

  /** Each kind has its own cache entries: an authenticated key is not accepted as a token. */
  function authenticateCached(
    kind: 'token' | 'key' | 'oauth',
    credential: string,
    read: (credential: string, hash: string, keep: CachePrincipal) => Promise<Principal>,
  ): Principal | Promise<Principal> {
    const hash = hashApiKey(credential);
    const cacheKey = `${kind} ${hash}`;
    const known = cache.get(cacheKey, now());
    if (known !== null) return known;
    const mark = cache.mark();
    return read(credential, hash, (principal, expiresAt) =>
      cache.keep(cacheKey, principal, expiresAt, now(), mark),
    );
  }

  async function readToken(token: string, _hash: string, keep: CachePrincipal): Promise<Principal> {
    const result = await tokens.verify(token, now());
    if (result.kind === 'wrong') throw createUnauthorizedError('The token is not valid.');
    if (result.kind === 'expired') throw createUnauthorizedError('The token has expired.');
    const { userId, sessionId, tokenId, expiresAt } = result.claims;
    const session = await accounts.session(sessionId);
    if (
      session === null ||
      !isAlive(session, now()) ||
      session.userId !== userId ||
      session.tokenId !== tokenId
    ) {
      throw createUnauthorizedError('The token is no longer valid.');
    }
    const user = await accounts.userById(userId);
    if (user === null) throw createUnauthorizedError('The token is no longer valid.');
    const ends = Math.min(expiresAt * 1000, session.expiresAt);
    const principal: Principal = {
      ...toPrincipalUser(user),
      scopes: null,
      via: 'session',
      expiresAt: ends,
      sessionId,
    };
    keep(principal, ends);
    return principal;
  }

  async function readApiKey(_key: string, hash: string, keep: CachePrincipal): Promise<Principal> {
    const key = await accounts.apiKeyByHash(hash);
    if (key === null || (key.expiresAt !== null && key.expiresAt <= now()))
      throw createUnauthorizedError('The API key is not valid.');
    const user = await accounts.userById(key.ownerId);
    if (user === null) throw createUnauthorizedError('The API key is not valid.');
    touch(key);
    const scopes = key.scopes === null ? null : new Set(key.scopes.filter(isScope));
    const principal: Principal = {
      ...toPrincipalUser(user),
      scopes,
      via: 'api_key',
      ...(key.expiresAt === null ? {} : { expiresAt: key.expiresAt }),
      keyId: key.id,
    };
    keep(principal, key.expiresAt);
    return principal;
  }

  async function readOAuthToken(_token: string, hash: string, keep: CachePrincipal): Promise<Principal> {
    const token = await oauth.token(hash, now());
    if (token === null || token.userId === null) throw createUnauthorizedError('The token is not valid.');
    if (token.expiresAt <= now()) throw createUnauthorizedError('The token has expired.');
    const user = await accounts.userById(token.userId);
    if (user === null) throw createUnauthorizedError('The token is not valid.');
    const resource = options.readResource(token);
    const principal: Principal = {
      ...toPrincipalUser(user),
      scopes: new Set((token.scope ?? '').split(' ').filter(isScope)),
      via: 'oauth',
      expiresAt: token.expiresAt,
      clientId: token.clientId,
      tokenId: token.id,
      ...(token.grantId === null ? {} : { grantId: token.grantId }),
      ...(resource === null || resource === undefined ? {} : { resource }),
    };
    keep(principal, token.expiresAt);
    return principal;
  }

  function touch(key: ApiKeyRow): void {
    const time = now();
    if (key.lastUsedAt !== null && time - key.lastUsedAt < TOUCH_INTERVAL_MS) return;
    accounts.touchApiKey(key.id, time).catch(onTouchFailed);
  }

  function fromToken(token: string): Principal | Promise<Principal> {
    if (hasApiKeyForm(token))
      throw createUnauthorizedError('This is an API key: send it in the header X-API-Key.');
    return OAUTH_TOKEN_PATTERN.test(token)
      ? authenticateCached('oauth', token, readOAuthToken)
      : authenticateCached('token', token, readToken);
  }
  function fromApiKey(key: string): Principal | Promise<Principal> {
    if (!hasApiKeyForm(key)) throw createUnauthorizedError('The API key is not valid.');
    return authenticateCached('key', key, readApiKey);
  }

  return {
    authenticate({ authorization, apiKey, cookie, path }) {
      if (authorization !== undefined) return requireResource(fromToken(readBearer(authorization)), path);
      if (apiKey !== undefined) return fromApiKey(apiKey);
      // A cookie contains a session token only.
      if (cookie !== undefined) return authenticateCached('token', cookie, readToken);
      throw createUnauthorizedError('A credential is required: Authorization: Bearer, or X-API-Key.');
    },
    authenticateToken: (token, path) =>
      hasApiKeyForm(token) ? fromApiKey(token) : requireResource(fromToken(token), path),
  };
}

/** @throws {WeftError} UNAUTHORIZED for a token of another resource (RFC 8707). */
function requireResource(
  proof: Principal | Promise<Principal>,
  path: string,
): Principal | Promise<Principal> {
  if (proof instanceof Promise) return proof.then((principal) => requireResource(principal, path));
  const { resource } = proof;
  if (resource !== undefined && !includesPath(resource, path.split('?', 1)[0]!))
    throw createUnauthorizedError(`The token is valid for ${resource} only.`);
  return proof;
}

/**
 * Returns the token of an `Authorization` header. @throws {WeftError} UNAUTHORIZED when it is not a Bearer
 * credential.
 */
export function readBearer(header: string): string {
  const match = /^bearer +(\S+) *$/i.exec(header);
  if (match?.[1] === undefined)
    throw createUnauthorizedError('The Authorization header must be: Bearer and a token.');
  return match[1];
}

export function createUnauthorizedError(message: string): WeftError {
  return new WeftError('UNAUTHORIZED', message);
}

export function isAlive(session: SessionRow, now: number): boolean {
  return session.endedAt === null && session.expiresAt > now;
}

function toPrincipalUser(user: UserRow): Pick<Principal, 'userId' | 'email' | 'role' | 'plan'> {
  return { userId: user.id, email: user.email, role: user.role, plan: user.plan };
}
