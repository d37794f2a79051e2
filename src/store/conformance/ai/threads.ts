import { beforeEach, expect, test } from 'vitest';
import { MAX_THREAD_TURNS, MAX_VISITOR_THREADS } from '../../../contract/ai/threads.ts';
import type { Store } from '../../../ports/store.ts';
import type { NewThreadTurn } from '../../../ports/store/ai/threads.ts';
import { beginning, next, T0, workflow } from '../samples.ts';

const owner = { ownerId: 'usr_a', workflowId: 'wf_a' };
const address = { namespace: null, key: 'ada' };

const turn = (text: string, fields: Partial<NewThreadTurn> = {}): NewThreadTurn => ({
  thread: address,
  workflowId: 'wf_a',
  path: 'agent',
  messages: JSON.stringify([{ role: 'user', content: text }]),
  messageCount: 1,
  tokens: 10,
  at: T0,
  expiresAt: null,
  ...fields,
});
const texts = (messages: readonly unknown[]): string[] =>
  messages.map((message) => (message as { content: string }).content);

export function threadsSuite(store: () => Store): void {
  beforeEach(async () => {
    await store().workflows.save(workflow('wf_a'));
    await store().executions.commit([beginning('ex_1'), beginning('ex_2')]);
  });
  const commit = (id: string, seq: number, turns: readonly NewThreadTurn[], fence = 1) =>
    store().executions.commit([
      next(id, fence, seq, { status: 'running', progress: 0, endTime: null, turns }),
    ]);
  const read = async (tokens = 1_000, now = T0) =>
    texts(await store().threads.read(owner, address, tokens, now));

  test('turns are written with their checkpoint, and not with one that is refused', async () => {
    expect(await read()).toEqual([]);
    expect(await commit('ex_1', 1, [turn('one')])).toEqual([{ kind: 'written' }]);
    expect(await commit('ex_1', 1, [turn('one')])).toEqual([{ kind: 'stale' }]);
    expect(await commit('ex_1', 2, [turn('no')], 7)).toEqual([{ kind: 'stale' }]);
    await store().executions.commit([
      next('ex_1', 1, 2, {
        turns: [turn('two'), turn('other', { thread: { namespace: null, key: 'eve' } })],
      }),
      next('ex_2', 1, 1, { turns: [turn('three')] }),
    ]);
    expect(await read()).toEqual(['one', 'two', 'three']);
  });

  test('the newest turns within the limit on tokens are read', async () => {
    await commit('ex_1', 1, [turn('one'), turn('two', { tokens: 50 }), turn('three'), turn('four')]);
    expect(await read(20)).toEqual(['three', 'four']);
    expect(await read(69)).toEqual(['three', 'four']);
    expect(await read(70)).toEqual(['two', 'three', 'four']);
    expect(await read(9)).toEqual([]);
  });

  test('a thread keeps its newest turns', async () => {
    const all = Array.from({ length: MAX_THREAD_TURNS + 5 }, (_, i) => turn(String(i), { tokens: 1 }));
    await commit('ex_1', 1, all);
    const kept = await read(10_000);
    expect(kept).toHaveLength(MAX_THREAD_TURNS);
    expect(kept[0]).toBe('5');
  });

  test('threads belong to their owner, and to a workflow or a namespace', async () => {
    const shared = { namespace: 'team', key: 'ada' };
    await commit('ex_1', 1, [turn('own'), turn('shared', { thread: shared })]);
    const { threads } = store();
    const other = { ...owner, workflowId: 'wf_b' };
    expect(texts(await threads.read(other, address, 1_000, T0))).toEqual([]);
    expect(texts(await threads.read(other, shared, 1_000, T0))).toEqual(['shared']);
    expect(await threads.read({ ...owner, ownerId: 'usr_b' }, shared, 1_000, T0)).toEqual([]);
    const { items, total } = await threads.list('usr_a', {}, 0, 10, T0);
    expect(total).toBe(2);
    expect(items.find(({ namespace }) => namespace === null)).toMatchObject({
      workflowId: 'wf_a',
      workflowName: 'Workflow wf_a',
      key: 'ada',
      turns: 1,
      messages: 1,
      tokens: 10,
    });
    expect(await threads.list('usr_b', {}, 0, 10, T0)).toMatchObject({ total: 0 });
    expect(await threads.list('usr_a', { namespace: 'team' }, 0, 10, T0)).toMatchObject({ total: 1 });
    expect(await threads.list('usr_a', { workflowId: 'wf_a', search: 'AD' }, 0, 10, T0)).toMatchObject({
      total: 1,
    });
    expect(await threads.list('usr_a', { search: '%' }, 0, 10, T0)).toMatchObject({ total: 0 });
    const { id } = items[0]!;
    expect(await threads.get('usr_b', id, 1_000, T0)).toBeNull();
    expect(await threads.remove('usr_b', id)).toBe(false);
  });

  test('a thread is shown, deleted, and begins anew', async () => {
    await commit('ex_1', 1, [turn('one'), turn('two', { at: T0 + 5 })]);
    const { threads } = store();
    const { id } = (await threads.list('usr_a', {}, 0, 10, T0)).items[0]!;
    expect(await threads.get('usr_a', id, 1_000, T0)).toMatchObject({
      thread: { turns: 2, createdAt: T0, updatedAt: T0 + 5 },
      turns: [
        { executionId: 'ex_1', path: 'agent', at: T0, messages: [{ role: 'user', content: 'one' }] },
        { messages: [{ content: 'two' }] },
      ],
    });
    expect((await threads.get('usr_a', id, 60, T0))?.turns).toHaveLength(1);
    expect(await threads.remove('usr_a', id)).toBe(true);
    expect(await threads.get('usr_a', id, 1_000, T0)).toBeNull();
    await commit('ex_1', 2, [turn('three')]);
    expect(await read()).toEqual(['three']);
  });

  test('a thread whose time is over is hidden, begins anew, and is deleted', async () => {
    const { threads, maintenance } = store();
    await commit('ex_1', 1, [turn('one', { expiresAt: T0 + 10 })]);
    expect(await read(1_000, T0 + 9)).toEqual(['one']);
    expect(await read(1_000, T0 + 10)).toEqual([]);
    await commit('ex_1', 2, [turn('two', { at: T0 + 20, expiresAt: T0 + 30 })]);
    expect(await read(1_000, T0 + 20)).toEqual(['two']);
    expect((await threads.list('usr_a', {}, 0, 10, T0 + 30)).total).toBe(0);
    await maintenance.prune(T0 + 30, 10);
    expect((await threads.list('usr_a', {}, 0, 10, T0)).total).toBe(0);
  });

  test('visitors keep the threads that were used last, and other keys keep all', async () => {
    const count = MAX_VISITOR_THREADS + 25;
    const threads = Array.from({ length: count }, (_, i) =>
      turn('hello', { thread: { namespace: null, key: `public.${i}` }, at: T0 + i }),
    );
    const shared = { namespace: 'team', key: 'public.0' };
    const others = [turn('a'), turn('b', { thread: shared })];
    await commit('ex_1', 1, [...threads, ...others]);
    // Used again, so not one of the oldest.
    await commit('ex_1', 2, [
      turn('again', { thread: { namespace: null, key: 'public.0' }, at: T0 + count }),
    ]);
    await store().maintenance.prune(T0 + count, 10);
    const { total } = await store().threads.list('usr_a', {}, 0, 1, T0);
    expect(total).toBe(MAX_VISITOR_THREADS + others.length);
    const find = (key: string) => store().threads.read(owner, { namespace: null, key }, 1_000, T0);
    expect(texts(await find('public.0'))).toEqual(['hello', 'again']);
    for (let i = 1; i <= 25; i++) expect(await find(`public.${i}`)).toEqual([]);
    expect(texts(await find('public.26'))).toEqual(['hello']);
    expect(await read()).toEqual(['a']);
  });

  test('the threads of a workflow are deleted with it', async () => {
    await commit('ex_1', 1, [turn('one'), turn('two', { thread: { namespace: 'team', key: 'x' } })]);
    await store().workflows.remove('usr_a', 'wf_a');
    const { items } = await store().threads.list('usr_a', {}, 0, 10, T0);
    expect(items.map(({ namespace }) => namespace)).toEqual(['team']);
  });
}
