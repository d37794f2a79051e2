import { expect, it } from 'vitest';
import type { HttpResponse } from '../../contract/node-type.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { createTokenCache } from './token-cache.ts';

const request = {
  type: 'client_credentials',
  tokenUrl: 'https://t.example/token',
  clientId: 'a',
  clientSecret: 'b',
  scope: '',
} as const;
const startAnswering = (body: unknown, status = 200): HttpResponse => ({
  status,
  headers: {},
  url: request.tokenUrl,
  body: new TextEncoder().encode(JSON.stringify(body)),
});

it('drops a token before it expires', async () => {
  let now = 0;
  let count = 0;
  const cache = createTokenCache({ now: () => now });
  const token = () =>
    cache.token('o', request, null, () =>
      Promise.resolve(startAnswering({ access_token: `t${++count}`, expires_in: 100 })),
    );
  expect(await token()).toBe('t1');
  now = 69_999;
  expect(await token()).toBe('t1');
  now = 70_000;
  expect(await token()).toBe('t2');
});

it('is bounded, and evicts the least recently used token', async () => {
  let count = 0;
  const cache = createTokenCache({ now: () => 0 });
  const token = (owner: string) =>
    cache.token(owner, request, null, () => Promise.resolve(startAnswering({ access_token: `t${++count}` })));
  await token('first');
  for (let i = 0; i < 1000; i++) await token(`o${i}`);
  expect(await token('o999')).toBe('t1001');
  expect(await token('first')).toBe('t1002');
});

it('requests a token again for callers that joined a canceled attempt', async () => {
  const cache = createTokenCache({ now: () => 0 });
  const given = new HttpFailure({ type: 'timeout', message: 'given up' });
  let giveUp = (_error: Error): void => {};
  const first = cache.token(
    'o',
    request,
    null,
    () =>
      new Promise((_resolve, reject) => {
        giveUp = reject;
      }),
  );
  let asked = 0;
  const send = () => {
    asked++;
    return Promise.resolve(startAnswering({ access_token: 'good' }));
  };
  const others = [1, 2, 3].map(() => cache.token('o', request, null, send));
  giveUp(given);
  await expect(first).rejects.toBe(given);
  expect(await Promise.all(others)).toEqual(['good', 'good', 'good']);
  expect(asked).toBe(1);
});

it.each([
  [{}, 200, 'server_error'],
  [{ access_token: '' }, 200, 'server_error'],
  [{ access_token: 'a\r\nb' }, 200, 'server_error'],
  ['text', 200, 'server_error'],
  [{ error: 'invalid_grant' }, 400, 'client_error'],
  [{}, 302, 'client_error'],
])('fails with %j and %d as %s', async (body, status, type) => {
  const cache = createTokenCache({ now: () => 0 });
  const failure = await cache
    .token('o', request, null, () => Promise.resolve(startAnswering(body, status)))
    .catch((error: unknown) => (error instanceof HttpFailure ? error.failure : null));
  expect(failure).toMatchObject({ type });
});
