import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '../../src/contract/scopes.ts';
import { connectSocket, endSocketClients } from '../support/websocket/websocket-client.ts';
import type { ApiResponse, Call } from '../support/service.ts';
import { manual } from '../api/definitions.ts';
import {
  startServiceWithAccounts,
  type Headers,
  type Account,
  type ServiceWithAccounts,
} from '../support/service-with-accounts.ts';

/** Attempts of callers to gain permissions, also concurrently. */
let fixture: ServiceWithAccounts;
let admin: Call;
let member: Call;
let memberHeaders: Headers;
beforeAll(async () => {
  fixture = await startServiceWithAccounts();
  admin = fixture.as(await fixture.session(fixture.admin));
  memberHeaders = await fixture.session(fixture.member);
  member = fixture.as(memberHeaders);
});
afterAll(async () => {
  endSocketClients();
  await fixture.close();
});

const readErrorCode = (response: ApiResponse): unknown =>
  (response.body as { error?: { code: string } } | null)?.error?.code;
async function createPerson(email: string, role: string): Promise<Account> {
  const password = 'a password of twenty';
  const response = await admin('POST', '/users', { body: { email, password, name: 'x', role } });
  expect(response.status, response.text).toBe(201);
  return { id: (response.body as { id: string }).id, email, password };
}

describe('fields that are not for the caller', () => {
  const definition = { nodes: [manual], connections: [] };
  test.each([
    ['/workflows', { name: 'x', definition }],
    ['/templates', { templateName: 'x', workflow: { name: 'x', definition } }],
    ['/api-keys', { name: 'x' }],
    ['/oauth/clients', { name: 'x', scopes: ['workflows:read'] }],
    [
      '/nodes',
      {
        nodeType: 'x',
        implementation: { runtime: 'javascript', handler: 'export default async () => ({})' },
      },
    ],
  ])('%s takes none of them', async (path, body) => {
    for (const field of [
      'owner_id',
      'ownerId',
      'user_id',
      'userId',
      'role',
      'plan',
      'admin',
      'is_admin',
      'active_version',
      'key',
      'hash',
      'builtin_',
      'removed',
      'constructor',
    ]) {
      const response = await member('POST', path, { body: { ...body, [field]: fixture.admin.id } });
      expect(response.status, `${field}: ${response.text}`).toBe(400);
      expect(readErrorCode(response)).toBe('VALIDATION_ERROR');
      expect(response.body).toMatchObject({ error: { details: { field } } });
    }
    expect((await admin('GET', '/workflows')).body).toMatchObject({ pagination: { total: 0 } });
  });

  test('fields that GET returns and PUT ignores stay unchanged', async () => {
    const made = (await member('POST', '/workflows', { body: { name: 'x' } })).body as { id: string };
    const put = await member('PUT', `/workflows/${made.id}`, {
      body: {
        id: 'wf_1',
        owner_id: fixture.admin.id,
        created_at: '2001-01-01T00:00:00.000Z',
        active_version: 1,
        execution_count: 9,
        last_execution: { id: 'ex_1', status: 'failed', started_at: null },
        next_due_at: '2001-01-01T00:00:00.000Z',
        name: 'y',
      },
    });
    expect(put.status, put.text).toBe(200);
    expect(put.body).toMatchObject({
      id: made.id,
      owner_id: fixture.member.id,
      active_version: null,
      execution_count: 0,
      last_execution: null,
      next_due_at: null,
      name: 'y',
    });
  });

  test('a member changes no role and no plan, not even his own', async () => {
    for (const id of [fixture.member.id, fixture.admin.id, 'me'])
      for (const body of [{ role: 'admin' }, { plan: 'enterprise' }, { name: 'x' }]) {
        const response = await member('PUT', `/users/${id}`, { body });
        expect([403, 404], response.text).toContain(response.status);
      }
    const changed = await member('PUT', '/users/me/password', {
      body: { current_password: fixture.member.password, new_password: 'another password', role: 'admin' },
    });
    expect(readErrorCode(changed)).toBe('VALIDATION_ERROR');
    expect((await member('GET', '/users/me')).body).toMatchObject({ role: 'member', plan: 'standard' });
  });
});

