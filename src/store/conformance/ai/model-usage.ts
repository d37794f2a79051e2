import { beforeEach, expect, test } from 'vitest';
import { toCallSum } from '../../../contract/ai/usage.ts';
import type { Store } from '../../../ports/store.ts';
import { DAY_MS } from '../../../ports/store/statistics.ts';
import type { UsageRecord } from '../../../ports/store/ai/model-usage.ts';
import { beginning, creation, next, workflow, type StoreUnderTest } from '../samples.ts';

/** Midnight UTC. */
const DAY = Date.UTC(2026, 2, 10);

export function usageSuite(tested: () => StoreUnderTest): void {
  let store: Store;
  beforeEach(async () => {
    store = tested().store;
    await store.workflows.save(workflow('wf_a', { row: { settings: { max_cost_per_day: 5 } } }));
    await store.workflows.save(workflow('wf_b', { row: { ownerId: 'usr_b' } }));
  });
  const call = (tokens: number, cost: number | null, model = 'openai/a', day = DAY): UsageRecord => ({
    ...toCallSum(
      model,
      { input_tokens: tokens, cached_input_tokens: 1, output_tokens: 2, reasoning_tokens: 1 },
      cost,
    ),
    day,
  });
  const range = { from: DAY - 10 * DAY_MS, to: DAY + 10 * DAY_MS };
  const ofUserB = { create: { ownerId: 'usr_b', workflowId: 'wf_b' } };

  test('calls count with the checkpoint that records them, exactly once', async () => {
    await store.executions.commit([
      beginning('ex_1', { usage: [call(10, 0.1), call(10, 0.2)] }),
      beginning('ex_2', { usage: [call(5, null)] }),
      creation('ex_3', { ...ofUserB, usage: [call(7, 1)] }),
    ]);
    const later = next('ex_1', 1, 1, { usage: [call(3, 0.3)] });
    await store.executions.commit([later]);
    // The same checkpoint again is stale.
    expect(await store.executions.commit([later])).toEqual([{ kind: 'stale' }]);
    await tested().reopen();
    ({ store } = tested());
    expect(await store.usage.sum({ ...range, ownerId: 'usr_a' }, [], 10)).toEqual([
      {
        day: null,
        workflowId: null,
        ownerId: null,
        model: null,
        calls: 4,
        unpriced: 1,
        inputTokens: 28,
        cachedInputTokens: 4,
        outputTokens: 8,
        reasoningTokens: 4,
        cost: 600_000_000,
      },
    ]);
    const byUser = await store.usage.sum(range, ['user'], 10);
    expect(byUser.map(({ ownerId, calls, cost }) => [ownerId, calls, cost])).toEqual([
      ['usr_b', 1, 1_000_000_000],
      ['usr_a', 4, 600_000_000],
    ]);
  });

  test('is summed by day and model, newest first, within the range', async () => {
    await store.executions.commit([
      beginning('ex_1', {
        usage: [
          call(1, 0.1, 'openai/a', DAY - DAY_MS),
          call(1, 0.1, 'openai/a'),
          call(1, 0.4, 'openai/b'),
          call(1, 9, 'openai/a', DAY + 10 * DAY_MS),
        ],
      }),
    ]);
    const rows = await store.usage.sum({ ...range, workflowId: 'wf_a' }, ['day', 'model'], 10);
    expect(rows.map(({ day, model, calls }) => [day, model, calls])).toEqual([
      [DAY, 'openai/b', 1],
      [DAY, 'openai/a', 1],
      [DAY - DAY_MS, 'openai/a', 1],
    ]);
    expect(await store.usage.sum({ ...range, workflowId: 'wf_a' }, ['day', 'model'], 2)).toHaveLength(2);
    expect(await store.usage.sum({ ...range, model: 'openai/b' }, ['model'], 9)).toMatchObject([
      { model: 'openai/b', calls: 1 },
    ]);
    expect(await store.usage.sum({ ...range, workflowId: 'wf_b' }, ['day'], 9)).toEqual([]);
  });

  test('the terms of a call are those of its day, with the settings and prices of now', async () => {
    const none = { prices: {}, tokens: 0, cost: 0 };
    expect(await store.usage.terms('wf_a', DAY)).toMatchObject({ ...none, budget: { max_cost_per_day: 5 } });
    await store.executions.commit([
      beginning('ex_1', {
        usage: [call(10, 0.1), call(1, 0.2, 'openai/b'), call(1, 7, 'x/y', DAY - DAY_MS)],
      }),
    ]);
    await store.usage.setPrices({ 'openai/*': { input: 1, output: 2 } });
    expect(await store.usage.terms('wf_a', DAY)).toMatchObject({
      prices: { 'openai/*': { input: 1, output: 2 } },
      tokens: 15,
      cost: 300_000_000,
    });
    await store.usage.setPrices({});
    expect(await store.usage.prices()).toEqual({});
    expect(await store.usage.terms('wf_gone', DAY)).toMatchObject({ ...none, budget: {} });
  });

  test('is pruned by day, and deleted with its user but not with its workflow', async () => {
    await store.executions.commit([
      beginning('ex_1', { usage: [call(1, 0, 'a/b', DAY - DAY_MS), call(1, 0)] }),
      creation('ex_2', { ...ofUserB, usage: [call(1, 0)] }),
    ]);
    expect(await store.usage.prune(DAY - 5, 1)).toBe(true);
    expect(await store.usage.prune(DAY - 5, 1)).toBe(false);
    await store.workflows.remove('usr_a', 'wf_a');
    const days = async () =>
      (await store.usage.sum(range, ['day', 'user'], 9))
        .map(({ day, ownerId }) => `${day} ${ownerId}`)
        .toSorted((a, b) => (a < b ? -1 : 1));
    expect(await days()).toEqual([`${DAY} usr_a`, `${DAY} usr_b`]);
    await store.accounts.removeUser('usr_b');
    expect(await days()).toEqual([`${DAY} usr_a`]);
  });
}
