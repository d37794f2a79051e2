import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { AuthorizationRow, ConnectionRow, ConnectionState } from '../../ports/store/connections.ts';
import { HOUR_MS, T0, user, type StoreUnderTest } from './samples.ts';

const MAX_CONNECTIONS = 5;
const pending: ConnectionState = {
  status: 'pending',
  error: null,
  grantedScopes: null,
  refreshable: false,
  expiresAt: null,
  authorizedAt: null,
  refreshedAt: null,
};
const connected: ConnectionState = { ...pending, status: 'connected', refreshable: true };
const connection = (name: string, fields: Partial<ConnectionRow> = {}): ConnectionRow => ({
  ownerId: 'usr_a',
  name,
  description: `About ${name}`,
  settings: {
    provider: null,
    providerFields: {},
    grantType: 'authorization_code',
    authorizationUrl: 'https://p.example/authorize',
    tokenUrl: 'https://p.example/token',
    clientId: 'app',
    scopes: ['a', 'b'],
    clientAuthentication: null,
    pkce: true,
    authorizationParams: { audience: 'x' },
    baseUrl: null,
    testUrl: null,
    testMethod: 'GET',
    testStatus: null,
    hosts: ['api.p.example'],
    authentication: null,
  },
  clientSecret: 'sealed-secret',
  fields: null,
  state: pending,
  createdAt: T0,
  updatedAt: T0,
  ...fields,
});
const at = { ownerId: 'usr_a', slot: 'connection:C' };
const given = (sealed: string, storedAt = T0 + 1) => ({ sealed, expiresAt: T0 + HOUR_MS, storedAt });
const lease = (worker: string, now = T0, ms = 1000) => ({ worker, now, until: now + ms });

