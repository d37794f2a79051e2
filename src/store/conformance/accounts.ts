import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import type { SessionRow } from '../../ports/store/accounts/sessions.ts';
import { creation, T0, user, workflow } from './samples.ts';

const session = (id: string, userId = 'usr_a'): SessionRow => ({
  id,
  userId,
  tokenId: 't1',
  previousTokenId: null,
  rotatedAt: T0,
  createdAt: T0,
  expiresAt: T0 + 9,
  endedAt: null,
});
const apiKey = (id: string, ownerId = 'usr_a', createdAt = T0) => ({
  id,
  ownerId,
  name: 'n',
  hash: `hash-${id}`,
  prefix: 'weft_',
  scopes: ['workflows:read'],
  expiresAt: null,
  createdAt,
  lastUsedAt: null,
});
const secret = (name: string, ownerId = 'usr_a', createdAt = T0) => ({
  ownerId,
  name,
  value: 'sealed',
  hosts: ['x.org'],
  description: 'd',
  createdAt,
  updatedAt: createdAt,
});

export function peopleSuite(current: () => Store): void {
  let store: Store['accounts'];
  beforeEach(() => {
    store = current().accounts;
  });

  test('users: emails are unique regardless of case', async () => {
    expect(await store.countUsers()).toBe(0);
    const both = await Promise.all([
      store.createUser(user('usr_a', { email: 'Ada@x.org' })),
      store.createUser(user('usr_b', { email: 'ada@X.org' })),
    ]);
    expect(both).toEqual([true, false]);
    expect(await store.userByEmail('ADA@X.ORG')).toEqual(user('usr_a', { email: 'Ada@x.org' }));
    expect(await store.userById('usr_b')).toBeNull();
    await store.createUser(user('usr_c', { createdAt: T0 + 1 }));
    expect(await store.listUsers(0, 1)).toMatchObject({ rows: [{ id: 'usr_c' }], total: 2 });
    expect(await store.updateUser('usr_c', { plan: 'pro', role: 'admin', email: 'C@x.org' })).toBe(true);
    expect(await store.userByEmail('c@x.org')).toMatchObject({ plan: 'pro', role: 'admin', name: 'usr_c' });
    await expect(store.updateUser('usr_c', { email: 'ada@x.org' })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await store.updateUser('usr_none', { name: 'x' })).toBe(false);
  });

  test('sessions: one of two concurrent rotations succeeds; an ended session does not rotate', async () => {
    await store.createSession(session('ses_1'));
    expect(await store.session('ses_1')).toEqual(session('ses_1'));
    const rotate = (from: string, to: string) =>
      store.rotateSession('ses_1', from, { tokenId: to, at: T0 + 1, expiresAt: T0 + 99 });
    expect(await Promise.all([rotate('t1', 't2'), rotate('t1', 't3')])).toEqual([true, false]);
    expect(await store.session('ses_1')).toMatchObject({
      tokenId: 't2',
      previousTokenId: 't1',
      rotatedAt: T0 + 1,
      expiresAt: T0 + 99,
    });
    expect(await store.endSession('ses_1', T0 + 2)).toBe(true);
    expect(await store.endSession('ses_1', T0 + 3)).toBe(false);
    expect(await rotate('t2', 't4')).toBe(false);
    expect((await store.session('ses_1'))?.endedAt).toBe(T0 + 2);
    expect(await store.session('ses_none')).toBeNull();
  });

  test('a new password ends the other sessions', async () => {
    await store.createUser(user('usr_a'));
    for (const id of ['ses_1', 'ses_2']) await store.createSession(session(id));
    await store.createSession(session('ses_b', 'usr_b'));
    const ends = async () =>
      await Promise.all(
        ['ses_1', 'ses_2', 'ses_b'].map(async (id) => (await store.session(id))?.endedAt ?? null),
      );
    await store.updateUser('usr_a', { passwordHash: 'new' }, { at: T0 + 5, exceptSession: 'ses_2' });
    expect(await ends()).toEqual([T0 + 5, null, null]);
    await store.updateUser('usr_a', {}, { at: T0 + 6, exceptSession: null });
    expect(await ends()).toEqual([T0 + 5, T0 + 6, null]);
  });

  test('API keys', async () => {
    await store.createApiKey(apiKey('key_1'));
    await store.createApiKey({ ...apiKey('key_2', 'usr_a', T0 + 1), scopes: null, expiresAt: T0 + 9 });
    expect(await store.apiKeyByHash('hash-key_1')).toEqual(apiKey('key_1'));
    expect(await store.apiKeyByHash('none')).toBeNull();
    expect(await store.apiKey('usr_a', 'key_1')).toEqual(apiKey('key_1'));
    expect(await store.apiKey('usr_b', 'key_1')).toBeNull();
    await store.touchApiKey('key_1', T0 + 3);
    expect((await store.apiKeyByHash('hash-key_1'))?.lastUsedAt).toBe(T0 + 3);
    const page = await store.listApiKeys('usr_a', 0, 9);
    expect([page.rows.map((key) => key.id), page.total]).toEqual([['key_2', 'key_1'], 2]);
    expect(await store.listApiKeys('usr_b', 0, 9)).toEqual({ rows: [], total: 0 });
    expect(await store.removeApiKey('usr_b', 'key_1')).toBe(false);
    expect(await store.removeApiKey('usr_a', 'key_1')).toBe(true);
    expect(await store.apiKeyByHash('hash-key_1')).toBeNull();
  });

  test('secrets: replaced in place, listed without values', async () => {
    expect(await store.putSecret(secret('K'))).toEqual({ created: true });
    const replaced = { ...secret('K', 'usr_a', T0 + 5), value: 'new', hosts: null };
    expect(await store.putSecret(replaced)).toEqual({ created: false });
    expect(await store.secret('usr_a', 'K')).toEqual({ ...replaced, createdAt: T0 });
    expect(await store.secret('usr_b', 'K')).toBeNull();
    await store.putSecret(secret('L', 'usr_a', T0 + 1));
    await store.putSecret(secret('K', 'usr_b'));
    const { rows, total } = await store.listSecrets('usr_a', 0, 9);
    expect([rows.map((row) => row.name), total]).toEqual([['L', 'K'], 2]);
    expect(rows[0]).not.toHaveProperty('value');
    expect((await store.sampleSecrets(2)).map(({ ownerId, name, value }) => [ownerId, name, value])).toEqual([
      ['usr_a', 'K', 'new'],
      ['usr_a', 'L', secret('L').value],
    ]);
    expect(await store.removeSecret('usr_a', 'K', T0)).toBe(true);
    expect(await store.removeSecret('usr_a', 'K', T0)).toBe(false);
    expect(await store.secret('usr_b', 'K')).not.toBeNull();
  });

  test('former values of secrets are kept: the newest 500, for 366 days', async () => {
    const values = async (ownerId = 'usr_a'): Promise<string[]> =>
      (await store.formerSecrets(ownerId)).map(({ name, value }) => `${name} ${value}`);
    const put = (value: string, at: number, name = 'K'): Promise<unknown> =>
      store.putSecret({ ...secret(name, 'usr_a', at), value });
    await put('one', T0);
    await put('one', T0 + 1);
    expect(await values()).toEqual([]);
    await put('two', T0 + 2);
    await store.removeSecret('usr_a', 'K', T0 + 3);
    await store.removeSecret('usr_a', 'K', T0 + 4);
    await put('three', T0 + 5);
    await store.putSecret(secret('K', 'usr_b'));
    await store.removeSecret('usr_b', 'K', T0 + 6);
    expect(await values()).toEqual(['K two', 'K one']);
    const year = 366 * 86_400_000;
    await current().maintenance.prune(T0 + 2 + year, 10);
    expect(await values()).toEqual(['K two']);
    for (let i = 0; i < 501; i++) await put(`next ${i}`, T0 + 7);
    const kept = await values();
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([500, 'K next 499', 'K next 0']);
    expect(await values('usr_b')).toHaveLength(1);
    await store.createUser(user('usr_a'));
    await store.removeUser('usr_a');
    expect([await values(), (await values('usr_b')).length]).toEqual([[], 1]);
  });

  test('a deleted user leaves no rows', async () => {
    for (const id of ['usr_a', 'usr_b']) {
      await store.createUser(user(id));
      await store.createSession(session(`ses_${id}`, id));
      await store.createApiKey(apiKey(`key_${id}`, id));
      await store.putSecret(secret('K', id));
      await current().workflows.save(workflow(`wf_${id}`, { row: { ownerId: id } }));
      const create = { ownerId: id, workflowId: `wf_${id}` };
      await current().executions.commit([creation(`ex_${id}`, { create })]);
    }
    expect(await store.removeUser('usr_a')).toBe(true);
    expect(await store.removeUser('usr_a')).toBe(false);
    expect(await store.session('ses_usr_a')).toBeNull();
    expect(await store.apiKeyByHash('hash-key_usr_a')).toBeNull();
    expect(await store.secret('usr_a', 'K')).toBeNull();
    expect(await current().workflows.get('usr_a', 'wf_usr_a')).toBeNull();
    expect(await current().executions.get('usr_a', 'ex_usr_a')).toBeNull();
    expect((await current().executions.list('usr_a', {}, 0, 9)).total).toBe(0);
    expect(await store.userById('usr_b')).not.toBeNull();
    expect(await current().executions.get('usr_b', 'ex_usr_b')).not.toBeNull();
    expect(await store.secret('usr_b', 'K')).not.toBeNull();
  });
}
