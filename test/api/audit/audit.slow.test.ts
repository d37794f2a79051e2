import { describe, expect, test } from 'vitest';
import { adminEmail, adminPassword, caller, runWeft, waitUntil, type Call } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { greeting } from '../definitions.ts';

type Event = {
  id: string;
  created_at: string;
  action: string;
  outcome: string;
  actor: Record<string, string | null>;
  target: { type: string; id: string | null; name: string | null };
  details: Record<string, unknown>;
};

const service = useService({ WEFT_TRUST_PROXY: 'loopback' });
const list = async (query: string, call: Call = service.api): Promise<Event[]> => {
  const { status, body, text } = await call('GET', `/audit-events?limit=100&${query}`);
  expect(status, text).toBe(200);
  return (body as { audit_events: Event[] }).audit_events;
};
const created = async (path: string, input: object, call: Call = service.api): Promise<string> => {
  const { status, body, text } = await call('POST', path, { body: input });
  expect(status, text).toBe(201);
  return (body as { id: string }).id;
};
const logIn = async (email: string, password: string, headers: Record<string, string> = {}) => {
  const call = caller(service.weft.url, headers);
  const { status, body } = await call('POST', '/auth/login', { body: { email, password } });
  return { status, token: (body as { token?: string }).token ?? '' };
};

describe('an event', () => {
  test('names who did what from where, and what changed', async () => {
    const headers = { 'user-agent': 'Auditor/1.0 (test)', 'x-forwarded-for': '203.0.113.7' };
    const { token } = await logIn(adminEmail, adminPassword, headers);
    const call = caller(service.weft.url, { ...headers, authorization: `Bearer ${token}` });
    const id = await created('/workflows', { name: 'Orders', definition: greeting }, call);
    await call('PUT', `/workflows/${id}`, { body: { status: 'active' } });
    await call('PUT', `/workflows/${id}`, { body: { name: 'Orders 2', tags: ['shop'] } });
    await call('PUT', `/workflows/${id}`, { body: { name: 'Orders 2' } });
    await call('PUT', `/workflows/${id}`, { body: { name: 'Orders 3', dry_run: true } });
    await call('PUT', `/workflows/${id}`, { body: { name: 'x', version: 1 } });
    await call('POST', `/workflows/${id}/versions/1/restore`);
    await call('PUT', `/workflows/${id}/versions/1`, { body: { name: 'First' } });
    await call('PUT', `/workflows/${id}/versions/9`, { body: { name: 'None' } });
    await call('DELETE', `/workflows/${id}`);

    const events = (await list(`target_id=${id}`)).toReversed();
    expect(events.map(({ action, target, details }) => [action, target.name, details])).toEqual([
      ['workflow.created', 'Orders', { version: 1, status: 'draft' }],
      [
        'workflow.activated',
        'Orders',
        { version: 2, fields: ['status'], status: { from: 'draft', to: 'active' } },
      ],
      ['workflow.updated', 'Orders 2', { version: 3, fields: ['name', 'tags'] }],
      ['workflow.version_restored', 'Orders 2', { version: 4, fields: [] }],
      ['workflow.version_named', 'Orders 2', { version: 1, name: 'First' }],
      ['workflow.deleted', 'Orders 2', { permanent: false }],
    ]);
    const { userId } = await readMe();
    for (const event of events)
      expect(event).toMatchObject({
        outcome: 'success',
        actor: {
          user_id: userId,
          email: adminEmail,
          credential: 'session',
          address: '203.0.113.7',
          user_agent: 'Auditor/1.0 (test)',
        },
      });
    const [login] = await list('action=session.created');
    expect(login).toMatchObject({
      actor: { user_id: userId, credential: 'password', address: '203.0.113.7' },
      target: { type: 'session', id: events[0]!.actor['credential_id'] },
    });
  });

  test('never contains secret values', async () => {
    const values = ['canary-secret-17', 'canary-secret-18', 'canary-password-19', 'canary-field-20'];
    await service.api('PUT', '/secrets/CANARY', { body: { value: values[0], hosts: ['api.example.com'] } });
    await service.api('PUT', '/secrets/CANARY', { body: { value: values[1] } });
    await service.api('PUT', '/secrets/CANARY', { body: { value: values[1], description: 'The same' } });
    await service.api('DELETE', '/secrets/CANARY');
    const user = await created('/users', { email: 'grace@example.com', password: values[2] });
    await service.api('PUT', `/users/${user}`, { body: { password: `${values[2]}!`, role: 'admin' } });
    await service.api('POST', '/connections', {
      body: {
        name: 'CANARY',
        grant_type: 'fields',
        authentication: { type: 'custom', placements: [{ in: 'header', name: 'X-Key', field: 'key' }] },
        fields: { key: values[3] },
        hosts: ['api.example.com'],
      },
    });
    await service.api('PUT', '/connections/CANARY', { body: { fields: { key: `${values[3]}!` } } });
    await service.api('POST', '/api-keys', { body: { name: 'CI', scopes: ['workflows:read'] } });
    await logIn('grace@example.com', 'canary-wrong-password');

    const { text } = await service.api('GET', '/audit-events/export');
    expect(text).not.toMatch(/canary-(secret|password|field|wrong)|weftk_|passwordHash/);
    const find = async (query: string) => (await list(query)).map(({ action, details }) => [action, details]);
    expect(await find('target_id=CANARY&target_type=secret')).toEqual([
      ['secret.deleted', {}],
      ['secret.updated', { fields: ['description'] }],
      ['secret.updated', { fields: ['value'] }],
      ['secret.created', { hosts: ['api.example.com'] }],
    ]);
    expect(await find(`target_id=${user}&target_type=user`)).toEqual([
      ['user.updated', { fields: ['role', 'password'], role: { from: 'member', to: 'admin' } }],
      ['user.created', { role: 'member', plan: 'standard' }],
    ]);
    expect(await find('target_type=api_key')).toEqual([
      ['api_key.created', { scopes: ['workflows:read'], expires_at: null }],
    ]);
  });

  test('of a reset on the command line names the operator', async () => {
    const user = await created('/users', { email: 'lost@example.com', password: 'a long password' });
    const { code } = await runWeft(
      ['user', 'reset-password', 'lost@example.com'],
      { WEFT_DATA_DIR: service.folder.path },
      '',
    );
    expect(code).toBe(0);
    expect((await list(`target_id=${user}`))[0]).toMatchObject({
      action: 'user.password_changed',
      actor: { credential: 'system', user_id: null },
    });
  });
});

