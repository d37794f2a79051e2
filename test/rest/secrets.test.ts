import { readFile } from 'node:fs/promises';
import path from 'node:path';
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
    const row = await server.accounts.secret(a.id, 'SAME');
    await server.accounts.putSecret({ ...row!, ownerId: b.id });
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
    const response = await server.call('PUT', `/secrets/${name}`, { token: admin, body });
    expect([response.status, response.body['error']!['details']!['field']]).toEqual([400, field]);
  });

  test('64 KiB are accepted, counted in bytes', async () => {
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

  test('a thousand at most', async () => {
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
      const response = await server.call('GET', `${list}?${query}`, { token: admin });
      expect([response.status, response.body['error']!['details']!['field']]).toEqual([
        400,
        query.split('=')[0],
      ]);
    }
  });
  test('100 is the largest page', async () => {
    expect(
      (await server.call('GET', '/users?limit=100', { token: admin })).body['pagination']!['limit'],
    ).toBe(100);
  });
});
