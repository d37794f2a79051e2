import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { beginning, creation, next, T0, workflow } from './samples.ts';

/** Reads of executions and journals. */

export function executionsSuite(current: () => Store): void {
  let store: Store;
  beforeEach(async () => {
    store = current();
    await store.workflows.save(workflow('wf_a'));
    await store.workflows.save(workflow('wf_b', { row: { ownerId: 'usr_b' } }));
  });
  const ofB = { ownerId: 'usr_b', workflowId: 'wf_b' };

  test('lists: newest first, by every filter, with exact totals', async () => {
    await store.workflows.save(workflow('wf_c'));
    const statuses = ['completed', 'failed', 'running'] as const;
    const batch = Array.from({ length: 60 }, (_, i) =>
      creation(`ex_${String(i).padStart(2, '0')}`, {
        status: statuses[i % 3]!,
        create: { createdAt: T0 + Math.floor(i / 2), workflowId: i % 4 === 0 ? 'wf_c' : 'wf_a' },
      }),
    );
    await store.executions.commit([...batch, creation('ex_b', { create: ofB })]);
    const filters = [];
    for (const workflowId of [undefined, 'wf_a', 'wf_c', 'wf_b', 'wf_none']) {
      for (const status of [undefined, ...statuses, 'queued' as const]) {
        for (const [from, to] of [
          [],
          [T0 + 3],
          [undefined, T0 + 4],
          [T0 + 5, T0 + 25],
          [T0 + 9, T0 + 2],
          [0, 9e15],
        ]) {
          filters.push({ workflowId, status, from, to });
        }
      }
    }
    for (const { workflowId, status, from, to } of filters) {
      const filter = {
        ...(workflowId === undefined ? {} : { workflowId }),
        ...(status === undefined ? {} : { status }),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      };
      const expected = batch
        .filter(({ create, status: s }) => {
          const { createdAt, workflowId: w } = create!;
          const isInTime = createdAt >= (from ?? 0) && createdAt < (to ?? Infinity);
          return isInTime && (workflowId ?? w) === w && (status ?? s) === s;
        })
        .map((checkpoint) => checkpoint.executionId)
        .reverse();
      const page = await store.executions.list('usr_a', filter, 2, 10);
      expect({ filter, total: page.total, ids: page.rows.map((row) => row.id) }).toEqual({
        filter,
        total: expected.length,
        ids: expected.slice(2, 12),
      });
    }
    expect((await store.executions.list('usr_a', {}, 1_000, 10)).rows).toEqual([]);
    expect((await store.executions.list('usr_a', {}, 20_000, 10)).total).toBe(60);
  });

  test("hides an owner's executions from other owners", async () => {
    await store.executions.commit([beginning('ex_1')]);
    expect(await store.executions.get('usr_b', 'ex_1')).toBeNull();
    expect(await store.executions.journal('usr_b', 'ex_1', 0, 9)).toEqual([]);
    expect((await store.executions.list('usr_b', {}, 0, 9)).total).toBe(0);
    const named = await store.executions.list('usr_b', { workflowId: 'wf_a' }, 0, 9);
    expect(named).toEqual({ rows: [], total: 0 });
    expect(await store.executions.listUnsettled('usr_b', 'wf_a', 9)).toEqual([]);
    expect(await store.executions.listUnsettled('usr_a', 'wf_a', 9)).toEqual(['ex_1']);
    expect(await store.workflows.running('wf_a')).toBe(1);
  });

  test('a long journal is read by pages', async () => {
    await store.executions.commit([beginning('ex_1')]);
    const rows = Array.from({ length: 300 }, (_, i) =>
      next('ex_1', 1, i + 1, { status: 'running', endTime: null, events: `[${'"x",'.repeat(i * 10)}1]` }),
    );
    expect(new Set((await store.executions.commit(rows)).map((r) => r.kind))).toEqual(new Set(['written']));
    const page = await store.executions.journal('usr_a', 'ex_1', 250, 20);
    expect(page.map((row) => row.seq)).toEqual(Array.from({ length: 20 }, (_, i) => 250 + i));
    expect(page[0]?.events).toBe(rows[249]?.events);
    expect(await store.executions.claim('ex_1', 'wrk_b', 1)).toMatchObject({ nextSeq: 301 });
  });
}