describe('reading', () => {
  test('filters, pages and exports', async () => {
    for (let i = 0; i < 5; i++) await created('/workflows', { name: `Page ${i}`, definition: greeting });
    const { body } = await service.api('GET', '/audit-events?action=workflow.created&limit=2&page=2');
    const { audit_events: second, pagination } = body as {
      audit_events: Event[];
      pagination: { total: number };
    };
    expect(second.map(({ target }) => target.name)).toEqual(['Page 2', 'Page 1']);
    expect(pagination.total).toBeGreaterThanOrEqual(5);
    const { created_at: time, id } = second[0]!;
    const later = await list(`from=${time}&action=workflow.created`);
    expect(later.at(-1)!.id).toBe(id);
    expect((await list(`to=${time}&action=workflow.created`))[0]!.target.name).toBe('Page 1');
    expect(await list(`actor=${adminEmail.toUpperCase()}&target_type=workflow`)).toEqual(
      await list(`actor=${(await readMe()).userId}&target_type=workflow`),
    );
    const { text, headers } = await service.api('GET', '/audit-events/export?target_type=workflow');
    expect(headers.get('content-type')).toBe('application/jsonl');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Event);
    expect(lines.toReversed()).toEqual(await list('target_type=workflow'));
  });

  test('needs an administrator, and the scope audit:read', async () => {
    await created('/users', { email: 'member@example.com', password: 'a long password' });
    const { token } = await logIn('member@example.com', 'a long password');
    const member = caller(service.weft.url, { authorization: `Bearer ${token}` });
    for (const path of ['/audit-events', '/audit-events/export'])
      expect((await member('GET', path)).status).toBe(403);
    const key = async (scopes: string[]) => {
      const { body } = await service.api('POST', '/api-keys', { body: { name: 'k', scopes } });
      return caller(service.weft.url, { 'x-api-key': (body as { key: string }).key });
    };
    expect((await (await key(['admin']))('GET', '/audit-events')).status).toBe(403);
    const auditor = await key(['audit:read']);
    expect((await auditor('GET', '/audit-events')).status).toBe(200);
    expect((await auditor('GET', '/users')).status).toBe(403);
    for (const method of ['POST', 'PUT', 'DELETE'])
      expect((await service.api(method, '/audit-events')).status).toBe(404);
  });

  test.each([
    ['action=workflow.exploded', 'action'],
    ['target_type=galaxy', 'target_type'],
    ['outcome=maybe', 'outcome'],
    ['from=yesterday', 'from'],
    ['to=2026-02-30', 'to'],
    ['actor=', 'actor'],
  ])('refuses %s', async (query, field) => {
    for (const path of ['/audit-events', '/audit-events/export']) {
      const { status, body } = await service.api('GET', `${path}?${query}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: { code: 'VALIDATION_ERROR', details: { field } } });
    }
  });
});

describe('refused attempts', () => {
  test('a link that was tampered with is an event', async () => {
    const from = new Date().toISOString();
    const response = await fetch(`${service.weft.url}/decide/dec_1.usr_1.forged`);
    expect(response.status).toBe(404);
    expect(await list(`from=${from}&action=decision.responded&outcome=failure`)).toMatchObject([
      { actor: { credential: 'none', user_id: null } },
    ]);
  });

  test('are events, and many of them are counted', async () => {
    const from = new Date().toISOString();
    const attempts = 60;
    for (let i = 0; i < attempts; i++) {
      const headers = { 'x-forwarded-for': `198.51.100.${i}` };
      expect((await logIn(`attacker-${i}@example.com`, 'wrong', headers)).status).toBe(401);
    }
    const find = () => list(`from=${from}&action=session.created&outcome=failure`);
    const recorded = await find();
    expect(recorded.length).toBeGreaterThan(0);
    expect(recorded.length).toBeLessThanOrEqual(30);
    expect(recorded.at(-1)).toMatchObject({
      actor: { user_id: null, email: 'attacker-0@example.com', credential: 'none', address: '198.51.100.0' },
      target: { id: null },
    });
    const count = (events: Event[]): number =>
      events.reduce((sum, { details }) => sum + Number(details['count'] ?? 1), 0);
    const all = await waitUntil(find, (events) => count(events) >= attempts, 90_000);
    expect(count(all)).toBe(attempts);
    expect(all.filter(({ actor }) => actor['credential'] === 'system')).toHaveLength(1);
  }, 120_000);
});

async function readMe(): Promise<{ userId: string }> {
  const { body } = await service.api('GET', '/users/me');
  return { userId: (body as { id: string }).id };
}
