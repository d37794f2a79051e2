import { describe, expect, test } from 'vitest';
import { toCallSum, type ModelCallSum } from '../../contract/ai/usage.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import { DAY_MS } from '../../ports/store/statistics.ts';
import type { CallTerms } from '../../ports/store/ai/model-usage.ts';
import { checkDailyBudget } from './daily-budget.ts';
import { createModelClient } from './model-client.ts';

const DAY = Date.UTC(2026, 2, 10);
const server = { provider: 'openai' as const, model: 'a' };
const call = (tokens: number, cost: number | null): ModelCallSum =>
  toCallSum(
    'openai/a',
    { input_tokens: tokens, cached_input_tokens: 0, output_tokens: 0, reasoning_tokens: 0 },
    cost,
  );
const terms = (more: Partial<CallTerms>): CallTerms => ({
  prices: { 'openai/*': { input: 1, output: 1 } },
  budget: {},
  tokens: 0,
  cost: 0,
  ...more,
});
const check = (given: CallTerms, calls: readonly ModelCallSum[] = []): unknown => {
  try {
    checkDailyBudget(given, calls, server, DAY);
    return null;
  } catch (error) {
    if (error instanceof HttpFailure) return error.failure;
    throw error;
  }
};

describe('the budget of a day', () => {
  test('allows a call below it, and none from it on', () => {
    const budget = { max_tokens_per_day: 100 };
    expect(check(terms({ budget, tokens: 99 }))).toBe(null);
    expect(check(terms({ budget, tokens: 100 }))).toEqual({
      type: 'limit',
      message: 'The workflow has used its budget of 100 tokens for 2026-03-10 (UTC).',
      retryable: false,
      data: { limit: 'tokens_per_day', budget: 100, used: 100, day: '2026-03-10' },
    });
    expect(check(terms({ budget: { max_cost_per_day: 0.5 }, cost: 499_999_999 }))).toBe(null);
    expect(check(terms({ budget: { max_cost_per_day: 0.5 }, cost: 500_000_000 }))).toMatchObject({
      data: { limit: 'cost_per_day', budget: 0.5, used: 0.5 },
    });
  });

  test('includes the calls that the attempt completed, which are not stored yet', () => {
    const budget = { max_tokens_per_day: 100, max_cost_per_day: 1 };
    expect(check(terms({ budget, tokens: 60 }), [call(39, 0)])).toBe(null);
    expect(check(terms({ budget, tokens: 60 }), [call(20, 0), call(20, 0)])).toMatchObject({
      data: { used: 100 },
    });
    expect(check(terms({ budget, cost: 900_000_000 }), [call(1, 0.1)])).toMatchObject({
      data: { limit: 'cost_per_day' },
    });
  });

  test('of cost refuses a model without a price, because its calls would not count', () => {
    expect(check(terms({ budget: { max_cost_per_day: 1 }, prices: {} }))).toMatchObject({
      type: 'validation',
      retryable: false,
      data: { field: 'model' },
    });
    expect(check(terms({ budget: { max_tokens_per_day: 1 }, prices: {} }))).toBe(null);
  });

  test('begins anew at midnight UTC', async () => {
    let now = DAY + DAY_MS - 1;
    const asked: number[] = [];
    const models = createModelClient({
      clock: { now: () => now },
      prices: {},
      loadRedactor: () => Promise.resolve((value) => value),
      loadTerms: (_workflowId, day) => {
        asked.push(day);
        return Promise.resolve(terms({ budget: { max_tokens_per_day: 1 }, tokens: day === DAY ? 1 : 0 }));
      },
    }).open({
      signal: new AbortController().signal,
      ownerId: 'usr_1',
      workflowId: 'wf_a',
      calls: [],
      send: () => Promise.reject(new Error('sent')),
    });
    const ask = () =>
      models.embed(
        {
          provider: 'openai',
          model: 'a',
          baseUrl: null,
          timeout: 1_000,
          credentials: { proof: () => ({ headers: {}, query: {} }), renew: () => Promise.resolve(false) },
        },
        { texts: ['x'], dimensions: null, idempotencyKey: 'k' },
      );
    await expect(ask()).rejects.toMatchObject({ failure: { type: 'limit' } });
    now++;
    await expect(ask()).rejects.toThrow('sent');
    expect(asked).toEqual([DAY, DAY + DAY_MS]);
  });
});
