import { expect, test } from 'vitest';
import type { AuditEvent } from '../../contract/audit/audit-event.ts';
import type { Store } from '../../ports/store.ts';
import { T0 } from './samples.ts';

function auditEvent(n: number, more: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: `aud_${String(n).padStart(6, '0')}`,
    at: T0 + n,
    action: 'user.created',
    outcome: 'success',
    actorId: 'usr_admin',
    actorEmail: 'Admin@example.com',
    credential: 'session',
    credentialId: 'ses_1',
    targetId: `usr_${n}`,
    targetName: 'Ada „λ"',
    address: '192.0.2.1',
    userAgent: null,
    details: { fields: ['name'], role: { from: 'member', to: 'admin' } },
    ...more,
  };
}

export function auditSuite(store: () => Store): void {
  const user = (id: string, email = `${id}@example.com`) => ({
    id,
    email,
    name: '',
    passwordHash: 'x',
    role: 'member' as const,
    plan: 'standard' as const,
    createdAt: T0,
  });

  test('an event is written with the change, and only if something changes', async () => {
    const { accounts, audit } = store();
    const created = auditEvent(1);
    expect(await accounts.createUser(user('usr_1'), created)).toBe(true);
    expect(await accounts.createUser(user('usr_2', 'USR_1@example.com'), auditEvent(2))).toBe(false);
    expect(await accounts.updateUser('usr_none', { name: 'x' }, undefined, auditEvent(3))).toBe(false);
    expect(await accounts.removeApiKey('usr_1', 'key_none', auditEvent(4))).toBe(false);
    expect(await audit.list({}, 0, 10)).toEqual({ rows: [created], total: 1 });
  });

  test('an event whose change fails is not written, nor a change whose event fails', async () => {
    const { accounts, audit } = store();
    await accounts.createUser(user('usr_1'), auditEvent(1));
    // The id of the user is taken.
    await expect(accounts.createUser(user('usr_1', 'other@example.com'), auditEvent(2))).rejects.toThrow();
    const broken = { ...auditEvent(3), action: null } as unknown as AuditEvent;
    await expect(accounts.createUser(user('usr_3'), broken)).rejects.toThrow();
    expect(await accounts.userById('usr_3')).toBeNull();
    expect((await audit.list({}, 0, 10)).total).toBe(1);
  });

  test('a repeated event is written once', async () => {
    const { audit } = store();
    await audit.record(auditEvent(1));
    await audit.record(auditEvent(1));
    expect((await audit.list({}, 0, 10)).total).toBe(1);
  });

  test('lists filter, newest first; pages continue after an id, oldest first', async () => {
    const { audit } = store();
    await audit.record(auditEvent(1));
    await audit.record(auditEvent(2, { action: 'workflow.created', targetId: 'wf_1' }));
    await audit.record(auditEvent(3, { action: 'session.created', outcome: 'failure', actorId: null }));
    await audit.record(auditEvent(4, { action: 'workflow.deleted', targetId: 'wf_1', actorId: 'usr_b' }));
    const find = async (filter: Parameters<typeof audit.list>[0]): Promise<number[]> => {
      const { rows, total } = await audit.list(filter, 0, 10);
      expect(total).toBe(rows.length);
      const paged = await audit.page(filter, '', 10);
      expect(paged.toReversed()).toEqual(rows);
      return rows.map(({ at }) => at - T0);
    };
    expect(await find({})).toEqual([4, 3, 2, 1]);
    expect(await find({ targetType: 'workflow' })).toEqual([4, 2]);
    expect(await find({ action: 'workflow.created' })).toEqual([2]);
    expect(await find({ targetId: 'wf_1', actor: 'usr_b' })).toEqual([4]);
    expect(await find({ actor: 'admin@EXAMPLE.com', outcome: 'success' })).toEqual([4, 2, 1]);
    expect(await find({ outcome: 'failure' })).toEqual([3]);
    expect(await find({ from: T0 + 2, to: T0 + 4 })).toEqual([3, 2]);
    expect((await audit.list({}, 1, 2)).rows.map(({ at }) => at - T0)).toEqual([3, 2]);
    expect((await audit.page({}, 'aud_000002', 1)).map(({ at }) => at - T0)).toEqual([3]);
  });

  test('old events are deleted in batches', async () => {
    const { audit } = store();
    for (let i = 1; i <= 5; i++) await audit.record(auditEvent(i));
    expect(await audit.prune(T0 + 4, 2)).toBe(2);
    expect(await audit.prune(T0 + 4, 2)).toBe(1);
    expect(await audit.prune(T0 + 4, 2)).toBe(0);
    expect((await audit.list({}, 0, 10)).rows.map(({ at }) => at - T0)).toEqual([5, 4]);
  });
}
