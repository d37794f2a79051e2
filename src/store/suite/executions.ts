import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { beginning, creation, HOUR, next, schedule, T0, workflow } from './samples.ts';

const written = { kind: 'written' };
const stale = { kind: 'stale' };

export function executionsSuite(current: () => Store): void {
  let store: Store;
  beforeEach(async () => {
    store = current();
    await store.workflows.save(workflow('wf_a'));
    await store.workflows.save(workflow('wf_b', { row: { ownerId: 'usr_b' } }));
  });
  const ofB = { ownerId: 'usr_b', workflowId: 'wf_b' };

  test('one checkpoint that creates and settles is read back whole', async () => {
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

  test('an empty batch is nothing', async () => {
    expect(await store.executions.commit([])).toEqual([]);
  });

  test('each checkpoint of a batch stands or falls alone, in order', async () => {
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

  test('a dedupe key lets one creation through, per owner and scope, until it is over', async () => {
    const dedupe = { scope: 'execute:wf_a', key: 'k', fingerprint: 'f1', expiresAt: T0 + HOUR };
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
    expect(await find('usr_a', T0 + HOUR)).toBeNull();
    const late = { createdAt: T0 + HOUR, dedupe: { ...dedupe, expiresAt: T0 + 2 * HOUR } };
    expect(await store.executions.commit([creation('ex_6', { create: late })])).toEqual([written]);
    expect(await find('usr_a', T0 + HOUR)).toEqual({ executionId: 'ex_6', fingerprint: 'f1' });
  });

  test('a tick is consumed once, and only at its time', async () => {
    const live = {
      webhooks: [],
      schedules: [schedule('wf_s', 'a', T0), schedule('wf_s', 'b', T0)],
      events: [],
      polls: [],
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
    const key = { scope: 's', key: 'k', fingerprint: 'f', expiresAt: T0 + HOUR };
    const refused = creation('ex_5', { create: { workflowId: 'wf_s', tick, dedupe: key } });
    expect(await store.executions.commit([refused])).toEqual([{ kind: 'tick_taken' }]);
    expect(await store.executions.findDedupe('usr_a', 's', 'k', T0)).toBeNull();
  });

  test('timers: set, replaced, cleared, gone with the end', async () => {
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
    const change = { ...waiting, setTimers: [{ path: 'a', dueAt: 60 }], clearTimers: ['b'] };
    await store.executions.commit([next('ex_1', 1, 1, change), next('ex_2', 1, 1)]);
    expect(await store.executions.dueTimers(99, 9, null)).toEqual([
      { executionId: 'ex_1', path: 'a', dueAt: 60 },
    ]);
    await store.executions.stop('usr_a', 'ex_1', 70, '[]');
    expect(await store.executions.nextTimer()).toBeNull();
  });

  test('claims follow leases; fences only grow', async () => {
    await store.executions.heartbeat('wrk_a', 1_000);
    await store.executions.commit([
      beginning('ex_run'),
      beginning('ex_queue', { status: 'queued', create: { createdAt: T0 + 1 } }),
      beginning('ex_wait', { status: 'waiting' }),
      creation('ex_end'),
    ]);
    const ids = async (now: number, exclude: string[] = []) =>
      (await store.executions.runnable(now, 9, exclude)).map((row) => row.id);
    expect(await ids(999)).toEqual(['ex_queue']);
    expect(await ids(1_000)).toEqual(['ex_run', 'ex_queue']);
    expect(await ids(1_000, ['wf_x', 'wf_a', 'wf_y'])).toEqual(['ex_run']);
    expect(await store.executions.runnable(1_000, 1, [])).toEqual([{ id: 'ex_run', workflowId: 'wf_a' }]);

    expect(await store.executions.claim('ex_run', 'wrk_b', 999)).toBeNull();
    expect(await store.executions.claim('ex_end', 'wrk_b', 999)).toBeNull();
    expect(await store.executions.claim('ex_none', 'wrk_b', 999)).toBeNull();
    const claimed = await store.executions.claim('ex_run', 'wrk_b', 1_000);
    expect(claimed).toMatchObject({ id: 'ex_run', status: 'running', fence: 2, nextSeq: 1 });
    expect(await store.executions.claim('ex_queue', 'wrk_b', 1)).toMatchObject({ status: 'queued' });
    await store.executions.heartbeat('wrk_b', 5_000);
    expect(await ids(1_000)).toEqual([]);
    expect(await store.executions.claim('ex_queue', 'wrk_a', 1)).toBeNull();
    expect(await store.executions.claim('ex_wait', 'wrk_a', 1)).toMatchObject({
      status: 'waiting',
      nextSeq: 1,
    });
    expect(await store.executions.commit([next('ex_run', 1, 1)])).toEqual([stale]);
    expect(await store.executions.commit([next('ex_run', 2, 1)])).toEqual([written]);

    expect(await store.executions.claim('ex_queue', 'wrk_b', 1)).not.toBeNull();
    await store.executions.release('wrk_b');
    expect(await ids(1)).toEqual(['ex_queue']);
    expect(await store.executions.claim('ex_queue', 'wrk_c', 1)).not.toBeNull();
  });

  test('a claim comes with the settings of now and with the timers that are due', async () => {
    await store.executions.commit([
      beginning('ex_1', {
        status: 'waiting',
        setTimers: [
          { path: 'b', dueAt: 40 },
          { path: 'a', dueAt: 30 },
          { path: 'c', dueAt: 41 },
        ],
      }),
    ]);
    const settings = { timeout: '5m', max_concurrency: 1 };
    await store.workflows.save(workflow('wf_a', { row: { version: 2, settings }, expected: 1 }));
    expect(await store.executions.claim('ex_1', 'wrk_b', 40)).toMatchObject({ settings, due: ['a', 'b'] });
  });

  test('as many of a workflow are at work as its max_concurrency says, whoever works on them', async () => {
    const settings = { max_concurrency: 2 };
    await store.workflows.save(workflow('wf_a', { row: { version: 2, settings }, expected: 1 }));
    const queued = { status: 'queued' as const, startTime: null };
    await store.executions.heartbeat('wrk_a', 1_000);
    await store.executions.heartbeat('wrk_b', 1_000);
    await store.executions.commit([
      beginning('ex_run'),
      beginning('ex_wait', { status: 'waiting' }),
      ...[1, 2, 3, 4].map((n) => beginning(`ex_${n}`, queued)),
    ]);
    const claims = await Promise.all(
      [1, 2, 3, 4].map((n) => store.executions.claim(`ex_${n}`, n % 2 === 0 ? 'wrk_a' : 'wrk_b', 1)),
    );
    expect(claims.filter((claim) => claim?.kind === 'full')).toHaveLength(3);
    const [taken] = claims.flatMap((claim) => (claim?.kind === 'claimed' ? [claim] : []));
    expect((await store.executions.runnable(1, 9, [])).map((row) => row.id)).not.toContain(taken!.id);
    expect(await store.executions.runnable(1, 9, [])).toHaveLength(3);
    // What goes on is never held up, and what nobody works on any more holds nothing up.
    expect(await store.executions.claim('ex_wait', 'wrk_b', 1)).toMatchObject({ status: 'waiting' });
    expect(await store.executions.claim('ex_run', 'wrk_b', 2_000)).toMatchObject({ status: 'running' });
    expect(await store.executions.claim(taken!.id, 'wrk_a', 2_000)).toMatchObject({ status: 'queued' });
    await store.executions.commit([next('ex_run', 2, 1)]);
    const other = [1, 2, 3, 4].find((n) => `ex_${n}` !== taken!.id);
    expect(await store.executions.claim(`ex_${other}`, 'wrk_b', 1)).toMatchObject({ status: 'queued' });
  });

  test('several are claimed together, each for itself', async () => {
    await store.executions.heartbeat('wrk_a', 1_000);
    const queued = { status: 'queued' as const, startTime: null };
    await store.executions.commit([
      beginning('ex_run'),
      beginning('ex_2', queued),
      beginning('ex_1', queued),
      creation('ex_end'),
    ]);
    const ids = ['ex_2', 'ex_run', 'ex_none', 'ex_1', 'ex_end', 'ex_2'];
    const claims = await store.executions.claimMany(ids, 'wrk_b', 1);
    expect(claims.map((claim) => (claim?.kind === 'claimed' ? [claim.id, claim.fence] : claim))).toEqual([
      ['ex_2', 2],
      null,
      null,
      ['ex_1', 2],
      null,
      ['ex_2', 2],
    ]);
    expect(await store.executions.claimMany([], 'wrk_b', 1)).toEqual([]);
    const settings = { max_concurrency: 2 };
    await store.workflows.save(workflow('wf_a', { row: { version: 2, settings }, expected: 1 }));
    await store.executions.commit([3, 4, 5].map((n) => beginning(`ex_${n}`, queued)));
    await store.executions.heartbeat('wrk_b', 1_000);
    const full = { kind: 'full', workflowId: 'wf_a' };
    expect(await store.executions.claimMany(['ex_3', 'ex_4', 'ex_5'], 'wrk_b', 1)).toEqual([
      full,
      full,
      full,
    ]);
  });

  test('a short journal comes with the claim, a longer one does not', async () => {
    await store.executions.commit([
      beginning('ex_1', { status: 'queued', startTime: null, events: '["one"]' }),
      beginning('ex_2', { status: 'queued', startTime: null, events: '["two"]' }),
      beginning('ex_large', { status: 'queued', startTime: null, events: `["${'x'.repeat(100_000)}"]` }),
    ]);
    const journals = async (ids: string[], worker = 'wrk_a') =>
      (await store.executions.claimMany(ids, worker, 1)).map((claim) =>
        claim?.kind === 'claimed' ? claim.journal : claim,
      );
    expect(await journals(['ex_1', 'ex_large', 'ex_2'])).toEqual([
      [{ seq: 0, events: '["one"]' }],
      null,
      [{ seq: 0, events: '["two"]' }],
    ]);
    for (let seq = 1; seq < 9; seq++)
      await store.executions.commit([next('ex_1', 2, seq, { status: 'running', endTime: null })]);
    expect(await journals(['ex_1'])).toEqual([null]);
  });

  test('those that have ended are told from the others', async () => {
    await store.executions.commit([creation('ex_end'), beginning('ex_run'), creation('ex_end_2')]);
    expect(
      (await store.executions.settledOf(['ex_end', 'ex_run', 'ex_none', 'ex_end_2'])).toSorted(),
    ).toEqual(['ex_end', 'ex_end_2']);
    expect(await store.executions.settledOf([])).toEqual([]);
  });

  test('processes are known by their leases', async () => {
    expect(await store.executions.processes(0)).toEqual([]);
    await store.executions.heartbeat('wrk_b', 1_000);
    await store.executions.heartbeat('wrk_a', 2_000);
    expect(await store.executions.processes(999)).toEqual([
      { id: 'wrk_a', leaseUntil: 2_000 },
      { id: 'wrk_b', leaseUntil: 1_000 },
    ]);
    expect(await store.executions.processes(1_000)).toEqual([{ id: 'wrk_a', leaseUntil: 2_000 }]);
    await store.executions.release('wrk_a');
    expect(await store.executions.processes(0)).toEqual([{ id: 'wrk_b', leaseUntil: 1_000 }]);
  });

  test('timers under the lease of another are not for everybody', async () => {
    await store.executions.heartbeat('wrk_a', 1_000);
    const timer = { setTimers: [{ path: 'a', dueAt: 10 }] };
    await store.executions.commit([
      beginning('ex_mine', timer),
      beginning('ex_wait', { ...timer, status: 'waiting' }),
    ]);
    const due = async (worker: string | null, now = 20) =>
      (await store.executions.dueTimers(now, 9, worker)).map((row) => row.executionId);
    expect(await due(null)).toEqual(['ex_mine', 'ex_wait']);
    expect(await due('wrk_a')).toEqual(['ex_mine', 'ex_wait']);
    expect(await due('wrk_b')).toEqual(['ex_wait']);
    expect(await due('wrk_b', 1_000)).toEqual(['ex_mine', 'ex_wait']);
  });

  test('waiting and queued give up the lease', async () => {
    await store.executions.heartbeat('wrk_a', 1_000);
    await store.executions.commit([
      beginning('ex_1'),
      beginning('ex_2', { status: 'queued', startTime: null }),
    ]);
    await store.executions.commit([next('ex_1', 1, 1, { status: 'waiting', endTime: null })]);
    expect(await store.executions.claim('ex_1', 'wrk_b', 1)).not.toBeNull();
    expect(await store.executions.claim('ex_2', 'wrk_b', 1)).not.toBeNull();
  });

  test('a status that cannot follow on the stored one is stale', async () => {
    await store.executions.heartbeat('wrk_a', 1_000);
    await store.executions.commit([beginning('ex_1')]);
    const back = next('ex_1', 1, 1, { status: 'queued', endTime: null });
    expect(await store.executions.commit([back])).toEqual([{ kind: 'stale' }]);
  });

  test('of two claims one wins', async () => {
    await store.executions.heartbeat('wrk_1', 1_000);
    await store.executions.heartbeat('wrk_2', 1_000);
    await store.executions.commit([beginning('ex_1', { worker: 'wrk_dead' })]);
    const both = await Promise.all([
      store.executions.claim('ex_1', 'wrk_1', 1),
      store.executions.claim('ex_1', 'wrk_2', 1),
    ]);
    expect(both.filter((claim) => claim !== null)).toHaveLength(1);
  });

  test('stop: whoever holds it, once, and what comes later is stale', async () => {
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

  test('stop against commit: exactly one of them settles it', async () => {
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

  test('nothing of one owner is seen by another', async () => {
    await store.executions.commit([beginning('ex_1')]);
    expect(await store.executions.get('usr_b', 'ex_1')).toBeNull();
    expect(await store.executions.journal('usr_b', 'ex_1', 0, 9)).toEqual([]);
    expect((await store.executions.list('usr_b', {}, 0, 9)).total).toBe(0);
    const named = await store.executions.list('usr_b', { workflowId: 'wf_a' }, 0, 9);
    expect(named).toEqual({ rows: [], total: 0 });
    expect(await store.executions.unsettled('usr_b', 'wf_a', 9)).toEqual([]);
    expect(await store.executions.unsettled('usr_a', 'wf_a', 9)).toEqual(['ex_1']);
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
