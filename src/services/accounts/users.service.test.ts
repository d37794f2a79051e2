import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPasswords } from '../../auth/passwords.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Store } from '../../ports/store.ts';
import { openSqliteStore } from '../../store/sqlite/open-store.ts';
import { createPrincipalCache } from '../../auth/principal-cache.ts';
import { createEventDescriber } from '../audit/audit-log.ts';
import { createUsersService, ensureFirstAdmin, resetPassword } from './users.service.ts';

const passwords = createPasswords();
const now = (): number => 1_000;
let count = 0;
const ids: Ids = { next: (kind) => `${kind}_${count++}` };
const audit = { describe: createEventDescriber({ ids, now }) };
let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'weft-users-'));
  store = await openSqliteStore({ dataDir, now });
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

test('the first start makes an administrator with the password that was set, later ones change nothing', async () => {
  const { accounts } = store;
  const given = { email: 'root@example.com', password: 'a long password' };
  expect(await ensureFirstAdmin({ accounts: accounts, passwords, audit, ids, now }, given)).toEqual({
    ...given,
    isGenerated: false,
  });
  const user = await accounts.userByEmail('root@example.com');
  expect(user).toMatchObject({ role: 'admin', plan: 'enterprise' });
  expect(await passwords.verify(user!.passwordHash, given.password)).toBe(true);
  expect(
    await ensureFirstAdmin(
      { accounts: accounts, passwords, audit, ids, now },
      { ...given, email: 'other@example.com' },
    ),
  ).toBeNull();
  expect(await accounts.countUsers()).toBe(1);
});

test('with nothing set: admin@localhost with a random password', async () => {
  const { accounts } = store;
  const made = await ensureFirstAdmin({ accounts: accounts, passwords, audit, ids, now }, null);
  expect(made).toEqual({
    email: 'admin@localhost',
    password: expect.stringMatching(/^[\w-]{20}$/),
    isGenerated: true,
  });
  const user = await accounts.userByEmail('admin@localhost');
  expect(await passwords.verify(user!.passwordHash, made!.password)).toBe(true);
});

test('a reset creates a new password and ends all sessions', async () => {
  const { accounts } = store;
  await ensureFirstAdmin({ accounts: accounts, passwords, audit, ids, now }, null);
  const { id } = (await accounts.userByEmail('admin@localhost'))!;
  const session = {
    id: 's',
    userId: id,
    tokenId: 't',
    previousTokenId: null,
    rotatedAt: 1,
    createdAt: 1,
    expiresAt: 9e12,
    endedAt: null,
  };
  await accounts.createSession(session);
  const reset = await resetPassword({ accounts: accounts, passwords, audit, now }, 'ADMIN@localhost');
  expect(reset).toEqual({ email: 'admin@localhost', password: expect.stringMatching(/^[\w-]{20}$/) });
  expect(await passwords.verify((await accounts.userById(id))!.passwordHash, reset.password)).toBe(true);
  expect((await accounts.session('s'))!.endedAt).toBe(1_000);
  expect(
    (await resetPassword({ accounts: accounts, passwords, audit, now }, 'admin@localhost', 'chosen by me'))
      .password,
  ).toBe('chosen by me');
  await expect(
    resetPassword({ accounts: accounts, passwords, audit, now }, 'admin@localhost', 'short'),
  ).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { field: 'password', issue: 'must have at least 8 characters' },
  });
  await expect(
    resetPassword({ accounts: accounts, passwords, audit, now }, 'who@localhost'),
  ).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('what a request stores that was under way when its user was deleted goes, too', async () => {
  const { accounts } = store;
  const later: (() => Promise<void>)[] = [];
  const cache = createPrincipalCache();
  const users = createUsersService({
    accounts: accounts,
    passwords,
    cache,
    audit,
    ids,
    now,
    beforeRemove: async () => {},
    afterRequests: (run) => void later.push(run),
  });
  await ensureFirstAdmin({ accounts: accounts, passwords, audit, ids, now }, null);
  const admin = (await accounts.userByEmail('admin@localhost'))!;
  const principal = { ...admin, userId: admin.id, scopes: null, via: 'session', sessionId: 's' } as const;
  const { id } = await users.create(principal, { email: 'leaver@example.com', password: 'a long password' });
  await users.remove(principal, id);
  const at = { createdAt: 1, updatedAt: 1 };
  await accounts.putSecret({ ownerId: id, name: 'LATE', value: 'x', hosts: null, description: '', ...at });
  await accounts.putSecret({
    ownerId: admin.id,
    name: 'KEPT',
    value: 'x',
    hosts: null,
    description: '',
    ...at,
  });
  expect((await accounts.listSecrets(id, 0, 10)).total).toBe(1);
  for (const run of later) await run();
  expect((await accounts.listSecrets(id, 0, 10)).total).toBe(0);
  expect((await accounts.listSecrets(admin.id, 0, 10)).total).toBe(1);
  await expect(users.remove(principal, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
