import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '../../src/contract/scopes.ts';
import { openAccountsServer, type AccountsServer } from '../support/servers/accounts-server.ts';

let server: AccountsServer;
let admin: string;
beforeAll(async () => {
  server = await openAccountsServer();
  admin = await server.login();
});
afterAll(() => server.close());

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const made = async (token: string, body: Record<string, unknown>): Promise<{ id: string; key: string }> => {
  const response = await server.call('POST', '/api-keys', { token, body });
  expect(response.status).toBe(201);
  return { id: response.body['id']!, key: response.body['key']! };
};

describe('API keys', () => {
  test('are shown once, stored hashed, listed without the key', async () => {
    const user = await server.member();
    const { status, body } = await server.call('POST', '/api-keys', {
      token: user.token,
      body: { name: 'CI', scopes: ['workflows:read'], expires_at: '2199-01-01T00:00:00+01:00' },
    });
    expect(status).toBe(201);
    const { key, ...rest } = body as Record<string, unknown>;
    expect(key).toMatch(/^weft_[A-Za-z0-9_-]{43}$/);
    expect(rest).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'CI',
      prefix: (key as string).slice(0, 9),
      scopes: ['workflows:read'],
      expires_at: '2198-12-31T23:00:00.000Z',
      created_at: iso,
      last_used_at: null,
    });
    const list = await server.call('GET', '/api-keys', { token: user.token });
    expect(list.body).toEqual({
      api_keys: [rest],
      pagination: { page: 1, limit: 10, total: 1, total_pages: 1 },
    });
    for (const name of ['weft.db', 'weft.db-wal']) {
      const file = await readFile(path.join(server.dataDir, name)).catch(() => Buffer.alloc(0));
      expect(file.includes(key as string)).toBe(false);
    }
    await server.call('GET', '/users/me', { key: key as string });
    await expect
      .poll(
        async () =>
          (await server.call('GET', '/api-keys', { token: user.token })).body['api_keys']![0]![
            'last_used_at'
          ],
      )
      .toEqual(iso);
  });

  test('a deleted key stops at once, an expired one at its time', async () => {
    const user = await server.member();
    const works = async (key: string) => (await server.call('GET', '/users/me', { key })).status;
    const one = await made(user.token, { name: 'a' });
    expect(await works(one.key)).toBe(200);
    const gone = await server.call('DELETE', `/api-keys/${one.id}`, { token: user.token });
    expect([gone.status, gone.body]).toEqual([200, { id: one.id, deleted: true }]);
    expect(await works(one.key)).toBe(401);
    expect((await server.call('DELETE', `/api-keys/${one.id}`, { token: user.token })).status).toBe(404);
    const two = await made(user.token, {
      name: 'b',
      expires_at: new Date(server.clock.now() + 20_000).toISOString(),
    });
    expect(await works(two.key)).toBe(200);
    server.forward(20_001);
    expect(await works(two.key)).toBe(401);
  });

  test("another user's key answers as a missing one", async () => {
    const [a, b] = [await server.member(), await server.member()];
    const { id, key } = await made(a.token, { name: 'a' });
    const foreign = await server.call('DELETE', `/api-keys/${id}`, { token: b.token });
    const missing = await server.call('DELETE', '/api-keys/key_nothing', { token: b.token });
    expect([foreign.status, foreign.body]).toEqual([404, missing.body]);
    expect((await server.call('GET', '/users/me', { key })).status).toBe(200);
  });

  test.each([
    [{}, 'name', 'is required'],
    [{ name: '' }, 'name', 'must be 1 to 200 characters, not only spaces, without control characters'],
    [{ name: 'k', scopes: [] }, 'scopes', 'must not be empty'],
    [{ name: 'k', scopes: ['everything'] }, 'scopes[0]', `must be one of ${scopes.join(', ')}`],
    [{ name: 'k', scopes: ['admin', 'admin'] }, 'scopes', 'must not have the same entry twice'],
    [{ name: 'k', scopes: 'admin' }, 'scopes', 'must be a list or null'],
    [{ name: 'k', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'must be in the future'],
    [
      { name: 'k', expires_at: 'tomorrow' },
      'expires_at',
      'must be a date and time in ISO 8601, such as 2030-01-31T12:00:00Z',
    ],
    [{ name: 'k', expires_at: 5 }, 'expires_at', 'must be a string or null'],
    [{ name: 'k', key: 'weft_mine' }, 'key', 'is not a known field; known are name, scopes, expires_at'],
  ])('POST /api-keys %j: %s %s', async (body, field, issue) => {
    const response = await server.call('POST', '/api-keys', { token: admin, body });
    expect(response.body['error']).toMatchObject({ code: 'VALIDATION_ERROR', details: { field, issue } });
  });
});

describe('what a credential reaches', () => {
  // Every guarded row of this half of the table: what each kind of caller gets.
  const rows = [
    ['POST', '/auth/logout', 'session'],
    ['GET', '/users/me', 'any'],
    ['PUT', '/users/me/password', 'session'],
    ['GET', '/users', 'admin'],
    ['POST', '/users', 'admin'],
    ['GET', '/users/usr_x', 'admin'],
    ['PUT', '/users/usr_x', 'admin'],
    ['DELETE', '/users/usr_x', 'admin'],
    ['GET', '/api-keys', 'session'],
    ['POST', '/api-keys', 'session'],
    ['DELETE', '/api-keys/key_x', 'session'],
    ['GET', '/secrets', 'secrets:read'],
    ['PUT', '/secrets/X', 'secrets:write'],
    ['DELETE', '/secrets/X', 'secrets:write'],
  ] as const;

  test.each(rows)('%s %s needs %s', async (method, url, scope) => {
    const body =
      method === 'PUT' || (method === 'POST' && url !== '/auth/logout') ? { wrong: true } : undefined;
    const call = (key?: string) =>
      server.call(method, url, {
        ...(key === undefined ? {} : { key }),
        ...(body === undefined ? {} : { body }),
      });
    const anonymous = await call();
    expect(anonymous.status).toBe(401);
    expect(anonymous.body['error']!['code']).toBe('UNAUTHORIZED');
    const bare = scopes.filter((one) => one !== scope);
    const without = await call((await made(admin, { name: 'w', scopes: bare })).key);
    expect(without.status).toBe(scope === 'any' ? 200 : 403);
    if (scope !== 'any') expect(without.body['error']!['code']).toBe('FORBIDDEN');
    const everything = await call((await made(admin, { name: 'e' })).key);
    if (scope === 'session') expect(everything.status).toBe(403);
    else expect([200, 400, 404]).toContain(everything.status);
    if (scope === 'any' || scope === 'session') return;
    const exactly = await call((await made(admin, { name: 'x', scopes: [scope] })).key);
    expect(exactly.status).toBe(everything.status);
  });

  test('the scope admin has no effect without the role', async () => {
    const user = await server.member();
    const { key } = await made(user.token, { name: 'k', scopes: ['admin'] });
    const response = await server.call('GET', '/users', { key });
    expect([response.status, response.body['error']]).toEqual([
      403,
      { code: 'FORBIDDEN', message: 'Only an administrator may do that.', details: { role: 'admin' } },
    ]);
  });
});
