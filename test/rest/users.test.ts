import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

describe('users', () => {
  test('GET /users/me', async () => {
    const user = await server.member({ name: 'Mia' });
    const { status, body } = await server.call('GET', '/users/me', { token: user.token });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: user.id,
      email: user.email,
      name: 'Mia',
      role: 'member',
      plan: 'standard',
      created_at: iso,
    });
  });

  test('the first administrator is enterprise', async () => {
    expect((await server.call('GET', '/users/me', { token: admin })).body).toMatchObject({
      role: 'admin',
      plan: 'enterprise',
    });
  });

  test('administrators create, list, get, change and delete', async () => {
    const body = { email: 'New.User@example.com', password: 'a long password', plan: 'pro', role: 'member' };
    const created = await server.call('POST', '/users', { token: admin, body });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^usr_/),
      email: body.email,
      name: '',
      role: 'member',
      plan: 'pro',
      created_at: iso,
    });
    expect(created.text).not.toContain('argon2');
    const id: string = created.body['id']!;

    const list = await server.call('GET', '/users?limit=1', { token: admin });
    expect(list.body['users']![0]).toEqual(created.body);
    expect(list.body['pagination']).toMatchObject({ page: 1, limit: 1, total: expect.any(Number) });
    const { total, total_pages } = list.body['pagination'] as unknown as {
      total: number;
      total_pages: number;
    };
    expect(total_pages).toBe(total);
    expect(
      (await server.call('GET', `/users?page=${total + 1}&limit=1`, { token: admin })).body['users'],
    ).toEqual([]);

    // Get, edit, put.
    const received = await server.call('GET', `/users/${id}`, { token: admin });
    const put = await server.call('PUT', `/users/${id}`, {
      token: admin,
      body: { ...received.body, name: 'Renamed', plan: 'enterprise' },
    });
    expect([put.status, put.body]).toEqual([200, { ...received.body, name: 'Renamed', plan: 'enterprise' }]);

    const gone = await server.call('DELETE', `/users/${id}`, { token: admin });
    expect([gone.status, gone.body]).toEqual([200, { id, deleted: true }]);
    expect(server.removedUsers).toContain(id);
    for (const method of ['GET', 'DELETE'])
      expect((await server.call(method, `/users/${id}`, { token: admin })).status).toBe(404);
    expect((await server.call('PUT', `/users/${id}`, { token: admin, body: {} })).status).toBe(404);
  });

  test('an existing email is a CONFLICT in any case, also for concurrent requests', async () => {
    const user = await server.member();
    const again = await server.call('POST', '/users', {
      token: admin,
      body: { email: user.email.toUpperCase(), password: 'long enough' },
    });
    expect([again.status, again.body['error']!['code']]).toEqual([400, 'CONFLICT']);
    const other = await server.member();
    const put = await server.call('PUT', `/users/${other.id}`, { token: admin, body: { email: user.email } });
    expect([put.status, put.body['error']!['code']]).toEqual([400, 'CONFLICT']);
    const body = { email: 'race@example.com', password: 'long enough' };
    const race = await Promise.all(
      [1, 2, 3, 4].map(() => server.call('POST', '/users', { token: admin, body })),
    );
    expect(race.map((one) => one.status).sort((a, b) => a - b)).toEqual([201, 400, 400, 400]);
    expect(
      (
        await server.call('PUT', `/users/${user.id}`, {
          token: admin,
          body: { email: user.email.toUpperCase() },
        })
      ).status,
    ).toBe(200);
  });

  test.each([
    [{ password: 'long enough' }, 'email', 'is required'],
    [{ email: 'x', password: 'long enough' }, 'email', 'must be an email address of at most 254 characters'],
    [
      { email: 'a@b c', password: 'long enough' },
      'email',
      'must be an email address of at most 254 characters',
    ],
    [
      { email: 'a@b\r\nBcc: c', password: 'long enough' },
      'email',
      'must be an email address of at most 254 characters',
    ],
    [
      { email: `${'a'.repeat(254)}@b`, password: 'long enough' },
      'email',
      'must be an email address of at most 254 characters',
    ],
    [{ email: 'a@b', password: 'short' }, 'password', 'must have at least 8 characters'],
    [{ email: 'a@b', password: 'x'.repeat(201) }, 'password', 'must have at most 200 characters'],
    [{ email: 'a@b', password: 'long enough', role: 'root' }, 'role', 'must be one of admin, member'],
    [
      { email: 'a@b', password: 'long enough', plan: 'free' },
      'plan',
      'must be one of standard, pro, enterprise',
    ],
    [
      { email: 'a@b', password: 'long enough', id: 'usr_1' },
      'id',
      'is not a known field; known are email, password, name, role, plan',
    ],
  ])('POST /users %j: %s %s', async (body, field, issue) => {
    const response = await server.call('POST', '/users', { token: admin, body });
    expect(response.body['error']).toMatchObject({ code: 'VALIDATION_ERROR', details: { field, issue } });
  });

  test('a new role or plan takes effect immediately, and so does a deletion', async () => {
    const user = await server.member();
    const { key } = await made(user.token, { name: 'k' });
    expect((await server.call('GET', '/users', { token: user.token })).status).toBe(403);
    await server.call('PUT', `/users/${user.id}`, { token: admin, body: { role: 'admin' } });
    expect((await server.call('GET', '/users', { token: user.token })).status).toBe(200);
    expect((await server.call('GET', '/users', { key })).status).toBe(200);
    await server.call('PUT', `/users/${user.id}`, { token: admin, body: { role: 'member' } });
    expect((await server.call('GET', '/users', { token: user.token })).status).toBe(403);
    await server.call('DELETE', `/users/${user.id}`, { token: admin });
    expect((await server.call('GET', '/users/me', { token: user.token })).status).toBe(401);
    expect((await server.call('GET', '/users/me', { key })).status).toBe(401);
    expect((await server.call('POST', '/auth/refresh', { token: user.token })).status).toBe(401);
  });

  test('the last administrator remains, users cannot delete themselves, and two administrators cannot delete each other', async () => {
    const me: string = (await server.call('GET', '/users/me', { token: admin })).body['id']!;
    const self = await server.call('DELETE', `/users/${me}`, { token: admin });
    expect([self.status, self.body['error']!['code']]).toEqual([400, 'CONFLICT']);
    const demoted = await server.call('PUT', `/users/${me}`, { token: admin, body: { role: 'member' } });
    expect([demoted.status, demoted.body['error']!['code']]).toEqual([400, 'CONFLICT']);
    const second = await server.member({ role: 'admin' });
    const notAlone = await server.call('DELETE', `/users/${me}`, { token: admin });
    expect([notAlone.status, notAlone.body['error']!['message']]).toEqual([
      400,
      'You cannot delete your own account; ask another administrator.',
    ]);
    const both = await Promise.all([
      server.call('PUT', `/users/${second.id}`, { token: admin, body: { role: 'member' } }),
      server.call('PUT', `/users/${me}`, { token: second.token, body: { role: 'member' } }),
    ]);
    // The one that comes second is the last administrator's demotion, or no longer an administrator's
    // request.
    const [first, later] = both.map((one) => one.status).sort((a, b) => a - b);
    expect(first).toBe(200);
    expect([400, 403]).toContain(later);
    await server.accounts.updateUser(me, { role: 'admin' });
    server.forward(6_000);
  });

  test('a password set by an administrator ends the sessions of the user', async () => {
    const user = await server.member();
    expect((await server.call('GET', '/users/me', { token: user.token })).status).toBe(200);
    await server.call('PUT', `/users/${user.id}`, { token: admin, body: { password: 'another password' } });
    expect((await server.call('GET', '/users/me', { token: user.token })).status).toBe(401);
    await server.login(user.email, 'another password');
  });

  test('PUT /users/me/password ends the other sessions', async () => {
    const user = await server.member();
    const other = await server.login(user.email, user.password);
    const change = (current_password: string, new_password: string) =>
      server.call('PUT', '/users/me/password', {
        token: user.token,
        body: { current_password, new_password },
      });
    expect((await change('wrong', 'a new password')).body['error']).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'current_password' },
    });
    expect((await change(user.password, 'short')).body['error']).toMatchObject({
      details: { field: 'new_password' },
    });
    expect((await server.call('GET', '/users/me', { token: other })).status).toBe(200);
    const done = await change(user.password, 'a new password');
    expect([done.status, done.body]).toEqual([200, { success: true }]);
    expect((await server.call('GET', '/users/me', { token: other })).status).toBe(401);
    expect((await server.call('GET', '/users/me', { token: user.token })).status).toBe(200);
    expect(
      (await server.call('POST', '/auth/login', { body: { email: user.email, password: user.password } }))
        .status,
    ).toBe(401);
    await server.login(user.email, 'a new password');
  });
});
