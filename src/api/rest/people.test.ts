import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '../../contract/scopes.ts';
import { openPeopleServer, type PeopleServer } from '../testing/people-server.ts';

let server: PeopleServer;
let admin: string;
beforeAll(async () => {
  server = await openPeopleServer();
  admin = await server.login();
});
afterAll(() => server.close());

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const made = async (token: string, body: Record<string, unknown>): Promise<{ id: string; key: string }> => {
  const answer = await server.call('POST', '/api-keys', { token, body });
  expect(answer.status).toBe(201);
  return { id: answer.body['id']!, key: answer.body['key']! };
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
    const got = await server.call('GET', `/users/${id}`, { token: admin });
    const put = await server.call('PUT', `/users/${id}`, {
      token: admin,
      body: { ...got.body, name: 'Renamed', plan: 'enterprise' },
    });
    expect([put.status, put.body]).toEqual([200, { ...got.body, name: 'Renamed', plan: 'enterprise' }]);

    const gone = await server.call('DELETE', `/users/${id}`, { token: admin });
    expect([gone.status, gone.body]).toEqual([200, { id, deleted: true }]);
    expect(server.removedUsers).toContain(id);
    for (const method of ['GET', 'DELETE'])
      expect((await server.call(method, `/users/${id}`, { token: admin })).status).toBe(404);
    expect((await server.call('PUT', `/users/${id}`, { token: admin, body: {} })).status).toBe(404);
  });

  test('a taken email is a CONFLICT, whatever its case, also when two ask at once', async () => {
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
    expect(race.map((one) => one.status).sort()).toEqual([201, 400, 400, 400]);
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
    const answer = await server.call('POST', '/users', { token: admin, body });
    expect(answer.body['error']).toMatchObject({ code: 'VALIDATION_ERROR', details: { field, issue } });
  });

  test('a new role or plan counts at once; a deleted user is nobody at once', async () => {
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

  test('the last administrator stays, nobody deletes himself, and two cannot do it to each other', async () => {
    const me: string = (await server.call('GET', '/users/me', { token: admin })).body['id']!;
    const self = await server.call('DELETE', `/users/${me}`, { token: admin });
    expect([self.status, self.body['error']!['code']]).toEqual([400, 'CONFLICT']);
    const demoted = await server.call('PUT', `/users/${me}`, { token: admin, body: { role: 'member' } });
    expect([demoted.status, demoted.body['error']!['code']]).toEqual([400, 'CONFLICT']);
    const second = await server.member({ role: 'admin' });
    const both = await Promise.all([
      server.call('PUT', `/users/${second.id}`, { token: admin, body: { role: 'member' } }),
      server.call('PUT', `/users/${me}`, { token: second.token, body: { role: 'member' } }),
    ]);
    expect(both.map((one) => one.status).sort()).toEqual([200, 400]);
    await server.people.updateUser(me, { role: 'admin' });
    server.forward(6_000);
  });

  test('a password given by an administrator ends the sessions of the user', async () => {
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
      expires_at: new Date(server.clock.now() + 3_000).toISOString(),
    });
    expect(await works(two.key)).toBe(200);
    server.forward(3_001);
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
    [{ name: '' }, 'name', 'must not be empty'],
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
    const answer = await server.call('POST', '/api-keys', { token: admin, body });
    expect(answer.body['error']).toMatchObject({ code: 'VALIDATION_ERROR', details: { field, issue } });
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
    const nobody = await call();
    expect(nobody.status).toBe(401);
    expect(nobody.body['error']!['code']).toBe('UNAUTHORIZED');
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

  test('the scope admin is nothing without the role', async () => {
    const user = await server.member();
    const { key } = await made(user.token, { name: 'k', scopes: ['admin'] });
    const answer = await server.call('GET', '/users', { key });
    expect([answer.status, answer.body['error']]).toEqual([
      403,
      { code: 'FORBIDDEN', message: 'Only an administrator may do that.', details: { role: 'admin' } },
    ]);
  });
});

