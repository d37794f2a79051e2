import type { ModelServer } from '../../contract/ai/models.ts';
import { toDollars, type DailyLimit, type ModelCallSum } from '../../contract/ai/usage.ts';
import { HttpFailure } from '../../contract/node-type.ts';
import type { CallTerms } from '../../ports/store/ai/model-usage.ts';
import { hasPrice } from './model-prices.ts';

/**
 * Checks the budget of a workflow before a call. `calls`: those that the attempt completed, which are not
 * stored yet. `day`: the start of the day in UTC. @throws {HttpFailure} when the call must not begin.
 */
export function checkDailyBudget(
  { budget, prices, tokens, cost }: CallTerms,
  calls: readonly ModelCallSum[],
  server: Pick<ModelServer, 'provider' | 'model'>,
  day: number,
): void {
  const { max_cost_per_day: maxCost, max_tokens_per_day: maxTokens } = budget;
  if (maxCost !== undefined) {
    if (!hasPrice(prices, server)) {
      const issue = `has no price, which max_cost_per_day of the workflow requires: ${server.provider}/${server.model}`;
      throw new HttpFailure({
        type: 'validation',
        message: `model: ${issue}`,
        retryable: false,
        data: { field: 'model', issue },
      });
    }
    const used = toDollars(calls.reduce((sum, call) => sum + call.cost, cost));
    if (used >= maxCost) throw budgetReached('cost_per_day', 'US dollars', maxCost, used, day);
  }
  if (maxTokens === undefined) return;
  const used = calls.reduce((sum, call) => sum + call.inputTokens + call.outputTokens, tokens);
  if (used >= maxTokens) throw budgetReached('tokens_per_day', 'tokens', maxTokens, used, day);
}

function budgetReached(
  limit: DailyLimit,
  unit: string,
  budget: number,
  used: number,
  day: number,
): HttpFailure {
  const date = new Date(day).toISOString().slice(0, 10);
  return new HttpFailure({
    type: 'limit',
    message: `The workflow has used its budget of ${budget} ${unit} for ${date} (UTC).`,
    retryable: false,
    data: { limit, budget, used, day: date },
  });
}
