import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { creation, HOUR_MS, route, schedule, T0, user, workflow } from './samples.ts';

const none = { webhooks: [], schedules: [], completionTriggers: [], pollingTriggers: [] };
const deletion = { deletedAt: T0 + 1, deletedBy: 'usr_a', purgeAt: T0 + HOUR_MS };

export function deletedWorkflowsSuite(current: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = current();
  });
  const markDeleted = (id: string, fields: Partial<typeof deletion> = {}) =>
    store.workflows.markDeleted('usr_a', id, { ...deletion, ...fields });
  const listDeleted = async (owner = 'usr_a') =>
    (await store.workflows.listDeleted(owner, 0, 9)).rows.map((row) => row.id);

  test('a deleted workflow is hidden with its triggers and executions, and restored without them', async () => {
    const event = {
      workflowId: 'wf_1',
      nodeId: null,
      ownerId: 'usr_a',
      kind: 'error' as const,
      on: 'failed' as const,
      source: 'wf_1',
      target: 'wf_2',
    };
    const live = {
      webhooks: [route('wf_1', 'orders')],
      schedules: [schedule('wf_1', 'a', 10)],
      completionTriggers: [event],
      pollingTriggers: [],
    };
    const row = { tags: ['t'], settings: { timeout: '5m' }, description: 'd' };
    await store.workflows.save(workflow('wf_1', { live, row }));
    const pinned = { nodeId: 'a', output: { n: 1 }, ports: ['x'], pinnedAt: T0 };
    await store.pinnedOutputs.put('usr_a', 'wf_1', pinned);
    await store.executions.commit(
      Array.from({ length: 250 }, (_, i) => creation(`ex_${i}`, { create: { workflowId: 'wf_1' } })),
    );
    expect(await store.workflows.markDeleted('usr_b', 'wf_1', deletion)).toBe(false);
    expect(await markDeleted('wf_1')).toBe(true);
    expect(await markDeleted('wf_1')).toBe(false);

    expect(await store.workflows.get('usr_a', 'wf_1')).toBeNull();
    expect(await store.workflows.version('usr_a', 'wf_1', 1)).toBeNull();
    expect(await store.workflows.getMany('usr_a', ['wf_1'])).toEqual([]);
    expect((await store.workflows.list('usr_a', {}, 0, 9)).total).toBe(0);
    expect((await store.workflows.list('usr_a', { tag: 't' }, 0, 9)).total).toBe(0);
    expect(await store.pinnedOutputs.list('usr_a', 'wf_1')).toBeNull();
    expect(await store.workflows.listWebhooks()).toEqual([]);
    expect(await store.workflows.listCompletionTriggers()).toEqual([]);
    expect(await store.workflows.nextSchedule()).toBeNull();
    expect((await store.executions.list('usr_a', {}, 0, 9)).total).toBe(0);
    expect(await store.executions.commit([creation('ex_n', { create: { workflowId: 'wf_1' } })])).toEqual([
      { kind: 'workflow_gone' },
    ]);
    // Another user may use the endpoint.
    const other = {
      row: { ownerId: 'usr_b' },
      live: { ...none, webhooks: [{ ...route('wf_b', 'orders'), ownerId: 'usr_b' }] },
    };
    expect(await store.workflows.save(workflow('wf_b', other))).toEqual({ kind: 'saved' });

    const kept = {
      id: 'wf_1',
      ...row,
      status: 'inactive',
      activeVersion: null,
      executionCount: 0,
      nodeCount: 1,
      updatedAt: T0,
    };
    expect(await store.workflows.deleted('usr_a', 'wf_1')).toMatchObject({ ...kept, ...deletion });
    expect(await store.workflows.deleted('usr_b', 'wf_1')).toBeNull();
    expect(await store.workflows.undelete('usr_b', 'wf_1', none)).toBe(false);
    expect(await store.workflows.undelete('usr_a', 'wf_1', { ...none, completionTriggers: [event] })).toBe(
      true,
    );
    expect(await store.workflows.undelete('usr_a', 'wf_1', none)).toBe(false);
    expect(await store.workflows.get('usr_a', 'wf_1')).toMatchObject(kept);
    expect((await store.workflows.version('usr_a', 'wf_1', 1))?.definition.nodes).toHaveLength(1);
    expect((await store.workflows.list('usr_a', { tag: 't' }, 0, 9)).total).toBe(1);
    expect(await store.pinnedOutputs.list('usr_a', 'wf_1')).toEqual([pinned]);
    expect(await store.workflows.listCompletionTriggers()).toEqual([event]);
    expect(await listDeleted()).toEqual([]);
    expect(await store.executions.commit([creation('ex_n', { create: { workflowId: 'wf_1' } })])).not.toEqual(
      [{ kind: 'workflow_gone' }],
    );
  });

  test('deleted workflows are listed by their owner, last deleted first; drafts stay drafts', async () => {
    for (const [i, status] of (['draft', 'inactive', 'active'] as const).entries()) {
      await store.workflows.save(workflow(`wf_${i}`, { row: { status } }));
      await markDeleted(`wf_${i}`, { deletedAt: T0 + i });
    }
    const { rows, total } = await store.workflows.listDeleted('usr_a', 0, 2);
    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      ['wf_2', 'inactive'],
      ['wf_1', 'inactive'],
    ]);
    expect(total).toBe(3);
    expect(await store.workflows.listDeleted('usr_a', 2, 2)).toMatchObject({
      rows: [{ id: 'wf_0', status: 'draft', deletedBy: 'usr_a' }],
    });
    expect(await listDeleted('usr_b')).toEqual([]);
    // The id stays taken.
    expect(await store.workflows.save(workflow('wf_0'))).toEqual({ kind: 'missing' });
  });

  test('deleted workflows are deleted permanently on request, when their time is over, and with their owner', async () => {
    await store.accounts.createUser(user('usr_a'));
    for (const id of ['wf_1', 'wf_2', 'wf_3', 'wf_4']) await store.workflows.save(workflow(id));
    for (const [i, id] of ['wf_1', 'wf_2', 'wf_3'].entries()) await markDeleted(id, { purgeAt: T0 + i });
    expect(await store.workflows.remove('usr_b', 'wf_1')).toBe(false);
    expect(await store.workflows.remove('usr_a', 'wf_1')).toBe(true);
    expect(await store.workflows.remove('usr_a', 'wf_1')).toBe(false);
    expect((await listDeleted()).toSorted()).toEqual(['wf_2', 'wf_3']);
    await store.maintenance.prune(T0, 10);
    expect((await listDeleted()).toSorted()).toEqual(['wf_2', 'wf_3']);
    await store.maintenance.prune(T0 + 1, 10);
    expect(await listDeleted()).toEqual(['wf_3']);
    expect(await store.workflows.undelete('usr_a', 'wf_2', none)).toBe(false);
    // An id that was deleted permanently is free.
    expect(await store.workflows.save(workflow('wf_2'))).toEqual({ kind: 'saved' });
    await store.accounts.removeUser('usr_a');
    expect(await listDeleted()).toEqual([]);
    expect(await store.workflows.get('usr_a', 'wf_4')).toBeNull();
    expect(await store.workflows.undelete('usr_a', 'wf_3', none)).toBe(false);
  });

  test('more deleted workflows than one batch are deleted permanently in one round', async () => {
    const ids = Array.from({ length: 120 }, (_, i) => `wf_${i}`);
    for (const id of ids) {
      await store.workflows.save(workflow(id));
      await markDeleted(id, { purgeAt: T0 });
    }
    await store.maintenance.prune(T0, 10);
    expect((await store.workflows.listDeleted('usr_a', 0, 9)).total).toBe(0);
    expect(await store.workflows.save(workflow('wf_119'))).toEqual({ kind: 'saved' });
  });

  test('lists are sorted by name, times and the newest execution, in both directions', async () => {
    const names = ['banana', 'Äpfel', 'apple', 'Cherry'];
    for (const [i, name] of names.entries()) {
      const row = { name, createdAt: T0 + i, updatedAt: T0 - i };
      await store.workflows.save(workflow(`wf_${i}`, { row }));
    }
    const runs = [
      ['wf_2', 1],
      ['wf_0', 2],
      ['wf_2', 3],
    ] as const;
    for (const [i, [workflowId, at]] of runs.entries())
      await store.executions.commit([creation(`ex_${i}`, { create: { workflowId, createdAt: T0 + at } })]);
    const sorted = async (
      sort: 'name' | 'created_at' | 'updated_at' | 'last_execution',
      direction: 'asc' | 'desc',
    ) =>
      (await store.workflows.list('usr_a', { sort, direction }, 0, 9)).rows
        .map(({ id }) => id.slice(3))
        .join('');
    expect(await sorted('name', 'asc')).toBe('2031');
    expect(await sorted('name', 'desc')).toBe('1302');
    expect(await sorted('created_at', 'asc')).toBe('0123');
    expect(await sorted('updated_at', 'asc')).toBe('3210');
    expect(await sorted('updated_at', 'desc')).toBe('0123');
    expect(await sorted('last_execution', 'desc')).toBe('2031');
    expect(await sorted('last_execution', 'asc')).toBe('1302');
  });
}
