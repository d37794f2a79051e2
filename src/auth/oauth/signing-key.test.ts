import { randomBytes } from 'node:crypto';
import { CompactSign, compactVerify, importJWK } from 'jose';
import { expect, test } from 'vitest';
import { deriveSigningKey } from './signing-key.ts';

test('the same seed gives the same key; different seeds give different keys', () => {
  const seed = Buffer.alloc(32, 7);
  expect(deriveSigningKey(seed)).toEqual(deriveSigningKey(Buffer.alloc(32, 7)));
  expect(deriveSigningKey(Buffer.alloc(32, 8)).d).not.toBe(deriveSigningKey(seed).d);
});

test('every seed gives a matching key pair', async () => {
  for (let i = 0; i < 50; i++) {
    const seed = randomBytes(32);
    const jwk = deriveSigningKey(seed);
    const { d: _d, ...open } = jwk;
    const signed = await new CompactSign(Buffer.from('x'))
      .setProtectedHeader({ alg: 'ES256' })
      .sign(await importJWK(jwk));
    const { payload } = await compactVerify(signed, await importJWK(open));
    expect([seed.toString('hex'), Buffer.from(payload).toString()]).toEqual([seed.toString('hex'), 'x']);
  }
});
