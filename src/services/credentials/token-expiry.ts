import type { HttpFailure } from '../../contract/node-type.ts';
import type { ConnectionState, TokenRow } from '../../ports/store/connections.ts';
import type { TokenResponse, TokenGrant } from '../../ports/oauth-tokens.ts';

/** A token is given up this long before it ends, ms, so that it does not end on its way; of a short life, half of it. */
const MARGIN = 30_000;
/** Of client credentials, when the endpoint does not say how long a token lives: ms. */
const DEFAULT_LIFE = 300_000;
/** Tokens of before that are kept to be masked. */
const BEFORE = 3;

/** What is sealed of a slot. `before`: tokens that may still be valid, so that they stay masked. */
export type Tokens = {
  access: string;
  refresh: string | null;
  apiUrl: string | null;
  expiresAt: number | null;
  before: { token: string; expiresAt: number | null }[];
  /** It replaced one that was refused with 401. */
  afterRefusal: boolean;
};

/** When the token is to be renewed: never, when nobody said that it ends. */
export function usableUntil({ expiresAt, storedAt }: Pick<TokenRow, 'expiresAt' | 'storedAt'>): number {
  if (expiresAt === null) return Infinity;
  const life = expiresAt - (storedAt ?? expiresAt);
  return expiresAt - Math.min(MARGIN, life / 2);
}

/** A server that does not rotate gives no refresh token with a refresh: the old one stays. */
export function tokensAfter(
  answer: TokenResponse,
  grant: TokenGrant | null,
  before: Tokens | null,
  now: number,
): Tokens {
  const life = answer.expiresIn ?? (grant?.type === 'client_credentials' ? DEFAULT_LIFE : null);
  const kept =
    grant?.type === 'refresh_token' ? { refresh: grant.refreshToken, apiUrl: before?.apiUrl ?? null } : null;
  const earlier = before === null ? [] : [{ token: before.access, expiresAt: before.expiresAt }];
  return {
    access: answer.accessToken,
    refresh: answer.refreshToken ?? kept?.refresh ?? null,
    apiUrl: answer.apiUrl ?? kept?.apiUrl ?? null,
    expiresAt: life === null ? null : now + life,
    before: [...earlier, ...(before?.before ?? [])]
      .filter(({ token, expiresAt }) => token !== answer.accessToken && (expiresAt ?? Infinity) > now)
      .slice(0, BEFORE),
    afterRefusal: false,
  };
}

export function stateAfter(
  state: ConnectionState,
  answer: TokenResponse,
  tokens: Tokens,
  now: number,
): ConnectionState {
  return {
    ...state,
    status: 'connected',
    error: null,
    grantedScopes: answer.scopes ?? state.grantedScopes,
    refreshable: tokens.refresh !== null,
    expiresAt: tokens.expiresAt,
    refreshedAt: now,
  };
}

/** Refusals that lie in the settings, which their owner can mend; any other is of what a person allowed. */
const OF_SETTINGS = new Set([
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_request',
  'invalid_scope',
  'incorrect_client_credentials',
  'invalid_client_id',
  'bad_client_secret',
]);

/** After a refusal. `code` null: no person's permission is at stake. */
export function refusedState(state: ConnectionState, code: string | null, reason: string): ConnectionState {
  const isOfSettings = code === null || OF_SETTINGS.has(code);
  return { ...state, status: isOfSettings ? 'failing' : 'needs_reauthorization', error: reason };
}

/** The code of an error that the token endpoint itself answered, "" when it gave none; null: it did not answer. */
export function endpointError({ failure }: HttpFailure): string | null {
  const { data } = failure;
  return typeof data === 'object' &&
    data !== null &&
    !Array.isArray(data) &&
    typeof data['error'] === 'string'
    ? data['error']
    : null;
}