describe('credentials that make more of themselves', () => {
  test('a key makes no keys, and changes no password', async () => {
    const key = await fixture.apiKey(fixture.admin, null);
    const call = fixture.as({ 'x-api-key': key['x-api-key']! });
    for (const [method, path, body] of [
      ['POST', '/api-keys', { name: 'more' }],
      ['GET', '/api-keys', undefined],
      ['DELETE', `/api-keys/${key.id}`, undefined],
      [
        'PUT',
        '/users/me/password',
        { current_password: fixture.admin.password, new_password: 'another password' },
      ],
      ['POST', '/oauth/clients', { name: 'x', scopes: ['admin'] }],
      ['POST', '/auth/logout', undefined],
    ] as const) {
      const response = await call(method, path, body === undefined ? {} : { body });
      expect(response.status, `${method} ${path} ${response.text}`).toBe(403);
    }
    const query = 'mutation { createApiKey(input: { name: "more" }) { key } }';
    expect((await call('POST', '/graphql', { body: { query } })).text).toContain('FORBIDDEN');
    expect((await call('POST', '/auth/refresh', { body: {} })).status).toBe(401);
  });

  test('each credential has its own header', async () => {
    const key = (await fixture.apiKey(fixture.member, null))['x-api-key']!;
    const token = memberHeaders['authorization']!.slice('Bearer '.length);
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: key },
      { 'x-api-key': token },
      { 'x-api-key': `${key} `.repeat(2) },
      { authorization: 'Bearer x', 'x-api-key': key },
    ])
      expect(
        (await fixture.as(headers)('GET', '/users/me')).status,
        JSON.stringify(Object.keys(headers)),
      ).toBe(401);
    expect((await fixture.as({ 'x-api-key': key })('GET', '/users/me')).status).toBe(200);
  });

  test('scopes that a user does not have, in a key or a client, give nothing', async () => {
    const key = await fixture.apiKey(fixture.member, [...scopes]);
    const call = fixture.as({ 'x-api-key': key['x-api-key']! });
    for (const [method, path] of [
      ['GET', '/users'],
      ['GET', `/users/${fixture.admin.id}`],
      ['DELETE', `/users/${fixture.other.id}`],
    ] as const)
      expect((await call(method, path)).status).toBe(403);
  });

  test('forged tokens: no algorithm, another one, another key, another audience', async () => {
    const [head = '', body = '', signature = ''] = memberHeaders['authorization']!.slice(
      'Bearer '.length,
    ).split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const jwks = (await (await fetch(`${new URL(fixture.weft.url).origin}/oauth/jwks`)).json()) as {
      keys: { n?: string; x?: string; kid: string }[];
    };
    const hmac = (text: string, key: string): string =>
      createHmac('sha256', key).update(text).digest('base64url');
    const publicKey = JSON.stringify(jwks.keys[0]);
    const asAdmin = encode({ ...claims, sub: fixture.admin.id });
    const forged: string[] = [];
    for (const header of [
      { alg: 'none', typ: 'JWT' },
      { alg: 'None', typ: 'JWT' },
      { alg: 'HS256', typ: 'JWT', kid: '../../dev/null' },
      { alg: 'HS256', typ: 'JWT', kid: "' UNION SELECT 'x" },
      { alg: 'HS256', typ: 'JWT', jku: `${fixture.weft.url}/x`, jwk: { kty: 'oct', k: 'eA' } },
      { alg: 'RS256', typ: 'JWT', kid: jwks.keys[0]?.kid },
      { alg: 'HS256', typ: 'JWT', crit: ['exp'] },
      { alg: 'HS512', typ: 'JWT' },
      { alg: 'dir', enc: 'A128GCM', zip: 'DEF' },
    ])
      for (const key of ['', 'x', publicKey]) {
        const text = `${encode(header)}.${asAdmin}`;
        forged.push(`${text}.`, `${text}.${hmac(text, key)}`, `${text}.${signature}`);
      }
    forged.push(
      `${head}.${asAdmin}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}.${signature}.${signature}`,
      `.${body}.${signature}`,
      `${head}.${body}.${signature}=`,
    );
    for (const token of forged) {
      const response = await fixture.as({ authorization: `Bearer ${token}` })('GET', '/users/me');
      expect(response.status, token).toBe(401);
    }
    const client = await connectSocket(fixture.weft.url);
    expect((await client.auth(forged[0]!)).data).toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

describe('revoked roles', () => {
  test('a demoted administrator: token, key and sockets lose the rights immediately', async () => {
    const second = await createPerson('second@example.com', 'admin');
    const session = fixture.as(await fixture.session(second));
    const key = fixture.as({ 'x-api-key': (await fixture.apiKey(second, ['admin']))['x-api-key']! });
    for (const call of [session, key]) expect((await call('GET', '/users')).status).toBe(200);
    expect((await admin('PUT', `/users/${second.id}`, { body: { role: 'member' } })).status).toBe(200);
    for (const call of [session, key]) {
      expect((await call('GET', '/users')).status).toBe(403);
      expect((await call('PUT', `/users/${second.id}`, { body: { role: 'admin' } })).status).toBe(403);
    }
    const { text } = await session('POST', '/graphql', { body: { query: '{ users { id } }' } });
    expect(text).toMatch(/FORBIDDEN|Cannot query field/);
  });

  test('the last administrator stays, whatever comes at once', async () => {
    const second = await createPerson('third@example.com', 'admin');
    const other = fixture.as(await fixture.session(second));
    const responses = await Promise.all([
      admin('DELETE', `/users/${second.id}`),
      other('DELETE', `/users/${fixture.admin.id}`),
      admin('PUT', `/users/${second.id}`, { body: { role: 'member' } }),
      other('PUT', `/users/${fixture.admin.id}`, { body: { role: 'member' } }),
      admin('PUT', `/users/${fixture.admin.id}`, { body: { role: 'member' } }),
      other('PUT', `/users/${second.id}`, { body: { role: 'member' } }),
    ]);
    for (const { status, text } of responses) expect(status, text).toBeLessThan(500);
    const left: ApiResponse[] = [];
    for (const person of [fixture.admin, second]) {
      const login = await fixture.weft.call('POST', '/auth/login', {
        body: { email: person.email, password: person.password },
      });
      if (login.status !== 200) continue;
      const { token } = login.body as { token: string };
      left.push(await fixture.as({ authorization: `Bearer ${token}` })('GET', '/users?limit=100'));
    }
    const seen = left.filter(({ status }) => status === 200);
    expect(seen.length).toBeGreaterThan(0);
    const { users } = seen[0]!.body as { users: { role: string }[] };
    expect(users.filter(({ role }) => role === 'admin').length).toBeGreaterThan(0);
  });
});

test('guessed ids: well-formed and malformed ids have the same response', async () => {
  const call = fixture.as(await fixture.session(fixture.other));
  const responses = new Set<string>();
  for (const id of [
    'wf_00000000000000000000000000',
    'wf_0',
    'ex_1',
    '1',
    '-1',
    'null',
    'usr_x',
    'WF_1',
    '%00',
    "'",
    '*',
  ])
    responses.add((await call('GET', `/workflows/${encodeURIComponent(id)}`)).text);
  expect([...responses]).toHaveLength(1);
});
