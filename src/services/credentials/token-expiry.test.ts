import { expect, test } from 'vitest';
import { createTokens, type Tokens } from './token-expiry.ts';

const NOW = Date.parse('2026-05-01T00:00:00Z');

/** The contents of a slot, as earlier versions stored them. */
const STORED =
  '{"access":"a1","refresh":"r1","apiUrl":"https://api.example","expiresAt":1777593660000,"before":[],"afterRefusal":true}';

test('contents that earlier versions stored are read, and are stored with the same names', () => {
  const stored = JSON.parse(STORED) as Tokens;
  expect(stored.afterRefusal).toBe(true);
  const tokens = createTokens(
    { accessToken: 'a2', refreshToken: null, expiresIn: 60_000, scopes: null, apiUrl: null },
    {
      type: 'refresh_token',
      refreshToken: 'r1',
      tokenUrl: 'https://auth.example/token',
      clientId: 'c',
      clientSecret: null,
      scope: '',
    },
    stored,
    NOW,
  );
  expect(JSON.stringify(tokens)).toBe(
    '{"access":"a2","refresh":"r1","apiUrl":"https://api.example","expiresAt":1777593660000,"before":[{"token":"a1","expiresAt":1777593660000}],"afterRefusal":false}',
  );
});
