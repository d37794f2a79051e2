import type { ModelUsage } from './models.ts';

/** Costs are stored as integers, so that sums are exact. */
const NANODOLLARS_PER_DOLLAR = 1_000_000_000;
/** Of one call. A provider can report any number, and sums must fit 64 bits. */
const MAX_TOKENS = 1_000_000_000;
/** Of one call, in nanodollars: 10,000 US dollars. */
const MAX_COST = 10_000 * NANODOLLARS_PER_DOLLAR;

/**
 * Calls of one model, summed. `model` is `provider/model`, as in the table of prices; `unpriced`: the calls
 * whose model had no price. `cost` in nanodollars, without the unpriced calls.
 */
export type ModelCallSum = {
  readonly model: string;
  readonly calls: number;
  readonly unpriced: number;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly cost: number;
};

/** The sums of calls of any models. */
export type CallAmounts = Omit<ModelCallSum, 'model'>;

/** A call that completed. `cost` in US dollars; null without a price. */
export function toCallSum(model: string, usage: ModelUsage, cost: number | null): ModelCallSum {
  return {
    model,
    calls: 1,
    unpriced: cost === null ? 1 : 0,
    inputTokens: toAmount(usage.input_tokens, MAX_TOKENS),
    cachedInputTokens: toAmount(usage.cached_input_tokens, MAX_TOKENS),
    outputTokens: toAmount(usage.output_tokens, MAX_TOKENS),
    reasoningTokens: toAmount(usage.reasoning_tokens, MAX_TOKENS),
    cost: toAmount((cost ?? 0) * NANODOLLARS_PER_DOLLAR, MAX_COST),
  };
}

/** An integer from 0 to `max`, as stores need it. */
export function toAmount(value: number, max = MAX_TOKENS): number {
  return value > 0 ? Math.min(max, Math.round(value)) : 0;
}

export function addCallSums(a: ModelCallSum, b: ModelCallSum): ModelCallSum {
  return { model: a.model, ...addAmounts(a, b) };
}

export function addAmounts(a: CallAmounts, b: CallAmounts): CallAmounts {
  return {
    calls: a.calls + b.calls,
    unpriced: a.unpriced + b.unpriced,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    cost: Math.min(Number.MAX_SAFE_INTEGER, a.cost + b.cost),
  };
}

/** The sum of all; null without any. */
export function sumCalls(sums: readonly ModelCallSum[]): CallAmounts | null {
  return sums.length === 0 ? null : sums.reduce<CallAmounts>(addAmounts, NO_CALLS);
}

export const NO_CALLS: CallAmounts = {
  calls: 0,
  unpriced: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cost: 0,
};

/** One entry per model. */
export function groupCallSums(sums: readonly ModelCallSum[]): ModelCallSum[] {
  const byModel = new Map<string, ModelCallSum>();
  for (const sum of sums) {
    const known = byModel.get(sum.model);
    byModel.set(sum.model, known === undefined ? sum : addCallSums(known, sum));
  }
  return [...byModel.values()];
}

export function toDollars(nanodollars: number): number {
  return nanodollars / NANODOLLARS_PER_DOLLAR;
}

/** What all calls of a workflow may use on one day in UTC: US dollars, and tokens of input and output. */
export type DailyBudget = { readonly max_cost_per_day?: number; readonly max_tokens_per_day?: number };

/** The error of a call that a budget of the workflow does not allow: `data.limit` of its failure. */
export const dailyLimits = ['cost_per_day', 'tokens_per_day'] as const;
export type DailyLimit = (typeof dailyLimits)[number];
