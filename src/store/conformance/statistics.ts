import { beforeEach, expect, test } from 'vitest';
import { findBucket } from '../../lib/time/duration-buckets.ts';
import { DAY_MS } from '../../ports/store/statistics.ts';
import type { Store } from '../../ports/store.ts';
import { beginning, creation, HOUR_MS, next, workflow, type StoreUnderTest } from './samples.ts';

/** Midnight UTC. */
const MIDNIGHT = Date.UTC(2026, 2, 10);
const RETENTION_MS = 400 * DAY_MS;

export function statisticsSuite(tested: () => StoreUnderTest): void {
  let store: Store;
  beforeEach(async () => {
    store = tested().store;
    await store.workflows.save(workflow('wf_a'));
    await store.workflows.save(workflow('wf_c'));
    await store.workflows.save(workflow('wf_b', { row: { ownerId: 'usr_b' } }));
  });
  const hours = (from: number, to: number) => ({ from, to, interval: HOUR_MS });
  const days = (from: number, to: number) => ({ from, to, interval: DAY_MS });
  /** `start status bucket n`, sorted. */
  const read = async (
    of: 'usr_a' | 'usr_b' | 'wf_a' | 'wf_c',
    range = hours(MIDNIGHT, MIDNIGHT + DAY_MS),
  ): Promise<unknown[]> => {
    const rows = of.startsWith('usr')
      ? await store.statistics.readOwner(of, range)
      : await store.statistics.readWorkflow('usr_a', of, range);
    return rows!
      .map(({ start, status, bucket, n }) => [start, status, bucket, n])
      .toSorted((a, b) => String(a).localeCompare(String(b)));
  };
  const ended = (id: string, createdAt: number, rest: Parameters<typeof creation>[1] = {}) =>
    creation(id, { ...rest, create: { createdAt, retention: HOUR_MS, ...rest.create } });

  test('each end counts once, in the hour of creation, by status and duration', async () => {
    const at = MIDNIGHT + 90 * 60_000;
    const hour = MIDNIGHT + HOUR_MS;
    await store.executions.commit([
      ended('ex_1', at),
      ended('ex_2', at),
      ended('ex_3', at, { status: 'failed', startTime: at + 100, endTime: at + 1_100 }),
      ended('ex_4', MIDNIGHT, { create: { workflowId: 'wf_c' } }),
      ended('ex_5', at, { create: { workflowId: 'wf_b', ownerId: 'usr_b' } }),
      beginning('ex_6', { create: { createdAt: at } }),
    ]);
    const before = [
      [hour, 'completed', findBucket(5), 2],
      [hour, 'failed', findBucket(1_000), 1],
    ];
    expect(await read('wf_a')).toEqual(before);
    expect(await read('wf_c')).toEqual([[MIDNIGHT, 'completed', findBucket(5), 1]]);
    expect(await read('usr_a')).toEqual([[MIDNIGHT, 'completed', findBucket(5), 1], ...before]);
    expect(await read('usr_b')).toEqual([[hour, 'completed', findBucket(5), 1]]);

    // The same checkpoint again is stale and does not count.
    const end = next('ex_6', 1, 1, { startTime: at, endTime: at + 5 * HOUR_MS });
    await store.executions.commit([end]);
    await store.executions.commit([end]);
    await tested().reopen();
    store = tested().store;
    expect(await read('wf_a')).toEqual([
      [hour, 'completed', findBucket(5), 2],
      [hour, 'completed', findBucket(5 * HOUR_MS), 1],
      [hour, 'failed', findBucket(1_000), 1],
    ]);
    expect(await store.statistics.readWorkflow('usr_b', 'wf_a', hours(0, HOUR_MS))).toBeNull();
    expect(await store.statistics.readWorkflow('usr_a', 'wf_none', hours(0, HOUR_MS))).toBeNull();
  });

  test('a stopped execution counts without a duration', async () => {
    await store.executions.commit([
      beginning('ex_1', { create: { createdAt: MIDNIGHT } }),
      beginning('ex_2', { create: { createdAt: MIDNIGHT } }),
    ]);
    await store.executions.stop('usr_a', 'ex_1', MIDNIGHT + 9, '[]');
    await store.executions.stop('usr_a', 'ex_1', MIDNIGHT + 10, '[]');
    await store.executions.commit([next('ex_2', 1, 1, { status: 'stopped', startTime: MIDNIGHT })]);
    expect(await read('wf_a')).toEqual([[MIDNIGHT, 'stopped', null, 2]]);
  });

  test('ranges: from is inclusive, to exclusive; days sum hours', async () => {
    await store.executions.commit([
      ended('ex_0', MIDNIGHT - 1),
      ended('ex_1', MIDNIGHT),
      ended('ex_2', MIDNIGHT + DAY_MS - 1),
      ended('ex_3', MIDNIGHT + DAY_MS),
    ]);
    const five = findBucket(5);
    expect(await read('wf_a', hours(MIDNIGHT, MIDNIGHT + HOUR_MS))).toEqual([
      [MIDNIGHT, 'completed', five, 1],
    ]);
    expect(await read('wf_a', hours(MIDNIGHT + HOUR_MS, MIDNIGHT + 2 * HOUR_MS))).toEqual([]);
    expect(await read('wf_a', days(MIDNIGHT, MIDNIGHT + DAY_MS))).toEqual([[MIDNIGHT, 'completed', five, 2]]);
    expect(await read('usr_a', days(MIDNIGHT - DAY_MS, MIDNIGHT + 2 * DAY_MS))).toEqual([
      [MIDNIGHT - DAY_MS, 'completed', five, 1],
      [MIDNIGHT, 'completed', five, 2],
      [MIDNIGHT + DAY_MS, 'completed', five, 1],
    ]);
  });

  test('they stay when executions are deleted, and go with their workflow and owner', async () => {
    const five = findBucket(5);
    await store.executions.commit([ended('ex_1', MIDNIGHT)]);
    expect((await store.maintenance.prune(MIDNIGHT + DAY_MS, 100)).executions).toBe(1);
    expect(await read('wf_a')).toEqual([[MIDNIGHT, 'completed', five, 1]]);
    await store.workflows.remove('usr_a', 'wf_a');
    await store.workflows.save(workflow('wf_a'));
    expect(await read('wf_a')).toEqual([]);
    expect(await read('usr_a')).toEqual([[MIDNIGHT, 'completed', five, 1]]);
    await store.accounts.removeUser('usr_a');
    expect(await read('usr_a')).toEqual([]);
  });

  test('hours become days after 30 days and go after their retention; the sums stay the same', async () => {
    const now = MIDNIGHT + 31 * DAY_MS + HOUR_MS;
    const times = [0, 1, 2, 23, 24, 25].map((hour) => MIDNIGHT + hour * HOUR_MS);
    await store.executions.commit(
      times.flatMap((at, i) => [
        ended(`ex_a${i}`, at),
        ended(`ex_c${i}`, at, { create: { workflowId: 'wf_c' } }),
      ]),
    );
    const range = days(MIDNIGHT, MIDNIGHT + 2 * DAY_MS);
    const before = await read('usr_a', range);
    expect(before).toEqual([
      [MIDNIGHT, 'completed', findBucket(5), 8],
      [MIDNIGHT + DAY_MS, 'completed', findBucket(5), 4],
    ]);
    expect(await store.statistics.compact(now, RETENTION_MS, 2)).toBe(true);
    expect(await store.statistics.compact(now, RETENTION_MS, 100)).toBe(false);
    expect(await read('usr_a', range)).toEqual(before);
    expect(await read('wf_a', hours(MIDNIGHT, MIDNIGHT + 2 * DAY_MS))).toEqual([
      [MIDNIGHT, 'completed', findBucket(5), 4],
      [MIDNIGHT + DAY_MS, 'completed', findBucket(5), 1],
      [MIDNIGHT + DAY_MS + HOUR_MS, 'completed', findBucket(5), 1],
    ]);
    // An execution that ends late.
    await store.executions.commit([ended('ex_late', MIDNIGHT + 3 * HOUR_MS)]);
    await tested().reopen();
    store = tested().store;
    expect(await store.statistics.compact(now, RETENTION_MS, 100)).toBe(false);
    expect(await read('wf_a', hours(MIDNIGHT, MIDNIGHT + DAY_MS))).toEqual([
      [MIDNIGHT, 'completed', findBucket(5), 5],
    ]);
    expect(await store.statistics.compact(MIDNIGHT + RETENTION_MS + 1, RETENTION_MS, 100)).toBe(false);
    expect(await read('usr_a', range)).toEqual([[MIDNIGHT + DAY_MS, 'completed', findBucket(5), 4]]);
  });
}
