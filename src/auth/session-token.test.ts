import { SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { createSessionTokens } from './session-token.ts';

const key = Buffer.alloc(32, 3);
const tokens = createSessionTokens(key);
const made = { userId: 'usr_1', sessionId: 'ses_1', tokenId: 't1', issuedAt: 1_000_999 };

test('the same arguments give the same token; it contains the claims and lasts an hour', async () => {
  const { token, expiresAt } = await tokens.sign(made);
  expect((await tokens.sign(made)).token).toBe(token);
  expect(expiresAt).toBe(1_000 + 3_600);
  const claims = { userId: 'usr_1', sessionId: 'ses_1', tokenId: 't1', issuedAt: 1_000, expiresAt };
  expect(await tokens.verify(token, 4_599_999)).toEqual({ kind: 'valid', claims });
  expect(await tokens.verify(token, 4_600_000)).toEqual({ kind: 'expired', claims });
});

test('the smallest difference is wrong, even with our own key', async () => {
  const sign = (change: {
    alg?: string;
    typ?: string;
    claims?: Record<string, unknown>;
    key?: Uint8Array;
  }): Promise<string> => {
    const claims = {
      iss: 'weft',
      aud: 'weft:session',
      sub: 'u',
      sid: 's',
      jti: 't',
      iat: 1,
      exp: 9e9,
      ...change.claims,
    };
    const defined = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
    return new SignJWT(defined)
      .setProtectedHeader({
        alg: change.alg ?? 'HS256',
        ...(change.typ === '' ? {} : { typ: change.typ ?? 'JWT' }),
      })
      .sign(change.key ?? key);
  };
  expect((await tokens.verify(await sign({}), 0)).kind).toBe('valid');
  const wrong = [
    { alg: 'HS384' },
    { alg: 'HS512' },
    { typ: 'at+jwt' },
    { typ: '' },
    { key: Buffer.alloc(32, 4) },
    { claims: { iss: 'other' } },
    { claims: { aud: 'weft:oauth' } },
    { claims: { sub: undefined } },
    { claims: { sid: undefined } },
    { claims: { sid: 5 } },
    { claims: { jti: undefined } },
    { claims: { exp: undefined } },
    { claims: { exp: 'never' } },
    { claims: { iat: undefined } },
  ];
  for (const change of wrong) {
    expect([change, await tokens.verify(await sign(change), 0)]).toEqual([change, { kind: 'wrong' }]);
  }
});
