import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { beginning, creation, HOUR_MS, next, schedule, T0, workflow } from './samples.ts';

const written = { kind: 'written' };
const stale = { kind: 'stale' };

/** Checkpoints: what is written, by which worker, and the result of a lost race. */

export function checkpointsSuite(current: () => Store): void {
  let store: Store;
  beforeEach(async () => {
    store = current();
    await store.workflows.save(workflow('wf_a'));
    await store.workflows.save(workflow('wf_b', { row: { ownerId: 'usr_b' } }));
  });
  const ofB = { ownerId: 'usr_b', workflowId: 'wf_b' };

  test('a checkpoint that creates and ends an execution is read back completely', async () => {
    const error = { type: 'code' as const, message: 'no', node_id: 'x', attempt: 2, data: { a: [1] } };
    const first = creation('ex_1', {
      status: 'failed',
      error,
      progress: 0.25,
      currentNode: 'x',
      create: {
        trigger: { type: 'webhook', node_id: 'hook', extra: { deep: [1, 'ü'] } },
        parentId: 'ex_p',
        retryOf: 'ex_r',
        workflowVersion: 3,
      },
    });
    expect(await store.executions.commit([first])).toEqual([written]);
    expect(await store.executions.get('usr_a', 'ex_1')).toEqual({
      id: 'ex_1',
      ownerId: 'usr_a',
      workflowId: 'wf_a',
      workflowVersion: 3,
      status: 'failed',
      trigger: { type: 'webhook', node_id: 'hook', extra: { deep: [1, 'ü'] } },
      error,
      progress: 0.25,
      currentNode: 'x',
      createdAt: T0,
      startTime: T0,
      endTime: T0 + 5,
      parentId: 'ex_p',
      retryOf: 'ex_r',
    });
    expect(await store.executions.journal('usr_a', 'ex_1', 0, 9)).toEqual([{ seq: 0, events: first.events }]);
  });

  test('an empty batch has no effect', async () => {
    expect(await store.executions.commit([])).toEqual([]);
  });

  test('each checkpoint of a batch succeeds or fails alone, in order', async () => {
    await store.executions.commit([beginning('ex_1'), creation('ex_done')]);
    const results = await store.executions.commit([
      next('ex_1', 7, 1),
      next('ex_1', 1, 1, { status: 'running', endTime: null }),
      next('ex_1', 1, 1),
      next('ex_1', 1, 3),
      next('ex_1', 1, 2),
      next('ex_1', 1, 3),
      next('ex_done', 1, 1),
      next('ex_none', 1, 0),
      creation('ex_1'),
      beginning('ex_2'),
      next('ex_2', 1, 1),
      creation('ex_3', { create: { workflowId: 'wf_none' } }),
      creation('ex_4', { create: { ownerId: 'usr_b' } }),
    ]);
    expect(results.map((r) => r.kind)).toEqual([
      'stale',
      'written',
      'stale',
      'stale',
      'written',
      'stale',
      'stale',
      'stale',
      'stale',
      'written',
      'written',
      'workflow_gone',
      'workflow_gone',
    ]);
    const journal = await store.executions.journal('usr_a', 'ex_1', 0, 9);
    expect(journal.map((row) => row.seq)).toEqual([0, 1, 2]);
    expect((await store.executions.get('usr_a', 'ex_1'))?.status).toBe('completed');
    expect((await store.executions.get('usr_a', 'ex_2'))?.status).toBe('completed');
    expect(await store.executions.statusCounts()).toMatchObject({ running: 0, completed: 3 });
  });

  test('a dedupe key allows one creation per owner and scope until it expires', async () => {
    const dedupe = { scope: 'execute:wf_a', key: 'k', fingerprint: 'f1', expiresAt: T0 + HOUR_MS };
    const twice = await store.executions.commit([
      creation('ex_1', { create: { dedupe } }),
      creation('ex_2', { create: { dedupe: { ...dedupe, fingerprint: 'f2' } } }),
      creation('ex_3', { create: { ...ofB, dedupe } }),
      creation('ex_4', { create: { dedupe: { ...dedupe, scope: 'webhook:wf_a:a' } } }),
    ]);
    const duplicate = { kind: 'duplicate', executionId: 'ex_1', fingerprint: 'f1' };
    expect(twice).toEqual([written, duplicate, written, written]);
    expect(await store.executions.commit([creation('ex_5', { create: { dedupe } })])).toEqual([duplicate]);
    expect(await store.executions.get('usr_a', 'ex_5')).toBeNull();
    const find = (owner: string, now: number) => store.executions.findDedupe(owner, dedupe.scope, 'k', now);
    expect(await find('usr_a', T0)).toEqual({ executionId: 'ex_1', fingerprint: 'f1' });
    expect(await find('usr_b', T0)).toEqual({ executionId: 'ex_3', fingerprint: 'f1' });
    expect(await find('usr_a', T0 + HOUR_MS)).toBeNull();
    const late = { createdAt: T0 + HOUR_MS, dedupe: { ...dedupe, expiresAt: T0 + 2 * HOUR_MS } };
    expect(await store.executions.commit([creation('ex_6', { create: late })])).toEqual([written]);
    expect(await find('usr_a', T0 + HOUR_MS)).toEqual({ executionId: 'ex_6', fingerprint: 'f1' });
  });

  test('a tick is consumed once, and only when it is due', async () => {
    const live = {
      webhooks: [],
      schedules: [schedule('wf_s', 'a', T0), schedule('wf_s', 'b', T0)],
      completionTriggers: [],
      pollingTriggers: [],
    };
    await store.workflows.save(workflow('wf_s', { live }));
    const tick = { workflowId: 'wf_s', nodeId: 'a', due: T0, next: T0 + 60 };
    const run = (id: string, t = tick) => creation(id, { create: { workflowId: 'wf_s', tick: t } });
    const results = await store.executions.commit([
      run('ex_0', { ...tick, due: T0 - 1 }),
      run('ex_1'),
      run('ex_2'),
      run('ex_3', { ...tick, nodeId: 'none' }),
    ]);
    expect(results.map((r) => r.kind)).toEqual(['tick_taken', 'written', 'tick_taken', 'tick_taken']);
    expect((await store.executions.commit([run('ex_4')]))[0]).toEqual({ kind: 'tick_taken' });
    const moved = await store.workflows.schedules('usr_a', 'wf_s');
    expect(moved.map((s) => s.nextRunAt)).toEqual([T0 + 60, T0]);
    const key = { scope: 's', key: 'k', fingerprint: 'f', expiresAt: T0 + HOUR_MS };
    const refused = creation('ex_5', { create: { workflowId: 'wf_s', tick, dedupe: key } });
    expect(await store.executions.commit([refused])).toEqual([{ kind: 'tick_taken' }]);
    expect(await store.executions.findDedupe('usr_a', 's', 'k', T0)).toBeNull();
  });

  test('timers: set, replaced, cleared, removed at the end', async () => {
    const waiting = { status: 'waiting' as const, endTime: null };
    await store.executions.commit([
      beginning('ex_1', {
        setTimers: [
          { path: 'a', dueAt: 50 },
          { path: 'b', dueAt: 40 },
        ],
      }),
      beginning('ex_2', { setTimers: [{ path: 'a', dueAt: 45 }] }),
    ]);
    expect(await store.executions.nextTimer()).toBe(40);
    expect(await store.executions.dueTimers(45, 9, null)).toEqual([
      { executionId: 'ex_1', path: 'b', dueAt: 40 },
      { executionId: 'ex_2', path: 'a', dueAt: 45 },
    ]);
    expect(await store.executions.dueTimers(99, 1, null)).toHaveLength(1);
    expect(await store.executions.timerPaths('usr_a', 'ex_1')).toEqual(['a', 'b']);
    const change = { ...waiting, setTimers: [{ path: 'a', dueAt: 60 }], clearTimers: ['b'] };
    await store.executions.commit([next('ex_1', 1, 1, change), next('ex_2', 1, 1)]);
    expect(await store.executions.dueTimers(99, 9, null)).toEqual([
      { executionId: 'ex_1', path: 'a', dueAt: 60 },
    ]);
    expect(await store.executions.timerPaths('usr_a', 'ex_1')).toEqual(['a']);
    expect(await store.executions.timerPaths('usr_b', 'ex_1')).toEqual([]);
    await store.executions.stop('usr_a', 'ex_1', 70, '[]');
    expect(await store.executions.nextTimer()).toBeNull();
    expect(await store.executions.timerPaths('usr_a', 'ex_1')).toEqual([]);
  });

  test('a status that cannot follow the stored one is stale', async () => {
    await store.executions.heartbeat('wrk_a', 1_000);
    await store.executions.commit([beginning('ex_1')]);
    const back = next('ex_1', 1, 1, { status: 'queued', endTime: null });
    expect(await store.executions.commit([back])).toEqual([{ kind: 'stale' }]);
  });

  test('stop: succeeds once regardless of the lease, and later checkpoints are stale', async () => {
    await store.executions.heartbeat('wrk_a', T0 * 2);
    await store.executions.commit([beginning('ex_1')]);
    expect(await store.executions.stop('usr_b', 'ex_1', T0 + 9, '[]')).toEqual({ kind: 'missing' });
    expect(await store.executions.stop('usr_a', 'ex_none', T0 + 9, '[]')).toEqual({ kind: 'missing' });
    const stopped = await store.executions.stop('usr_a', 'ex_1', T0 + 9, '["stopped"]');
    expect(stopped).toMatchObject({
      kind: 'stopped',
      row: { status: 'stopped', endTime: T0 + 9, currentNode: null },
    });
    expect(await store.executions.journal('usr_a', 'ex_1', 1, 9)).toEqual([
      { seq: 1, events: '["stopped"]' },
    ]);
    const again = await store.executions.stop('usr_a', 'ex_1', T0 + 10, '[]');
    expect(again).toEqual({ kind: 'settled', status: 'stopped' });
    const late = [next('ex_1', 1, 1), next('ex_1', 1, 2), next('ex_1', 2, 2)];
    expect(await store.executions.commit(late)).toEqual([stale, stale, stale]);
    expect(await store.executions.statusCounts()).toMatchObject({ running: 0, stopped: 1 });
  });

  test('concurrent stop and commit: exactly one ends the execution', async () => {
    for (let i = 0; i < 40; i++) {
      const id = `ex_${i}`;
      await store.executions.commit([beginning(id)]);
      const commit = () => store.executions.commit([next(id, 1, 1)]);
      const stop = () => store.executions.stop('usr_a', id, T0 + 1, '[]');
      const [a, b] = await (i % 2 === 0
        ? Promise.all([commit(), stop()])
        : Promise.all([stop(), commit()]).then(([s, c]) => [c, s] as const));
      expect([a[0]?.kind, b.kind]).toEqual(i % 2 === 0 ? ['written', 'settled'] : ['stale', 'stopped']);
    }
    expect(await store.executions.statusCounts()).toMatchObject({ completed: 20, stopped: 20, running: 0 });
  });
}

