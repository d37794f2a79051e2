import { SignJWT, errors, jwtVerify } from 'jose';

/** Lifetime of a token in seconds. */
export const TOKEN_LIFETIME_S = 3600;
/** Lifetime of a session from its last refresh. */
export const SESSION_LIFETIME_MS = 30 * 86_400_000;
const ISSUER = 'weft';
const AUDIENCE = 'weft:session';
const MAX_LENGTH = 4096;
const TOKEN_PATTERN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The claims of a token. `tokenId` is its position in the session's rotation; times in Unix seconds. */
export type TokenClaims = {
  userId: string;
  sessionId: string;
  tokenId: string;
  issuedAt: number;
  expiresAt: number;
};

export type SessionTokens = {
  /**
   * The same arguments yield exactly the same token, so that a lost response can be repeated. `issuedAt` in
   * ms.
   */
  sign(token: {
    userId: string;
    sessionId: string;
    tokenId: string;
    issuedAt: number;
  }): Promise<{ token: string; expiresAt: number }>;
  /** `expired` only for a valid token of this service. */
  verify(
    token: string,
    now: number,
  ): Promise<{ kind: 'valid' | 'expired'; claims: TokenClaims } | { kind: 'wrong' }>;
};

export function createSessionTokens(key: Uint8Array): SessionTokens {
  return {
    async sign({ userId, sessionId, tokenId, issuedAt }) {
      const seconds = Math.floor(issuedAt / 1000);
      const expiresAt = seconds + TOKEN_LIFETIME_S;
      const token = await new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(userId)
        .setJti(tokenId)
        .setIssuedAt(seconds)
        .setExpirationTime(expiresAt)
        .sign(key);
      return { token, expiresAt };
    },
    async verify(token, now) {
      // Requires the canonical form: the library would also accept padding and line breaks.
      if (token.length > MAX_LENGTH || !TOKEN_PATTERN.test(token)) return { kind: 'wrong' };
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          typ: 'JWT',
          issuer: ISSUER,
          audience: AUDIENCE,
          requiredClaims: ['sub', 'sid', 'jti', 'iat', 'exp'],
          // The time is checked below, where expired and invalid tokens are distinguished.
          currentDate: new Date(0),
        });
        const { sub, sid, jti, iat, exp } = payload;
        if (typeof sub !== 'string' || typeof sid !== 'string' || typeof jti !== 'string')
          return { kind: 'wrong' };
        if (typeof iat !== 'number' || typeof exp !== 'number') return { kind: 'wrong' };
        const claims = { userId: sub, sessionId: sid, tokenId: jti, issuedAt: iat, expiresAt: exp };
        return { kind: exp * 1000 > now ? 'valid' : 'expired', claims };
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return { kind: 'wrong' };
        throw error;
      }
    },
  };
}
