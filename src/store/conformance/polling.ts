import { beforeEach, expect, test } from 'vitest';
import { limits } from '../../ports/limits.ts';
import type { Store } from '../../ports/store.ts';
import type { PollingTrigger } from '../../ports/store/active-triggers.ts';
import type { PollClaim, PollOutcome } from '../../ports/store/polling.ts';
import { creation, schedule, T0, workflow, type StoreUnderTest } from './samples.ts';

const none = { webhooks: [], schedules: [], completionTriggers: [] };
const poll = (
  nodeId: string,
  nextRunAt: number | null,
  rest: Partial<PollingTrigger> = {},
): PollingTrigger => ({
  ...schedule('wf_p', nodeId, nextRunAt),
  memory: 'nothing',
  ...rest,
});
const end = (rest: Partial<PollOutcome> = {}): PollOutcome => ({
  next: T0 + 60,
  lastError: null,
  failures: 0,
  number: 1,
  etag: null,
  lastModified: null,
  cursor: null,
  remember: [],
  listed: [],
  ...rest,
});

export function pollsSuite(current: () => StoreUnderTest): void {
  let store: Store;
  beforeEach(() => {
    ({ store } = current());
  });
  let version = 0;
  async function save(polls: PollingTrigger[], active = true): Promise<void> {
    const expected = version === 0 ? null : version;
    version += 1;
    const row = { version, activeVersion: active ? version : null };
    const live = { ...none, pollingTriggers: polls };
    expect(await store.workflows.save(workflow('wf_p', { row, expected, live }))).toEqual({ kind: 'saved' });
  }
  beforeEach(() => {
    version = 0;
  });
  const claim = (due: number, nodeId = 'a') => store.polls.claim('wf_p', nodeId, due, T0 + 1_000);
  const take = (id: string, by: PollClaim, key: string) =>
    creation(id, {
      create: {
        workflowId: 'wf_p',
        polled: { workflowId: 'wf_p', nodeId: by.nodeId, fence: by.fence, key, number: 1 },
      },
    });
  const kinds = async (...batch: ReturnType<typeof take>[]) =>
    (await store.executions.commit(batch)).map((result) => result.kind);

  test('one claim at a time: due in order, extended by renewal, ended by settling', async () => {
    await save([poll('a', T0 + 20), poll('b', T0 + 10), poll('c', null)]);
    expect(await store.polls.next()).toBe(T0 + 10);
    expect((await store.polls.due(T0 + 30, 9)).map((row) => row.nodeId)).toEqual(['b', 'a']);
    expect((await store.workflows.schedules('usr_a', 'wf_p')).map((row) => row.nodeId)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect((await store.workflows.schedulesOfMany('usr_a', ['wf_p'])).map((row) => row.nodeId)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(await store.workflows.schedules('usr_b', 'wf_p')).toEqual([]);
    const both = await Promise.all([claim(T0 + 20), claim(T0 + 20)]);
    const mine = both.find((one) => one !== null)!;
    expect(both.filter((one) => one === null)).toHaveLength(1);
    expect(mine).toMatchObject({ number: 0, failures: 0, etag: null, lastModified: null, cursor: null });
    expect((await store.polls.due(T0 + 999, 9)).map((row) => row.nodeId)).toEqual(['b']);
    expect(await store.polls.renew(mine, T0 + 2_000)).toBe(true);
    expect(await claim(T0 + 1_000)).toBeNull();
    expect(mine.dueAt).toBe(T0 + 20);
    // The lease has expired: another worker takes the poll, and the first one has no more effect.
    const other = (await store.polls.claim('wf_p', 'a', T0 + 2_000, T0 + 3_000))!;
    expect(other.dueAt).toBe(T0 + 20);
    expect(await store.polls.renew(mine, T0 + 9_000)).toBe(false);
    expect(await store.polls.release(mine)).toBe(false);
    expect(await store.polls.settle(mine, end())).toBe(false);
    expect(await kinds(take('ex_1', mine, 'k'))).toEqual(['tick_taken']);
    expect(
      await store.polls.settle(
        other,
        end({ etag: '"v1"', lastModified: 'x', lastError: 'why', failures: 2 }),
      ),
    ).toBe(true);
    expect(await store.polls.settle(other, end())).toBe(false);
    expect(await kinds(take('ex_1', other, 'k'))).toEqual(['tick_taken']);
    expect((await store.workflows.schedules('usr_a', 'wf_p'))[0]).toMatchObject({
      nextRunAt: T0 + 60,
      lastError: 'why',
    });
    expect(await claim(T0 + 60)).toMatchObject({ number: 1, failures: 2, etag: '"v1"', lastModified: 'x' });
  });

  test('releasing a claim restores the due time of the poll', async () => {
    await save([poll('a', T0 + 20)]);
    const mine = (await claim(T0 + 20))!;
    expect(await store.polls.release(mine)).toBe(true);
    expect(await store.polls.release(mine)).toBe(false);
    expect(await kinds(take('ex_1', mine, 'k'))).toEqual(['tick_taken']);
    expect(await claim(T0 + 20)).toMatchObject({ dueAt: T0 + 20 });
  });

  test('an item is marked as seen with the execution that is created for it, once', async () => {
    await save([poll('a', T0), poll('b', T0)]);
    const mine = (await claim(T0))!;
    const theirs = (await claim(T0, 'b'))!;
    expect(
      await kinds(
        take('ex_1', mine, 'k1'),
        take('ex_2', mine, 'k1'),
        take('ex_3', mine, 'k2'),
        take('ex_4', theirs, 'k1'),
      ),
    ).toEqual(['written', 'tick_taken', 'written', 'written']);
    expect(await kinds(take('ex_5', mine, 'k2'))).toEqual(['tick_taken']);
    expect((await store.polls.filterSeen('wf_p', 'a', ['k0', 'k1', 'k2', 'k3'])).toSorted()).toEqual([
      'k1',
      'k2',
    ]);
    expect(await store.polls.filterSeen('wf_p', 'b', ['k1', 'k2'])).toEqual(['k1']);
    expect(await store.polls.filterSeen('wf_p', 'b', [])).toEqual([]);
    await store.polls.release(mine);
    await current().reopen();
    ({ store } = current());
    const again = (await claim(T0))!;
    expect(await kinds(take('ex_6', again, 'k1'), take('ex_7', again, 'k3'))).toEqual([
      'tick_taken',
      'written',
    ]);
  });

  test('a change of the workflow ends the claim; seen items are kept or dropped as requested', async () => {
    await save([poll('a', T0)]);
    const first = (await claim(T0))!;
    await store.polls.settle(
      first,
      end({ remember: ['k1'], listed: ['k1'], etag: '"v1"', failures: 1, cursor: 'c1' }),
    );
    const held = (await claim(T0 + 60))!;
    await save([poll('a', T0 + 5, { memory: 'all' })]);
    expect(await store.polls.settle(held, end())).toBe(false);
    expect(await kinds(take('ex_1', held, 'k9'))).toEqual(['tick_taken']);
    const kept = (await claim(T0 + 5))!;
    expect(kept).toMatchObject({ number: 1, etag: '"v1"', failures: 1, cursor: 'c1' });
    await save([], false);
    expect(await store.polls.due(T0 + 9_999, 9)).toEqual([]);
    expect((await store.workflows.schedules('usr_a', 'wf_p'))[0]).toMatchObject({
      nodeId: 'a',
      nextRunAt: null,
    });
    expect(await store.polls.renew(kept, T0)).toBe(false);
    await save([poll('a', T0 + 6, { memory: 'items' })]);
    expect(await claim(T0 + 6)).toMatchObject({ number: 1, etag: null, failures: 0, cursor: 'c1' });
    expect(await store.polls.filterSeen('wf_p', 'a', ['k1'])).toEqual(['k1']);
    await save([poll('a', T0 + 7)]);
    expect(await claim(T0 + 7)).toMatchObject({ number: 0, etag: null, cursor: null });
    expect(await store.polls.filterSeen('wf_p', 'a', ['k1'])).toEqual([]);
    await save([poll('b', T0)]);
    expect((await store.workflows.schedules('usr_a', 'wf_p')).map((row) => row.nodeId)).toEqual(['b']);
  });

  test('the newest keys are kept, and all keys of the last response regardless of age', async () => {
    await save([poll('a', T0)]);
    const keys = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i}`);
    const old = keys('old', 600);
    const more = keys('more', limits.polledKeys);
    const last = keys('last', limits.polledKeys / 10);
    let at = T0;
    let number = 0;
    const round = async (remember: string[], listed: string[]): Promise<void> => {
      const mine = (await claim(at))!;
      at += 60;
      number += 1;
      expect(await store.polls.settle(mine, end({ next: at, number, remember, listed }))).toBe(true);
    };
    await round(old, old);
    await round(more, more);
    // Less than a tenth over the limit: nothing is deleted.
    expect(await store.polls.filterSeen('wf_p', 'a', old)).toHaveLength(old.length);
    const stays = old.slice(0, 100);
    await round(last, [...last, ...stays]);
    expect((await store.polls.filterSeen('wf_p', 'a', old)).toSorted()).toEqual(stays.toSorted());
    expect(await store.polls.filterSeen('wf_p', 'a', last)).toHaveLength(last.length);
    expect(await store.polls.filterSeen('wf_p', 'a', more)).toHaveLength(
      limits.polledKeys - last.length - stays.length,
    );
  });

  test('is deleted with the workflow', async () => {
    await save([poll('a', T0)]);
    const mine = (await claim(T0))!;
    await store.polls.settle(mine, end({ remember: ['k1'] }));
    expect(await store.workflows.remove('usr_a', 'wf_p')).toBe(true);
    expect(await store.polls.next()).toBeNull();
    expect(await store.polls.filterSeen('wf_p', 'a', ['k1'])).toEqual([]);
  });
}
