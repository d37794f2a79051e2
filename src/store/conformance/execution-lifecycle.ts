import { mayBecome } from '../../contract/transitions.ts';
import { beforeEach, expect, test } from 'vitest';
import { executionStatuses, isSettled, type ExecutionStatus } from '../../contract/execution.ts';
import type { Store } from '../../ports/store.ts';
import type { Checkpoint } from '../../ports/store/checkpoint.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { beginning, creation, HOUR_MS, next, T0, workflow, type StoreUnderTest } from './samples.ts';

const hash = (n: number): string => String(n).padStart(64, '0');
const file = (id: string, executionId: string, content: number, createdAt = T0) => ({
  id,
  ownerId: 'usr_a',
  executionId,
  hash: hash(content),
  name: 'n',
  contentType: 'text/plain',
  size: 3,
  createdAt,
});

export function lifeSuite(current: () => StoreUnderTest): void {
  let store: Store;
  beforeEach(async () => {
    store = current().store;
    await store.workflows.save(workflow('wf_a'));
  });

  test('files belong to their owner; contents without a row are reported', async () => {
    await store.executions.commit([creation('ex_1', { blobs: [hash(2), hash(2)] })]);
    await store.files.saveFile(file('file_1', 'ex_1', 1));
    expect(await store.files.file('usr_a', 'file_1')).toEqual(file('file_1', 'ex_1', 1));
    expect(await store.files.file('usr_b', 'file_1')).toBeNull();
    expect(await store.files.filterUnreferenced([hash(1), hash(2), hash(3)])).toEqual([hash(3)]);
    expect(await store.files.filterUnreferenced([])).toEqual([]);
    const many = Array.from({ length: 1_000 }, (_, i) => hash(i));
    expect(await store.files.filterUnreferenced(many)).toHaveLength(998);
  });

  test('the first identity is kept', async () => {
    expect(await store.maintenance.identity('a')).toBe('a');
    expect(await store.maintenance.identity('b')).toBe('a');
    await current().reopen();
    expect(await current().store.maintenance.identity('c')).toBe('a');
  });

  test('prune deletes expired executions with all dependent rows, up to the limit', async () => {
    const dedupe = (key: string) => ({ scope: 's', key, fingerprint: 'f', expiresAt: T0 + 24 * HOUR_MS });
    await store.executions.commit([
      creation('ex_1', { blobs: [hash(1), hash(2)], create: { dedupe: dedupe('k1') } }),
      creation('ex_2', { blobs: [hash(2)], create: { retention: 2 * HOUR_MS } }),
      creation('ex_3', {
        create: { dedupe: { ...dedupe('k3'), expiresAt: T0 + 1 }, retention: 9 * HOUR_MS },
      }),
      beginning('ex_live', { create: { retention: 0 } }),
    ]);
    await store.files.saveFile(file('file_1', 'ex_1', 3));
    const end = T0 + 5 + HOUR_MS;
    expect(await store.maintenance.prune(end - 1, 100)).toEqual({ executions: 0, hashes: [] });
    const pruned = await store.maintenance.prune(end, 100);
    expect([pruned.executions, pruned.hashes.toSorted()]).toEqual([1, [hash(1), hash(3)]]);
    expect(await store.executions.get('usr_a', 'ex_1')).toBeNull();
    expect(await store.executions.journal('usr_a', 'ex_1', 0, 9)).toEqual([]);
    expect(await store.files.file('usr_a', 'file_1')).toBeNull();
    expect(await store.executions.findDedupe('usr_a', 's', 'k1', T0)).toBeNull();
    expect(await store.executions.findDedupe('usr_a', 's', 'k3', T0)).toBeNull();
    expect(await store.maintenance.prune(T0 + 8 * HOUR_MS, 0)).toEqual({ executions: 0, hashes: [] });
    expect(await store.maintenance.prune(T0 + 8 * HOUR_MS, 100)).toEqual({
      executions: 1,
      hashes: [hash(2)],
    });
    expect(await store.executions.get('usr_a', 'ex_live')).not.toBeNull();
    expect(await store.executions.statusCounts()).toMatchObject({ completed: 1, running: 1 });
    expect((await store.workflows.get('usr_a', 'wf_a'))?.executionCount).toBe(2);
  });

  test('deleting an expired execution keeps a key that a newer one holds', async () => {
    const dedupe = { scope: 's', key: 'k', fingerprint: 'f', expiresAt: T0 + 1 };
    await store.executions.commit([creation('ex_1', { create: { dedupe } })]);
    const create = { createdAt: T0 + 10, dedupe: { ...dedupe, expiresAt: T0 + 99 * HOUR_MS } };
    await store.executions.commit([creation('ex_2', { create })]);
    expect((await store.maintenance.prune(T0 + 5 + HOUR_MS, 100)).executions).toBe(1);
    expect((await store.executions.findDedupe('usr_a', 's', 'k', T0))?.executionId).toBe('ex_2');
  });

  test('prune continues where a limit or a long journal stopped it', async () => {
    const first = beginning('ex_long', { create: { retention: 0 } });
    const rest = Array.from({ length: 6_000 }, (_, i) => next('ex_long', 1, i + 1, { status: 'running' }));
    await store.executions.commit([first, ...rest, next('ex_long', 1, 6_001)]);
    await store.executions.commit(Array.from({ length: 450 }, (_, i) => creation(`ex_${i}`)));
    expect((await store.maintenance.prune(T0 + 9 * HOUR_MS, 200)).executions).toBe(200);
    expect(await store.executions.get('usr_a', 'ex_long')).toBeNull();
    expect((await store.maintenance.prune(T0 + 9 * HOUR_MS, 1_000)).executions).toBe(251);
    expect(await store.maintenance.prune(T0 + 9 * HOUR_MS, 1_000)).toEqual({ executions: 0, hashes: [] });
    expect((await store.executions.list('usr_a', {}, 0, 9)).total).toBe(0);
  });

  test('files of an execution are written with it or not at all, and deleted with it', async () => {
    const { ownerId: _owner, executionId: _execution, ...first } = file('file_1', 'ex_1', 3);
    const second = { ...first, id: 'file_2', hash: hash(4) };
    const dedupe = { scope: 's', key: 'k', fingerprint: 'f', expiresAt: T0 + HOUR_MS };
    const results = await store.executions.commit([
      creation('ex_1', { create: { dedupe, files: [first] } }),
      creation('ex_2', { create: { dedupe, files: [second] } }),
      creation('ex_3', { create: { workflowId: 'wf_none', files: [second] } }),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['written', 'duplicate', 'workflow_gone']);
    expect(await store.files.file('usr_a', 'file_1')).toEqual(file('file_1', 'ex_1', 3));
    expect(await store.files.file('usr_a', 'file_2')).toBeNull();
    expect(await store.files.filterUnreferenced([hash(3), hash(4)])).toEqual([hash(4)]);
    expect((await store.maintenance.prune(T0 + 5 + HOUR_MS, 100)).hashes).toEqual([hash(3)]);
    expect(await store.files.file('usr_a', 'file_1')).toBeNull();
  });

  test('files of an execution that was never created are deleted after a day', async () => {
    await store.files.saveFile(file('file_1', 'ex_never', 1));
    expect((await store.maintenance.prune(T0 + HOUR_MS, 10)).hashes).toEqual([]);
    expect((await store.maintenance.prune(T0 + 25 * HOUR_MS, 10)).hashes).toEqual([hash(1)]);
    expect(await store.files.file('usr_a', 'file_1')).toBeNull();
  });

  test('check', async () => {
    await store.maintenance.check();
    await store.maintenance.check();
  });

  test('all data is present after the store was reopened', async () => {
    await store.executions.commit([beginning('ex_1', { setTimers: [{ path: 'a', dueAt: 7 }] })]);
    await current().reopen();
    store = current().store;
    expect(await store.executions.nextTimer()).toBe(7);
    expect(await store.executions.claim('ex_1', 'wrk_b', 1)).toMatchObject({ fence: 2, nextSeq: 1 });
    expect(await store.executions.statusCounts()).toMatchObject({ running: 1 });
  });

  test('totals equal a count after any sequence of changes', async () => {
    const seed = Math.floor(Math.random() * 1e9);
    console.info(`seed ${seed}`);
    const pick = createSeededRandom(seed).int;
    const workflows = ['wf_a', 'wf_c', 'wf_d'];
    const owners = ['usr_a', 'usr_c', 'usr_a'];
    for (const i of [1, 2])
      await store.workflows.save(workflow(workflows[i]!, { row: { ownerId: owners[i]! } }));
    const model = new Map<
      string,
      { at: number; status: ExecutionStatus; fence: number; seq: number; end: number }
    >();
    let now = T0;
    for (let round = 0; round < 150; round++) {
      now += pick(HOUR_MS / 4);
      const dice = pick(10);
      const ids = [...model.keys()];
      const id = ids[pick(Math.max(1, ids.length))] ?? 'ex_none';
      const known = model.get(id);
      if (dice < 7) {
        const batch: Checkpoint[] = [];
        for (let i = 0; i <= pick(8); i++) {
          const status = executionStatuses[pick(6)]!;
          const live = [...model].filter(([, e]) => !isSettled(e.status));
          const [oldId, old] = live[pick(Math.max(1, live.length))] ?? ['', undefined];
          if (old !== undefined && pick(2) === 0) {
            const fence = pick(5) === 0 ? old.fence + 1 : old.fence;
            batch.push(next(oldId, fence, old.seq, { status, endTime: now }));
            if (fence === old.fence && mayBecome(old.status, status))
              Object.assign(old, { status, seq: old.seq + 1, end: now });
          } else {
            const newId = `ex_${round}_${i}`;
            const at = pick(3);
            const create = { ownerId: owners[at]!, workflowId: workflows[at]!, createdAt: now };
            batch.push(creation(newId, { status, endTime: now, create }));
            model.set(newId, { at, status, fence: 1, seq: 1, end: now });
          }
        }
        await store.executions.commit(batch);
      } else if (dice === 7 && known !== undefined) {
        const { kind } = await store.executions.stop(owners[known.at]!, id, now, '[]');
        expect(kind).toBe(isSettled(known.status) ? 'settled' : 'stopped');
        if (kind === 'stopped') Object.assign(known, { status: 'stopped', end: now });
      } else if (dice === 8 && known !== undefined) {
        const claimed = await store.executions.claim(id, 'wrk_x', now);
        expect(claimed === null).toBe(isSettled(known.status));
        if (claimed?.kind === 'claimed') known.fence = claimed.fence;
      } else {
        const over = [...model].filter(([, e]) => isSettled(e.status) && e.end + HOUR_MS <= now);
        expect((await store.maintenance.prune(now, 10_000)).executions).toBe(over.length);
        for (const [gone] of over) model.delete(gone);
      }
    }
    expect(model.size).toBeGreaterThan(5);
    for (const status of executionStatuses) {
      const of = (at: number) => [...model.values()].filter((e) => e.status === status && e.at === at).length;
      const totals = await Promise.all([
        store.executions.list('usr_a', { status }, 0, 1),
        store.executions.list('usr_c', { status }, 0, 1),
        store.executions.list('usr_a', { status, workflowId: 'wf_d' }, 0, 1),
        // The same by counting rows instead of the stored totals.
        store.executions.list('usr_a', { status, from: 0, to: now + 1 }, 0, 1),
      ]);
      const a = of(0) + of(2);
      expect([status, ...totals.map((page) => page.total)]).toEqual([status, a, of(1), of(2), a]);
      expect((await store.executions.statusCounts())[status]).toBe(a + of(1));
    }
  });
}