describe('secrets', () => {
  test('are stored, listed without values, replaced, deleted, and never on disk as they are', async () => {
    const user = await server.member();
    const value = `top-${'s'.repeat(40)}-cret`;
    const put = await server.call('PUT', '/secrets/API_KEY', {
      token: user.token,
      body: { value, hosts: ['api.example.com', '10.0.0.5:8443'], description: 'For CI' },
    });
    expect([put.status, put.body]).toEqual([
      200,
      {
        name: 'API_KEY',
        hosts: ['api.example.com', '10.0.0.5:8443'],
        description: 'For CI',
        created_at: iso,
        updated_at: iso,
      },
    ]);
    const list = await server.call('GET', '/secrets', { token: user.token });
    expect(list.body).toEqual({
      secrets: [put.body],
      pagination: { page: 1, limit: 10, total: 1, total_pages: 1 },
    });
    expect(await server.secrets.secretsFor(user.id, ['API_KEY', 'NONE', '__proto__'])).toEqual(
      new Map([['API_KEY', { value, hosts: ['api.example.com', '10.0.0.5:8443'] }]]),
    );
    for (const name of ['weft.db', 'weft.db-wal']) {
      const file = await readFile(path.join(server.dataDir, name)).catch(() => Buffer.alloc(0));
      expect(file.includes(value)).toBe(false);
    }
    server.forward(1_000);
    const again = await server.call('PUT', '/secrets/API_KEY', {
      token: user.token,
      body: { ...put.body, value: 'new', hosts: null },
    });
    expect(again.body).toMatchObject({
      hosts: null,
      description: 'For CI',
      created_at: put.body['created_at'],
    });
    expect(again.body['updated_at']).not.toBe(put.body['updated_at']);
    // The change shows at once, although the row was just read.
    expect(await server.secrets.secretsFor(user.id, ['API_KEY'])).toEqual(
      new Map([['API_KEY', { value: 'new', hosts: null }]]),
    );
    expect(await server.secrets.known(user.id, ['API_KEY', 'NONE'])).toEqual(new Set(['API_KEY']));
    const gone = await server.call('DELETE', '/secrets/API_KEY', { token: user.token });
    expect([gone.status, gone.body]).toEqual([200, { name: 'API_KEY', deleted: true }]);
    expect(await server.secrets.secretsFor(user.id, ['API_KEY'])).toEqual(new Map());
    expect((await server.call('DELETE', '/secrets/API_KEY', { token: user.token })).status).toBe(404);
  });

  test('belong to their owner', async () => {
    const [a, b] = [await server.member(), await server.member()];
    await server.call('PUT', '/secrets/SAME', { token: a.token, body: { value: 'of a' } });
    expect((await server.call('GET', '/secrets', { token: b.token })).body['secrets']).toEqual([]);
    expect((await server.call('DELETE', '/secrets/SAME', { token: b.token })).status).toBe(404);
    await server.call('PUT', '/secrets/SAME', { token: b.token, body: { value: 'of b' } });
    expect((await server.secrets.secretsFor(a.id, ['SAME'])).get('SAME')!.value).toBe('of a');
    // A row that is moved to another owner on disk does not open there.
    const row = await server.people.secret(a.id, 'SAME');
    await server.people.putSecret({ ...row!, ownerId: b.id });
    server.forward(6_000);
    await expect(server.secrets.secretsFor(b.id, ['SAME'])).rejects.toThrow('cannot be opened');
  });

  test.each([
    ['1X', { value: 'v' }, 'name'],
    ['a-b', { value: 'v' }, 'name'],
    ['x'.repeat(65), { value: 'v' }, 'name'],
    ['__proto__.x', { value: 'v' }, 'name'],
    ['%20', { value: 'v' }, 'name'],
    ['OK', {}, 'value'],
    ['OK', { value: '' }, 'value'],
    ['OK', { value: 5 }, 'value'],
    ['OK', { value: 'x'.repeat(65_537) }, 'value'],
    ['OK', { value: 'v', hosts: [] }, 'hosts'],
    ['OK', { value: 'v', hosts: ['https://api.example.com/'] }, 'hosts[0]'],
    ['OK', { value: 'v', hosts: 'api.example.com' }, 'hosts'],
    ['OK', { value: 'v', host: ['x'] }, 'host'],
  ])('PUT /secrets/%s %j is refused at %s', async (name, body, field) => {
    const answer = await server.call('PUT', `/secrets/${name}`, { token: admin, body });
    expect([answer.status, answer.body['error']!['details']!['field']]).toEqual([400, field]);
  });

  test('64 KiB are taken, counted in bytes', async () => {
    const token = admin;
    expect(
      (await server.call('PUT', '/secrets/BIG', { token, body: { value: 'x'.repeat(65_536) } })).status,
    ).toBe(200);
    const over = await server.call('PUT', '/secrets/BIG', { token, body: { value: 'ä'.repeat(32_769) } });
    expect(over.body['error']).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      details: { limit: 65_536, field: 'value' },
    });
  });

  test('a thousand at most', { timeout: 60_000 }, async () => {
    const user = await server.member();
    for (let i = 0; i < 1000; i += 50) {
      const batch = Array.from({ length: 50 }, (_, j) =>
        server.call('PUT', `/secrets/S${i + j}`, { token: user.token, body: { value: 'v' } }),
      );
      for (const one of await Promise.all(batch)) expect(one.status).toBe(200);
    }
    const over = await server.call('PUT', '/secrets/MORE', { token: user.token, body: { value: 'v' } });
    expect([over.status, over.body['error']!['code']]).toEqual([400, 'CONFLICT']);
    expect(
      (await server.call('PUT', '/secrets/S5', { token: user.token, body: { value: 'w' } })).status,
    ).toBe(200);
  });
});

