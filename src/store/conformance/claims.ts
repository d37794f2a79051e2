import { beforeEach, expect, test } from 'vitest';
import type { Store } from '../../ports/store.ts';
import { beginning, creation, next, T0, workflow } from './samples.ts';

const written = { kind: 'written' };
const stale = { kind: 'stale' };

/** Claims of executions, and the effect of expired leases. */

export function claimsSuite(current: () => Store): void {
  let store: Store;
  beforeEach(async () => {
    store = current();
    await store.workflows.save(workflow('wf_a'));
    await store.workflows.save(workflow('wf_b', { row: { ownerId: 'usr_b' } }));
  });

  test('claims follow leases; fencing tokens only increase', async () => {
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

  test('a claim returns the current settings and the due timers', async () => {
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

  test('max_concurrency limits the active executions of a workflow across workers', async () => {
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
    // A resumed execution never waits for capacity, and an execution without a worker does not count.
    expect(await store.executions.claim('ex_wait', 'wrk_b', 1)).toMatchObject({ status: 'waiting' });
    expect(await store.executions.claim('ex_run', 'wrk_b', 2_000)).toMatchObject({ status: 'running' });
    expect(await store.executions.claim(taken!.id, 'wrk_a', 2_000)).toMatchObject({ status: 'queued' });
    await store.executions.commit([next('ex_run', 2, 1)]);
    const other = [1, 2, 3, 4].find((n) => `ex_${n}` !== taken!.id);
    expect(await store.executions.claim(`ex_${other}`, 'wrk_b', 1)).toMatchObject({ status: 'queued' });
  });

  test('several are claimed together, independently of each other', async () => {
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

  test('a claim returns a short journal, but not a long one', async () => {
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

  test('an unclaimed queued execution starts without a claim: its first checkpoint takes it', async () => {
    const queued = { status: 'queued' as const, startTime: null };
    const rows = ['ex_1', 'ex_2', 'ex_3', 'ex_4'].map((id) =>
      beginning(id, { ...queued, events: `["${id}"]` }),
    );
    await store.executions.commit(rows);
    const ids = ['ex_2', 'ex_none', 'ex_1', 'ex_3', 'ex_4'];
    const found = await store.executions.unclaimed(ids, 1);
    expect(found.map((one) => one?.id)).toEqual(['ex_2', undefined, 'ex_1', 'ex_3', 'ex_4']);
    const whole = await store.executions.claim('ex_1', 'wrk_b', 1);
    const { kind, ...claimed } = whole as Extract<typeof whole, { kind: 'claimed' }>;
    expect({ kind, one: found[2] }).toEqual({ kind: 'claimed', one: { ...claimed, isFirstClaim: true } });

    // `ex_1` was claimed meanwhile, `ex_3` was stopped, and the first of two workers gets `ex_2`.
    const first = (id: string, worker: string) =>
      next(id, 2, 1, { worker, isFirstClaim: true, status: 'running', endTime: null });
    await store.executions.stop('usr_a', 'ex_3', 9, '["stop"]');
    expect(await store.executions.commit(['ex_1', 'ex_2', 'ex_3'].map((id) => first(id, 'wrk_a')))).toEqual([
      stale,
      written,
      stale,
    ]);
    expect(await store.executions.commit([first('ex_2', 'wrk_b')])).toEqual([stale]);
    await store.executions.heartbeat('wrk_a', 1_000);
    expect(await store.executions.claim('ex_2', 'wrk_b', 1)).toBeNull();
    expect(await store.executions.commit([next('ex_2', 2, 2, { worker: 'wrk_a' })])).toEqual([written]);
    // A fencing token that is not exactly one ahead takes no execution.
    expect(await store.executions.commit([next('ex_4', 3, 1, { isFirstClaim: true })])).toEqual([stale]);
    expect(await store.executions.commit([next('ex_4', 2, 1)])).toEqual([stale]);
    expect(await store.executions.commit([next('ex_4', 2, 1, { isFirstClaim: true })])).toEqual([written]);
    expect(await store.executions.get('usr_a', 'ex_4')).toMatchObject({ status: 'completed' });
    expect((await store.executions.journal('usr_a', 'ex_4', 0, 9)).map(({ seq }) => seq)).toEqual([0, 1]);
  });

  test('an execution needs a claim when it is active, waiting, ended, due, long, or of a workflow with a limit', async () => {
    const queued = { status: 'queued' as const, startTime: null };
    const settings = { max_concurrency: 9 };
    await store.workflows.save(workflow('wf_limit', { row: { settings } }));
    await store.executions.commit([
      beginning('ex_run'),
      beginning('ex_wait', { status: 'waiting' }),
      creation('ex_end'),
      beginning('ex_due', { ...queued, setTimers: [{ path: '', dueAt: 5 }] }),
      beginning('ex_long', { ...queued, events: `["${'x'.repeat(100_000)}"]` }),
      beginning('ex_limit', { ...queued, create: { workflowId: 'wf_limit' } }),
      beginning('ex_claimed', queued),
    ]);
    await store.executions.claim('ex_claimed', 'wrk_b', 1);
    const ids = ['ex_run', 'ex_wait', 'ex_end', 'ex_due', 'ex_long', 'ex_limit', 'ex_claimed'];
    expect(await store.executions.unclaimed(ids, 5)).toEqual(ids.map(() => null));
    expect(await store.executions.unclaimed(['ex_due'], 4)).toMatchObject([{ id: 'ex_due', due: [] }]);
    expect(await store.executions.unclaimed([], 1)).toEqual([]);
  });

  test('ended executions are distinguished from others', async () => {
    await store.executions.commit([creation('ex_end'), beginning('ex_run'), creation('ex_end_2')]);
    expect(
      (await store.executions.listSettled(['ex_end', 'ex_run', 'ex_none', 'ex_end_2'])).toSorted(),
    ).toEqual(['ex_end', 'ex_end_2']);
    expect(await store.executions.listSettled([])).toEqual([]);
  });

  test('processes are listed by their leases', async () => {
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

  test('timers under the lease of another worker are not returned', async () => {
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

  test('the statuses waiting and queued release the lease', async () => {
    await store.executions.heartbeat('wrk_a', 1_000);
    await store.executions.commit([
      beginning('ex_1'),
      beginning('ex_2', { status: 'queued', startTime: null }),
    ]);
    await store.executions.commit([next('ex_1', 1, 1, { status: 'waiting', endTime: null })]);
    expect(await store.executions.claim('ex_1', 'wrk_b', 1)).not.toBeNull();
    expect(await store.executions.claim('ex_2', 'wrk_b', 1)).not.toBeNull();
  });

  test('one of two concurrent claims succeeds', async () => {
    await store.executions.heartbeat('wrk_1', 1_000);
    await store.executions.heartbeat('wrk_2', 1_000);
    await store.executions.commit([beginning('ex_1', { worker: 'wrk_dead' })]);
    const both = await Promise.all([
      store.executions.claim('ex_1', 'wrk_1', 1),
      store.executions.claim('ex_1', 'wrk_2', 1),
    ]);
    expect(both.filter((claim) => claim !== null)).toHaveLength(1);
  });
}