export function connectionsSuite(current: () => StoreUnderTest): void {
  let store: Store['connections'];
  beforeEach(() => {
    store = current().store.connections;
  });

  test('are created once, listed by time, changed and deleted; hidden from other owners', async () => {
    expect(await store.create(connection('C'), MAX_CONNECTIONS)).toBe('created');
    expect(await store.create(connection('C'), MAX_CONNECTIONS)).toBe('exists');
    expect(await store.create(connection('C', { ownerId: 'usr_b' }), MAX_CONNECTIONS)).toBe('created');
    await store.create(connection('D', { createdAt: T0 + 1 }), MAX_CONNECTIONS);
    expect(await store.get('usr_a', 'C')).toEqual(connection('C'));
    expect(await store.get('usr_c', 'C')).toBeNull();
    expect((await store.list('usr_a', 0, 9)).rows.map(({ name }) => name)).toEqual(['D', 'C']);
    expect(await store.list('usr_a', 1, 1)).toEqual({ rows: [connection('C')], total: 2 });
    const changed = connection('C', { description: 'other', clientSecret: null, updatedAt: T0 + 9 });
    expect(await store.update({ ...changed, state: connected }, false)).toBe(true);
    expect(await store.get('usr_a', 'C')).toEqual(changed);
    expect(await store.update(connection('NONE'), true)).toBe(false);
    await store.noteError('usr_a', 'C', 'said no');
    expect((await store.get('usr_a', 'C'))?.state).toEqual({ ...pending, error: 'said no' });
    await store.putTokens(at, null, given('x'), connected);
    await store.noteError('usr_a', 'C', 'said no');
    expect((await store.get('usr_a', 'C'))?.state).toEqual(connected);
    expect([await store.remove('usr_a', 'C', T0), await store.remove('usr_a', 'C', T0)]).toEqual([
      true,
      false,
    ]);
    expect(await store.tokens(at)).toBeNull();
    expect(await store.get('usr_b', 'C')).not.toBeNull();
  });

  test('the limit per owner holds for concurrent creations', async () => {
    const results = await Promise.all(
      Array.from({ length: MAX_CONNECTIONS + 3 }, (_, i) =>
        store.create(connection(`C${i}`), MAX_CONNECTIONS),
      ),
    );
    expect(results.filter((result) => result === 'created').length).toBe(MAX_CONNECTIONS);
  });

  test('one of many gets the lease, and only it may store; a change invalidates the lease', async () => {
    await store.create(connection('C'), MAX_CONNECTIONS);
    const leases = await Promise.all(
      ['w1', 'w2', 'w3'].map((worker) => store.lease(at, 0, lease(worker), 10)),
    );
    expect(leases).toEqual([
      { kind: 'leased', uncertainSince: null },
      { kind: 'busy', until: T0 + 1000 },
      { kind: 'busy', until: T0 + 1000 },
    ]);
    expect(await store.putTokens(at, { revision: 0, worker: 'w2' }, given('x'), connected)).toBe(false);
    expect(await store.putTokens(at, { revision: 0, worker: 'w1' }, given('one'), connected)).toBe(true);
    expect(await store.tokens(at)).toEqual({ ...at, ...given('one'), revision: 1, uncertainSince: null });
    expect((await store.get('usr_a', 'C'))?.state).toEqual(connected);
    expect(await store.lease(at, 0, lease('w2'), 10)).toEqual({ kind: 'stale' });
    expect((await store.lease(at, 1, lease('w2'), 10)).kind).toBe('leased');
    // A user has authorized it again meanwhile.
    expect(await store.putTokens(at, null, given('two'), connected)).toBe(true);
    expect(await store.putTokens(at, { revision: 1, worker: 'w2' }, given('late'), connected)).toBe(false);
    expect((await store.tokens(at))?.sealed).toBe('two');
    // A change of the settings deletes them.
    expect((await store.lease(at, 2, lease('w2'), 10)).kind).toBe('leased');
    expect(await store.update(connection('C'), true)).toBe(true);
    expect(await store.putTokens(at, { revision: 2, worker: 'w2' }, given('late'), connected)).toBe(false);
    expect(await store.tokens(at)).toMatchObject({ sealed: null, expiresAt: null, revision: 3 });
    expect((await store.get('usr_a', 'C'))?.state).toEqual(pending);
  });

  test('the next lease reports an earlier one that was not released', async () => {
    await store.create(connection('C'), MAX_CONNECTIONS);
    await store.lease(at, 0, lease('w1'), 10);
    expect((await store.lease(at, 0, lease('w2', T0 + 999), 10)).kind).toBe('busy');
    expect(await store.lease(at, 0, lease('w2', T0 + 1000), 10)).toEqual({
      kind: 'leased',
      uncertainSince: T0,
    });
    expect(await store.putTokens(at, { revision: 0, worker: 'w1' }, given('late'), connected)).toBe(false);
    expect(await store.releaseLease(at, 'w1', true, null)).toBe(false);
    expect(await store.releaseLease(at, 'w2', false, { ...pending, error: 'no response' })).toBe(true);
    expect((await store.get('usr_a', 'C'))?.state.error).toBe('no response');
    expect(await store.lease(at, 0, lease('w3', T0 + 1001), 10)).toEqual({
      kind: 'leased',
      uncertainSince: T0,
    });
    expect(await store.releaseLease(at, 'w3', true, null)).toBe(true);
    expect(await store.lease(at, 0, lease('w4', T0 + 1002, 9_000), 10)).toEqual({
      kind: 'leased',
      uncertainSince: null,
    });
  });

  test('tokens of a configuration have their own slot; the most recently used are kept', async () => {
    const slot = (n: number) => ({ ownerId: 'usr_a', slot: `request:${n}` });
    await store.create(connection('C'), MAX_CONNECTIONS);
    expect(await store.lease(slot(9), 1, lease('w'), 2)).toEqual({ kind: 'stale' });
    for (const n of [1, 2, 3]) {
      expect((await store.lease(slot(n), 0, lease('w', T0 + n), 2)).kind).toBe('leased');
      expect(await store.putTokens(slot(n), { revision: 0, worker: 'w' }, given(`t${n}`, T0 + n), null)).toBe(
        true,
      );
    }
    expect(await store.tokens(slot(1))).toBeNull();
    expect((await store.tokens(slot(3)))?.sealed).toBe('t3');
    expect(await store.sealed('usr_a')).toEqual({
      clientSecrets: [{ name: 'C', sealed: 'sealed-secret' }],
      fields: [],
      tokens: expect.arrayContaining([
        { slot: 'request:2', sealed: 't2' },
        { slot: 'request:3', sealed: 't3' },
      ]),
    });
    expect(await store.tokens(at)).not.toBeNull();
    expect(await store.lease({ ownerId: 'usr_a', slot: 'connection:GONE' }, 0, lease('w'), 2)).toEqual({
      kind: 'stale',
    });
  });

  test('a pending authorization is used once, before it expires', async () => {
    await store.create(connection('C'), MAX_CONNECTIONS);
    const way = (id: string, fields: Partial<AuthorizationRow> = {}): AuthorizationRow => ({
      id,
      ownerId: 'usr_a',
      name: 'C',
      sealed: 's',
      createdAt: T0,
      expiresAt: T0 + 600,
      ...fields,
    });
    await store.beginAuthorization(way('h1'), 2);
    const taken = await Promise.all([
      store.takeAuthorization('h1', T0 + 1),
      store.takeAuthorization('h1', T0 + 1),
    ]);
    expect(taken).toEqual([way('h1'), null]);
    await store.beginAuthorization(way('h2'), 2);
    expect(await store.takeAuthorization('h2', T0 + 600)).toBeNull();
    for (const n of [3, 4, 5]) await store.beginAuthorization(way(`h${n}`, { createdAt: T0 + n }), 2);
    expect(await store.takeAuthorization('h3', T0 + 9)).toBeNull();
    await store.update(connection('C'), true);
    expect(await store.takeAuthorization('h4', T0 + 9)).toBeNull();
  });

  test('keep fields; replaced and deleted ones become former secrets, and a state is written unless the settings changed', async () => {
    const { accounts } = current().store;
    const authentication = { type: 'basic', name: null, prefix: null, placements: null } as const;
    const row = connection('C', {
      settings: { ...connection('C').settings, grantType: 'fields', authentication },
      clientSecret: null,
      fields: { username: 'sealed-u', password: 'sealed-p' },
    });
    const { settings } = row;
    await store.create(row, MAX_CONNECTIONS);
    await store.create(connection('D'), MAX_CONNECTIONS);
    expect(await store.get('usr_a', 'C')).toEqual(row);
    expect((await store.sealed('usr_a')).fields).toEqual([{ name: 'C', settings, fields: row.fields }]);
    const next = { ...row, fields: { username: 'sealed-u', password: 'sealed-q' }, updatedAt: T0 + 1 };
    expect(await store.update({ ...next, state: connected }, true)).toBe(true);
    expect(await store.get('usr_a', 'C')).toEqual({ ...next, state: connected });
    const former = [{ name: 'connection:C#field.password', value: 'sealed-p' }];
    expect(await accounts.formerSecrets('usr_a')).toEqual(former);
    await store.setState('usr_a', 'C', T0, pending);
    expect((await store.get('usr_a', 'C'))?.state).toEqual(connected);
    await store.setState('usr_a', 'C', T0 + 1, pending);
    expect((await store.get('usr_a', 'C'))?.state).toEqual(pending);
    await store.remove('usr_a', 'C', T0 + 2);
    expect(await accounts.formerSecrets('usr_a')).toEqual(
      expect.arrayContaining([
        ...former,
        { name: 'connection:C#field.username', value: 'sealed-u' },
        { name: 'connection:C#field.password', value: 'sealed-q' },
      ]),
    );
    expect((await store.sealed('usr_a')).fields).toEqual([]);
  });

  test('are deleted with their owner', async () => {
    const { store: whole } = current();
    await whole.accounts.createUser(user('usr_a'));
    await store.create(connection('C'), MAX_CONNECTIONS);
    await whole.accounts.removeUser('usr_a');
    expect(await store.get('usr_a', 'C')).toBeNull();
    expect(await store.tokens(at)).toBeNull();
  });
}
