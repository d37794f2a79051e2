import type { HttpFailure } from '../../contract/node-type.ts';
import type { ConnectionState, TokenRow } from '../../ports/store/connections.ts';
import type { TokenResponse, TokenGrant } from '../../ports/oauth-tokens.ts';

/**
 * A token is renewed this long before it expires, ms, so that it does not expire in transit; at most half of
 * its lifetime.
 */
const RENEWAL_MARGIN_MS = 30_000;
/** Assumed lifetime of a client_credentials token when the endpoint gives none, ms. */
const DEFAULT_TOKEN_LIFETIME_MS = 300_000;
/** Number of previous tokens kept for redaction. */
const MAX_PREVIOUS_TOKENS = 3;

/**
 * The encrypted contents of a slot. `before` lists previous tokens that may still be valid and must be
 * redacted.
 */
export type Tokens = {
  access: string;
  refresh: string | null;
  apiUrl: string | null;
  expiresAt: number | null;
  before: { token: string; expiresAt: number | null }[];
  /** Whether it replaced a token that was rejected with 401. */
  afterRefusal: boolean;
};

/** Returns when the token must be renewed; never, when its lifetime is unknown. */
export function computeUsableUntil({
  expiresAt,
  storedAt,
}: Pick<TokenRow, 'expiresAt' | 'storedAt'>): number {
  if (expiresAt === null) return Infinity;
  const life = expiresAt - (storedAt ?? expiresAt);
  return expiresAt - Math.min(RENEWAL_MARGIN_MS, life / 2);
}

/** A server without rotation returns no new refresh token: the old one stays valid. */
export function createTokens(
  tokenResponse: TokenResponse,
  grant: TokenGrant | null,
  before: Tokens | null,
  now: number,
): Tokens {
  const life =
    tokenResponse.expiresIn ?? (grant?.type === 'client_credentials' ? DEFAULT_TOKEN_LIFETIME_MS : null);
  const kept =
    grant?.type === 'refresh_token' ? { refresh: grant.refreshToken, apiUrl: before?.apiUrl ?? null } : null;
  const earlier = before === null ? [] : [{ token: before.access, expiresAt: before.expiresAt }];
  return {
    access: tokenResponse.accessToken,
    refresh: tokenResponse.refreshToken ?? kept?.refresh ?? null,
    apiUrl: tokenResponse.apiUrl ?? kept?.apiUrl ?? null,
    expiresAt: life === null ? null : now + life,
    before: [...earlier, ...(before?.before ?? [])]
      .filter(({ token, expiresAt }) => token !== tokenResponse.accessToken && (expiresAt ?? Infinity) > now)
      .slice(0, MAX_PREVIOUS_TOKENS),
    afterRefusal: false,
  };
}

export function createConnectionState(
  state: ConnectionState,
  tokenResponse: TokenResponse,
  tokens: Tokens,
  now: number,
): ConnectionState {
  return {
    ...state,
    status: 'connected',
    error: null,
    grantedScopes: tokenResponse.scopes ?? state.grantedScopes,
    refreshable: tokens.refresh !== null,
    expiresAt: tokens.expiresAt,
    refreshedAt: now,
  };
}

/** Errors caused by the settings, which the owner can fix; any other concerns the user's authorization. */
const SETTINGS_ERROR_CODES = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_request',
  'invalid_scope',
  'incorrect_client_credentials',
  'invalid_client_id',
  'bad_client_secret',
]);

/** Returns the state after a rejection. A null `code` means that the user's authorization is not affected. */
export function createRefusedState(
  state: ConnectionState,
  code: string | null,
  reason: string,
): ConnectionState {
  const isOfSettings = code === null || SETTINGS_ERROR_CODES.has(code);
  return { ...state, status: isOfSettings ? 'failing' : 'needs_reauthorization', error: reason };
}

/**
 * Returns the error code of a response from the token endpoint, '' when it has none; null without a response.
 */
export function readEndpointError({ failure }: HttpFailure): string | null {
  const { data } = failure;
  return typeof data === 'object' &&
    data !== null &&
    !Array.isArray(data) &&
    typeof data['error'] === 'string'
    ? data['error']
    : null;
}
