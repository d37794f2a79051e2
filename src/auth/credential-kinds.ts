import type { Principal } from '../contract/principal.ts';
import type { OAuthStore } from '../ports/store/accounts/oauth.ts';
import type { AccountStore } from '../ports/store/accounts/accounts.ts';
import { isAlive } from './authenticate.ts';

/** How to check whether an authenticated credential of one kind is still valid. */
export type CredentialKind = {
  /** Equal for two principals exactly if the same events end both, apart from their own expiry. */
  readonly getId: (principal: Principal) => string;
  /** One read. */
  readonly isAlive: (principal: Principal) => Promise<boolean>;
  /** The message for a request with such a credential. */
  readonly ended: string;
  readonly expired: string;
};

export function createSessionKind(
  accounts: Pick<AccountStore, 'session'>,
  now: () => number,
): CredentialKind {
  return {
    getId: ({ sessionId }) => sessionId ?? '',
    // A session is deleted with its user, so one read covers both.
    async isAlive({ userId, sessionId }) {
      const session = await accounts.session(sessionId ?? '');
      return session !== null && session.userId === userId && isAlive(session, now());
    },
    ended: 'The token is no longer valid.',
    expired: 'The token has expired.',
  };
}

export function createApiKeyKind(accounts: Pick<AccountStore, 'apiKey'>, now: () => number): CredentialKind {
  return {
    getId: ({ keyId }) => keyId ?? '',
    async isAlive({ userId, keyId }) {
      const key = await accounts.apiKey(userId, keyId ?? '');
      return key !== null && (key.expiresAt === null || key.expiresAt > now());
    },
    ended: 'The API key is not valid.',
    expired: 'The API key is not valid.',
  };
}

export function createOAuthKind(oauth: Pick<OAuthStore, 'token'>, now: () => number): CredentialKind {
  return {
    getId: ({ tokenId }) => tokenId ?? '',
    async isAlive({ userId, tokenId }) {
      const token = await oauth.token(tokenId ?? '', now());
      return token !== null && token.userId === userId && token.expiresAt > now();
    },
    ended: 'The token is no longer valid.',
    expired: 'The token has expired.',
  };
}