describe('queries of lists', () => {
  test.each([
    'page=0',
    'page=-1',
    'page=x',
    'page=1.5',
    'page=',
    'limit=0',
    'limit=101',
    'limit=ten',
    'limit=1e1',
    'page=99999999999999999999',
  ])('?%s is refused with the name', async (query) => {
    for (const list of ['/users', '/api-keys', '/secrets']) {
      const answer = await server.call('GET', `${list}?${query}`, { token: admin });
      expect([answer.status, answer.body['error']!['details']!['field']]).toEqual([400, query.split('=')[0]]);
    }
  });
  test('100 is the largest page', async () => {
    expect(
      (await server.call('GET', '/users?limit=100', { token: admin })).body['pagination']!['limit'],
    ).toBe(100);
  });
});

describe('the limit of the plan', () => {
  test('fifty requests at once are counted exactly, and every authenticated answer shows it', async () => {
    const limited = await openPeopleServer({ rateLimits: { standard: 40, pro: 1000, enterprise: null } });
    try {
      const user = await limited.member();
      const before = Math.floor(limited.clock.now() / 1000);
      const calls = Array.from({ length: 50 }, (_, i) =>
        limited.call('GET', i % 5 === 0 ? '/users' : i % 7 === 0 ? '/users/me?x=1' : '/users/me', {
          token: user.token,
        }),
      );
      const answers = await Promise.all(calls);
      const refused = answers.filter((one) => one.status === 429);
      expect(refused).toHaveLength(10);
      const left = answers
        .filter((one) => one.status !== 429)
        .map((one) => Number(one.headers['x-ratelimit-remaining']));
      expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i));
      for (const { headers } of answers) {
        expect(headers['x-ratelimit-limit']).toBe('40');
        expect(Number(headers['x-ratelimit-reset']) - before).toBeGreaterThan(3_590);
        expect(Number(headers['x-ratelimit-reset']) - before).toBeLessThan(3_605);
      }
      for (const { headers, body } of refused) {
        expect(headers['x-ratelimit-remaining']).toBe('0');
        expect(Number(headers['retry-after'])).toBeGreaterThan(3_590);
        expect(body['error']).toMatchObject({ code: 'RATE_LIMITED', details: { reason: 'plan', limit: 40 } });
      }
      // An unlimited plan shows nothing, a wrong credential neither; a session and a key of one user count together.
      const root = await limited.call('GET', '/users/me', { token: await limited.login() });
      expect(root.headers['x-ratelimit-limit']).toBeUndefined();
      expect(
        (await limited.call('GET', '/users/me', { token: 'x' })).headers['x-ratelimit-limit'],
      ).toBeUndefined();
      limited.forward(3_600_000);
      const token = await limited.login(user.email, user.password);
      expect((await limited.call('GET', '/users/me', { token })).headers['x-ratelimit-remaining']).toBe('39');
      const { body } = await limited.call('POST', '/api-keys', { token, body: { name: 'k' } });
      expect(
        (await limited.call('GET', '/users/me', { key: body['key']! })).headers['x-ratelimit-remaining'],
      ).toBe('37');
    } finally {
      await limited.close();
    }
  });
});
