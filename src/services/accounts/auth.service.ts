import { createValidationError } from '../../contract/errors.ts';
import { randomBytes } from 'node:crypto';
import { isAlive, createUnauthorizedError } from '../../auth/authenticate.ts';
import type { LoginThrottle } from '../../auth/login-throttle.ts';
import type { Passwords } from '../../auth/passwords.ts';
import type { PrincipalCache } from '../../auth/principal-cache.ts';
import {
  SESSION_LIFETIME_MS,
  TOKEN_LIFETIME_S,
  type SessionTokens,
  type TokenClaims,
} from '../../auth/session-token.ts';
import { validate } from '../../contract/validate.ts';
import type { Principal, RequestOrigin } from '../../contract/principal.ts';
import { LoginInput, RefreshInput } from '../../contract/requests/accounts.ts';
import type { Ids } from '../../ports/ids.ts';
import type { AccountStore } from '../../ports/store/accounts/accounts.ts';
import type { SessionRow } from '../../ports/store/accounts/sessions.ts';
import type { UserRow } from '../../ports/store/accounts/users.ts';
import type { AuditActor, AuditLog } from '../audit/audit-log.ts';
import { requireSession } from '../authorize.ts';

/** How long after a rotation the old token still yields the new one, ms. */
const GRACE_PERIOD_MS = 60_000;

/** `expiresIn` in seconds. */
export type Login = { token: string; expiresIn: number; user: UserRow };

export type AuthService = {
  /**
   * `origin` is for throttling by address, and for the audit log. @throws {WeftError} UNAUTHORIZED, the same
   * for a wrong email and a wrong password.
   */
  login(input: unknown, origin: RequestOrigin): Promise<Login>;
  /** Returns the user with this email and password, as `login` does, without creating a session. */
  verifyPassword(input: unknown, origin: RequestOrigin): Promise<UserRow>;
  /** `bearer` is the token of the Authorization header, if any; it takes precedence over the body's. */
  refresh(bearer: string | null, input: unknown, origin: RequestOrigin): Promise<Login>;
  /** Ends the caller's session; its tokens stop working immediately. */
  logout(principal: Principal): Promise<void>;
  /**
   * Also ends the session of an expired or rotated token, not of an invalid one. `reason`: for the audit log.
   */
  endSession(token: string, origin: RequestOrigin, reason: string): Promise<void>;
};

export type AuthServiceOptions = {
  readonly accounts: AccountStore;
  readonly passwords: Passwords;
  readonly tokens: SessionTokens;
  readonly cache: PrincipalCache;
  readonly throttle: LoginThrottle;
  readonly audit: Pick<AuditLog, 'describe' | 'recordFailure'>;
  readonly ids: Ids;
  readonly now: () => number;
  /** Resolves once the first user exists, who is created after the service listens: a login waits for it. */
  readonly firstUser: Promise<void>;
};