const running = { status: 'running', endTime: null } as const;

/** Snapshots of the state: written with a checkpoint, replaced by later ones. */
export function snapshotsSuite(current: () => Store): void {
  let store: Store;
  beforeEach(async () => {
    store = current();
    await store.workflows.save(workflow('wf_a'));
  });
  const read = (id: string, ownerId = 'usr_a') => store.executions.snapshot(ownerId, id);

  test('a checkpoint stores a snapshot of the state after it, in place of the earlier one', async () => {
    await store.executions.commit([beginning('ex_1'), beginning('ex_2')]);
    expect(await read('ex_1')).toBe(null);
    const data = 'ä'.repeat(100_000);
    const first = next('ex_1', 1, 1, { ...running, snapshot: { version: 3, data } });
    expect(await store.executions.commit([first])).toEqual([written]);
    expect(await read('ex_1')).toEqual({ nextSeq: 2, version: 3, data });
    expect(await read('ex_1', 'usr_b')).toBe(null);
    expect(await read('ex_2')).toBe(null);
    // A checkpoint without one does not change it; in a batch, the last one counts.
    await store.executions.commit([
      next('ex_1', 1, 2, running),
      next('ex_1', 1, 3, { ...running, snapshot: { version: 3, data: 'b' } }),
      next('ex_1', 1, 4, { ...running, snapshot: { version: 4, data: 'c' } }),
      next('ex_1', 1, 5, running),
    ]);
    expect(await read('ex_1')).toEqual({ nextSeq: 5, version: 4, data: 'c' });
  });

  test('a stale checkpoint stores no snapshot', async () => {
    await store.executions.commit([beginning('ex_1')]);
    const late = next('ex_1', 7, 1, { ...running, snapshot: { version: 1, data: 'late' } });
    expect(await store.executions.commit([late])).toEqual([stale]);
    expect(await read('ex_1')).toBe(null);
  });

  test('an ended execution keeps its snapshot, whether it ended or was stopped', async () => {
    await store.executions.commit([beginning('ex_1'), beginning('ex_2')]);
    const snapshot = { version: 1, data: 'a' };
    await store.executions.commit([
      next('ex_1', 1, 1, { ...running, snapshot }),
      next('ex_2', 1, 1, { ...running, snapshot }),
    ]);
    await store.executions.commit([next('ex_1', 1, 2)]);
    await store.executions.stop('usr_a', 'ex_2', T0 + 9, '[]');
    expect([await read('ex_1'), await read('ex_2')]).toEqual([
      { nextSeq: 2, ...snapshot },
      { nextSeq: 2, ...snapshot },
    ]);
  });

  test('the deletion of an execution deletes its snapshot', async () => {
    await store.executions.commit([beginning('ex_1')]);
    await store.executions.commit([
      next('ex_1', 1, 1, { ...running, snapshot: { version: 1, data: 'a' } }),
      next('ex_1', 1, 2),
    ]);
    expect(await read('ex_1')).not.toBe(null);
    await store.maintenance.prune(T0 + 2 * HOUR_MS, 100);
    // The row numbers of executions are used again.
    await store.executions.commit([beginning('ex_1')]);
    expect(await read('ex_1')).toBe(null);
  });
}
