import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { beginning, creation, next, schedule, T0, workflow } from './samples.ts';

/** Reads of many resources at once return the same as single reads. */
export function batchReadsSuite(current: () => Store): void {
  let store: Store;
  const ids = Array.from({ length: 130 }, (_, i) => `wf_${i}`);
  beforeEach(async () => {
    store = current();
    for (const id of ids) await store.workflows.save(workflow(id));
    await store.workflows.save(workflow('wf_other', { row: { ownerId: 'usr_b' } }));
  });

  test('many workflows and versions, only of the owner', async () => {
    await store.workflows.save(
      workflow('wf_1', {
        row: { version: 2 },
        expected: 1,
        definition: { nodes: [], connections: [] },
        live: {
          webhooks: [],
          schedules: [schedule('wf_1', 'b', T0), schedule('wf_1', 'a', T0)],
          completionTriggers: [],
          pollingTriggers: [],
        },
      }),
    );
    const rows = await store.workflows.getMany('usr_a', [...ids, 'wf_other', 'wf_none']);
    expect(rows.map((row) => row.id).toSorted()).toEqual(ids.toSorted());
    expect(rows.find((row) => row.id === 'wf_1')).toEqual(await store.workflows.get('usr_a', 'wf_1'));
    const wanted = [
      ...ids.map((workflowId) => ({ workflowId, version: 1 })),
      { workflowId: 'wf_1', version: 2 },
      { workflowId: 'wf_2', version: 2 },
      { workflowId: 'wf_other', version: 1 },
    ];
    const versions = await store.workflows.getManyVersions('usr_a', wanted);
    expect(versions).toHaveLength(ids.length + 1);
    expect(versions.find((row) => row.workflowId === 'wf_1' && row.version === 2)).toEqual(
      await store.workflows.version('usr_a', 'wf_1', 2),
    );
    const schedules = await store.workflows.schedulesOfMany('usr_a', ids);
    expect(schedules).toEqual(await store.workflows.schedules('usr_a', 'wf_1'));
    expect(await store.workflows.schedulesOfMany('usr_b', ids)).toEqual([]);
    expect(await store.workflows.getMany('usr_a', [])).toEqual([]);
    expect(await store.workflows.getManyVersions('usr_a', [])).toEqual([]);
    expect(await store.workflows.schedulesOfMany('usr_a', [])).toEqual([]);
  });

  test('the newest executions of many workflows', async () => {
    for (const workflowId of ['wf_0', 'wf_1', 'wf_129'])
      for (let i = 0; i < 4; i++)
        await store.executions.commit([
          creation(`ex_${workflowId}_${i}`, { create: { workflowId, createdAt: T0 + i } }),
        ]);
    const rows = await store.executions.listNewest('usr_a', ids, 3);
    expect(rows).toHaveLength(9);
    for (const workflowId of ['wf_0', 'wf_1', 'wf_129']) {
      const { rows: alone } = await store.executions.list('usr_a', { workflowId }, 0, 3);
      expect(rows.filter((row) => row.workflowId === workflowId)).toEqual(alone);
    }
    expect(await store.executions.listNewest('usr_b', ids, 3)).toEqual([]);
    expect(await store.executions.listNewest('usr_a', [], 3)).toEqual([]);
    expect(await store.executions.listNewest('usr_a', ids, 0)).toEqual([]);
  });

  test('many journals, each from its start up to the limit', async () => {
    const of = { create: { workflowId: 'wf_0' } };
    await store.executions.commit([creation('ex_short', of), beginning('ex_long', of)]);
    for (let seq = 1; seq < 6; seq++) await store.executions.commit([next('ex_long', 1, seq)]);
    const all = await store.executions.journals('usr_a', ['ex_short', 'ex_long', 'ex_none'], 100);
    expect(all.map((one) => one.executionId).toSorted()).toEqual(['ex_long', 'ex_short']);
    for (const { executionId, rows } of all)
      expect(rows).toEqual(await store.executions.journal('usr_a', executionId, 0, 100));
    const [piece] = await store.executions.journals('usr_a', ['ex_long'], 2);
    expect(piece?.rows).toEqual(await store.executions.journal('usr_a', 'ex_long', 0, 2));
    expect(await store.executions.journals('usr_b', ['ex_short', 'ex_long'], 100)).toEqual([]);
    expect(await store.executions.journals('usr_a', [], 100)).toEqual([]);
  });
}
