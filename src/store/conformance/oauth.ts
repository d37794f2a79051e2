import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { OAuthClientRow, OAuthRecordRow } from '../../ports/store/accounts/oauth.ts';
import { T0, user } from './samples.ts';

const DAY_MS = 86_400_000;

const client = (id: string, fields: Partial<OAuthClientRow> = {}): OAuthClientRow => ({
  id,
  ownerId: 'usr_a',
  name: 'n',
  secretHash: 'hash',
  metadata: { redirect_uris: ['https://x.org/cb'], grant_types: [] },
  createdAt: T0,
  lastUsedAt: null,
  ...fields,
});
const record = (model: string, id: string, fields: Partial<OAuthRecordRow> = {}): OAuthRecordRow => ({
  model,
  id,
  bucket: 'b',
  payload: 'sealed',
  grantId: null,
  uid: null,
  clientId: 'cli_1',
  accountId: 'usr_a',
  scope: 'admin',
  createdAt: T0,
  expiresAt: T0 + 100,
  consumedAt: null,
  ...fields,
});

export function oauthSuite(current: () => Store): void {
  let store: Store['oauth'];
  beforeEach(() => {
    store = current().oauth;
  });

  test('clients: belong to one owner, and are deleted with all their records', async () => {
    expect(await store.createClient(client('cli_1'))).toBe(true);
    await store.createClient(client('cli_2', { createdAt: T0 + 1, secretHash: null }));
    await store.createClient(client('cli_open', { ownerId: null }));
    expect(await store.client('cli_1')).toEqual(client('cli_1'));
    expect(await store.client('none')).toBeNull();
    const page = await store.listClients('usr_a', 0, 9);
    expect([page.rows.map((row) => row.id), page.total]).toEqual([['cli_2', 'cli_1'], 2]);
    await store.touchClient('cli_1', T0 + 5);
    expect(await store.client('cli_1')).toMatchObject({ lastUsedAt: T0 + 5 });

    await store.putRecord(record('ClientCredentials', 'token'), 9);
    expect(await store.removeClient('usr_b', 'cli_1')).toBe(false);
    expect(await store.token('token', T0)).not.toBeNull();
    expect(await store.removeClient('usr_a', 'cli_1')).toBe(true);
    expect(await store.removeClient('usr_a', 'cli_1')).toBe(false);
    expect(await store.record('ClientCredentials', 'token')).toBeNull();
  });

  test('a client without a row is known only if its id is the URL of a document', async () => {
    const url = 'https://app.example.com/client.json';
    for (const [id, clientId] of [
      ['document', url],
      ['gone', 'cli_gone'],
    ] as const) {
      const of = { clientId, grantId: `g-${id}`, expiresAt: T0 + 100 };
      await store.putRecord(record('Grant', `g-${id}`, { clientId, bucket: 'usr_a' }), 9);
      await store.putRecord(record('AccessToken', `t-${id}`, of), 9);
    }
    expect(await store.token('t-document', T0)).toMatchObject({ clientId: url, userId: 'usr_a' });
    expect(await store.token('t-gone', T0)).toBeNull();
    const { rows, total } = await store.listGrants('usr_a', T0, 0, 9);
    expect([rows.map(({ clientId, clientName }) => [clientId, clientName]), total]).toEqual([[[url, '']], 1]);
  });

  test('records: a new value replaces the old one, but a consumed record stays consumed', async () => {
    const first = record('Session', 'h1', { uid: 'u1' });
    await store.putRecord(first, 9);
    expect(await store.record('Session', 'h1')).toEqual(first);
    expect(await store.record('Grant', 'h1')).toBeNull();
    expect(await store.recordByUid('Session', 'u1')).toEqual(first);
    expect(await store.recordByUid('Grant', 'u1')).toBeNull();
    expect(await store.consumeRecord('Session', 'h1', T0 + 1)).toEqual({ isFirstUse: true, grantId: null });
    await store.putRecord({ ...first, payload: 'other', expiresAt: T0 + 200 }, 9);
    expect(await store.record('Session', 'h1')).toEqual({
      ...first,
      payload: 'other',
      expiresAt: T0 + 200,
      consumedAt: T0 + 1,
    });
    await store.removeRecord('Session', 'h1');
    expect(await store.record('Session', 'h1')).toBeNull();
    expect(await store.consumeRecord('Session', 'h1', T0)).toEqual({ isFirstUse: false, grantId: null });
  });

  test('the newest records of a bucket are kept', async () => {
    for (let i = 0; i < 5; i++)
      await store.putRecord(record('Interaction', `h${i}`, { createdAt: T0 + i }), 3);
    await store.putRecord(record('Interaction', 'other', { bucket: 'c', createdAt: T0 - 9 }), 3);
    await store.putRecord(record('Session', 'other', { createdAt: T0 - 9 }), 3);
    const there = async (model: string, id: string) => (await store.record(model, id)) !== null;
    const ids = ['h0', 'h1', 'h2', 'h3', 'h4', 'other'];
    expect(await Promise.all(ids.map((id) => there('Interaction', id)))).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(await there('Session', 'other')).toBe(true);
  });

  test('one of many concurrent calls consumes a record; then all records of its grant are deleted', async () => {
    await store.createClient(client('cli_1'));
    const grant = { grantId: 'g1' };
    await store.putRecord(record('Grant', 'g1'), 9);
    await store.putRecord(record('AuthorizationCode', 'code', grant), 9);
    await store.putRecord(record('AccessToken', 'token', grant), 9);
    await store.putRecord(record('AccessToken', 'of another', { grantId: 'g2' }), 9);
    expect(await store.token('token', T0)).toMatchObject({ userId: 'usr_a', clientId: 'cli_1' });
    const won = await Promise.all(
      Array.from({ length: 20 }, () => store.consumeRecord('AuthorizationCode', 'code', T0)),
    );
    expect(won.filter((one) => one.isFirstUse)).toHaveLength(1);
    expect(won[1]).toEqual({ isFirstUse: false, grantId: 'g1' });
    expect(await store.token('token', T0)).toBeNull();
    expect(await store.record('Grant', 'g1')).toBeNull();
    expect(await store.record('AccessToken', 'of another')).not.toBeNull();
    // A record that the successful call stores afterwards is invalid without its grant.
    await store.putRecord(record('AccessToken', 'late', grant), 9);
    expect(await store.token('late', T0)).toBeNull();
    await store.removeRecordsOfGrant('AccessToken', 'g1');
    expect(await store.record('AccessToken', 'late')).toBeNull();
  });

  test('an access token acts as a user while its client and grant exist', async () => {
    await store.createClient(client('cli_1', { ownerId: 'usr_o' }));
    await store.putRecord(record('ClientCredentials', 'own', { accountId: null }), 9);
    expect(await store.token('own', T0)).toEqual({
      model: 'ClientCredentials',
      id: 'own',
      payload: record('ClientCredentials', 'own').payload,
      clientId: 'cli_1',
      grantId: null,
      userId: 'usr_o',
      scope: 'admin',
      expiresAt: T0 + 100,
    });
    await store.putRecord(record('Grant', 'g1'), 9);
    await store.putRecord(record('AccessToken', 'given', { grantId: 'g1' }), 9);
    expect(await store.token('given', T0 + 99)).toMatchObject({ userId: 'usr_a' });
    expect(await store.token('given', T0 + 100)).toBeNull();
    await store.putRecord(record('RefreshToken', 'refresh', { grantId: 'g1' }), 9);
    expect(await store.token('refresh', T0)).toBeNull();
    await store.putRecord(record('ClientCredentials', 'orphan', { clientId: 'cli_none' }), 9);
    expect(await store.token('orphan', T0)).toBeNull();
  });

  test('lists the grants of an account that have a valid token', async () => {
    await store.createClient(client('cli_1', { ownerId: null }));
    const grant = { bucket: 'usr_a', clientId: 'cli_1' };
    for (const [i, id] of ['g1', 'g2', 'g3'].entries()) {
      const fields = { ...grant, createdAt: T0 + i, expiresAt: T0 + 900 };
      await store.putRecord(record('Grant', id, fields), 9);
      await store.putRecord(record('RefreshToken', `r ${id}`, { grantId: id }), 9);
    }
    await store.putRecord(record('Grant', 'none', grant), 9);
    await store.consumeRecord('RefreshToken', 'r g2', T0);
    await store.putRecord(record('Grant', 'other', { ...grant, bucket: 'usr_b', accountId: 'usr_b' }), 9);
    const page = await store.listGrants('usr_a', T0, 0, 9);
    expect([page.rows.map((row) => row.id), page.total]).toEqual([['g3', 'g1'], 2]);
    expect(page.rows[1]).toEqual({
      id: 'g1',
      clientId: 'cli_1',
      clientName: 'n',
      clientOwnerId: null,
      scope: 'admin',
      createdAt: T0,
      expiresAt: T0 + 900,
    });
    expect((await store.listGrants('usr_a', T0, 1, 9)).rows.map((row) => row.id)).toEqual(['g1']);
    expect(await store.listGrants('usr_a', T0 + 100, 0, 9)).toEqual({ rows: [], total: 0 });
    expect(await store.removeGrant('usr_b', 'g1')).toBe(false);
    expect(await store.removeGrant('usr_a', 'g1')).toBe(true);
    expect(await store.removeGrant('usr_a', 'g1')).toBe(false);
    expect(await store.record('RefreshToken', 'r g1')).toBeNull();
  });

  test('self-registered clients are limited; unused ones are replaced', async () => {
    const open = { ownerId: null, metadata: {} };
    const most = 100;
    const made = await Promise.all(
      Array.from({ length: most }, (_, i) => store.createClient(client(`cli_${i}`, open), most)),
    );
    expect(made.every(Boolean)).toBe(true);
    expect(await store.createClient(client('cli_more', { ...open, createdAt: T0 + 1 }), most)).toBe(false);
    expect(await store.createClient(client('cli_owned'), most)).toBe(true);
    expect(await store.createClient(client('cli_later', { ...open, createdAt: T0 + 600_000 }), most)).toBe(
      true,
    );
    expect(await store.client('cli_0')).toBeNull();
    expect(await store.client('cli_later')).not.toBeNull();
  });

  test('deleting a user deletes clients, grants and tokens; a new password ends the logins', async () => {
    const { accounts } = current();
    await accounts.createUser(user('usr_a'));
    await accounts.createUser(user('usr_b'));
    await store.createClient(client('cli_1'));
    await store.putRecord(record('Session', 's'), 9);
    await store.putRecord(record('Grant', 'g'), 9);
    await store.putRecord(record('AccessToken', 'of b', { accountId: 'usr_b' }), 9);
    await store.putRecord(record('Grant', 'g of b', { accountId: 'usr_b', clientId: 'cli_b' }), 9);
    await accounts.updateUser('usr_a', { name: 'x' });
    expect(await store.record('Session', 's')).not.toBeNull();
    await accounts.updateUser('usr_a', { passwordHash: 'new' }, { at: T0, exceptSession: null });
    expect(await store.record('Session', 's')).toBeNull();
    expect(await store.record('Grant', 'g')).not.toBeNull();
    await accounts.removeUser('usr_a');
    expect(await store.client('cli_1')).toBeNull();
    expect(await store.record('Grant', 'g')).toBeNull();
    expect(await store.record('AccessToken', 'of b')).toBeNull();
    expect(await store.record('Grant', 'g of b')).not.toBeNull();
  });

  test('expired records and unused self-registered clients are deleted', async () => {
    const open = { ownerId: null };
    await store.createClient(client('cli_never', open));
    await store.createClient(client('cli_once', { ...open, lastUsedAt: T0 }));
    await store.createClient(client('cli_owned'));
    await store.putRecord(record('AccessToken', 'over'), 9);
    await store.putRecord(record('AccessToken', 'valid', { expiresAt: T0 + 91 * DAY_MS }), 9);
    const left = async () =>
      await Promise.all(
        ['cli_never', 'cli_once', 'cli_owned'].map(async (id) => (await store.client(id)) !== null),
      );
    await current().maintenance.prune(T0 + 100, 9);
    expect(await store.record('AccessToken', 'over')).toBeNull();
    expect(await store.record('AccessToken', 'valid')).not.toBeNull();
    expect(await left()).toEqual([true, true, true]);
    await current().maintenance.prune(T0 + DAY_MS, 9);
    expect(await left()).toEqual([false, true, true]);
    await current().maintenance.prune(T0 + 90 * DAY_MS, 9);
    expect(await left()).toEqual([false, false, true]);
  });
}