export function createAuthService(options: AuthServiceOptions): AuthService {
  const { accounts, passwords, tokens, cache, throttle, audit, ids, now } = options;

  async function loginAs(session: SessionRow, user: UserRow): Promise<Login> {
    const signed = await tokens.sign({
      userId: user.id,
      sessionId: session.id,
      tokenId: session.tokenId,
      issuedAt: session.rotatedAt,
    });
    const age = Math.floor((now() - session.rotatedAt) / 1000);
    return {
      token: signed.token,
      expiresIn: Math.min(TOKEN_LIFETIME_S, Math.max(0, TOKEN_LIFETIME_S - age)),
      user,
    };
  }

  async function end(sessionId: string, actor: Principal | AuditActor, reason: string): Promise<void> {
    const event = audit.describe(actor, 'session.ended', { id: sessionId }, { reason });
    await accounts.endSession(sessionId, now(), event);
    cache.forget({ sessionId });
  }

  /**
   * Returns the session with `claims.tokenId` rotated, or unchanged when it was rotated a moment ago; null
   * when the token was rotated earlier or the session ended.
   */
  async function rotate(claims: TokenClaims, origin: RequestOrigin): Promise<SessionRow | null> {
    const session = await accounts.session(claims.sessionId);
    if (session === null || session.userId !== claims.userId || !isAlive(session, now())) return null;
    if (session.tokenId === claims.tokenId) {
      const at = now();
      const next = { tokenId: makeTokenId(), at, expiresAt: at + SESSION_LIFETIME_MS };
      const won = await accounts.rotateSession(session.id, claims.tokenId, next);
      cache.forget({ sessionId: session.id });
      if (won) return { ...session, tokenId: next.tokenId, previousTokenId: claims.tokenId, rotatedAt: at };
      // A concurrent refresh or logout came first: its result decides.
      const after = await accounts.session(session.id);
      if (after === null || !isAlive(after, now())) return null;
      return replacedJustNow(after, claims.tokenId, now()) ? after : null;
    }
    if (replacedJustNow(session, claims.tokenId, now())) return session;
    // A token that was rotated long ago may be stolen, or its holder may be the victim: the session is ended
    // for both.
    const actor = { userId: session.userId, email: null, credential: 'none', origin } as const;
    await end(session.id, actor, 'A replaced token was used.');
    return null;
  }

  async function prove(input: unknown, origin: RequestOrigin): Promise<UserRow> {
    const { address } = origin;
    const { email, password } = validate(LoginInput, input);
    await options.firstUser;
    await throttle.wait(email, address);
    const user = await accounts.userByEmail(email);
    const right = await passwords.verify(user?.passwordHash ?? null, password);
    if (user === null || !right) {
      throttle.failed(email, address);
      await audit.recordFailure(
        { userId: null, email, credential: 'none', origin },
        'session.created',
        user === null ? null : { id: user.id, name: user.email },
      );
      throw createUnauthorizedError('The email or the password is wrong.');
    }
    throttle.succeeded(email, address);
    return user;
  }

  return {
    verifyPassword: prove,

    async login(input, origin) {
      const user = await prove(input, origin);
      const at = now();
      const session: SessionRow = {
        id: ids.next('session'),
        userId: user.id,
        tokenId: makeTokenId(),
        previousTokenId: null,
        rotatedAt: at,
        createdAt: at,
        expiresAt: at + SESSION_LIFETIME_MS,
        endedAt: null,
      };
      const actor = { userId: user.id, email: user.email, credential: 'password', origin } as const;
      await accounts.createSession(session, audit.describe(actor, 'session.created', { id: session.id }));
      return loginAs(session, user);
    },

    async refresh(bearer, input, origin) {
      const given = validate(RefreshInput, input);
      if (bearer !== null && given.token !== undefined && given.token !== bearer)
        throw createValidationError([
          { field: 'token', issue: 'must be absent or equal to the token of the Authorization header' },
        ]);
      const token = bearer ?? given.token;
      if (token === undefined)
        throw createUnauthorizedError(
          'A token is required, in the Authorization header or as token in the body.',
        );
      const result = await tokens.verify(token, now());
      if (result.kind === 'wrong') throw createUnauthorizedError('The token is not valid.');
      const session = await rotate(result.claims, origin);
      if (session === null) throw createUnauthorizedError('The session has ended.');
      const user = await accounts.userById(session.userId);
      if (user === null) throw createUnauthorizedError('The session has ended.');
      return loginAs(session, user);
    },

    async logout(principal) {
      await end(requireSession(principal), principal, 'The user signed out.');
    },

    async endSession(token, origin, reason) {
      const result = await tokens.verify(token, now());
      if (result.kind === 'wrong') return;
      const { sessionId, userId } = result.claims;
      const actor = { userId, email: null, credential: 'session', credentialId: sessionId, origin } as const;
      await end(sessionId, actor, reason);
    },
  };
}

function replacedJustNow(session: SessionRow, tokenId: string, now: number): boolean {
  return session.previousTokenId === tokenId && now - session.rotatedAt <= GRACE_PERIOD_MS;
}

function makeTokenId(): string {
  return randomBytes(16).toString('base64url');
}
