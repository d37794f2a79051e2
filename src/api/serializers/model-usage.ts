import { toDollars, type CallAmounts } from '../../contract/ai/usage.ts';
import type { ModelUsage } from '../../services/usage/model-usage.service.ts';
import type { PriceView } from '../../services/usage/model-prices.service.ts';

export function presentCallAmounts(sum: CallAmounts) {
  return {
    calls: sum.calls,
    unpriced_calls: sum.unpriced,
    input_tokens: sum.inputTokens,
    cached_input_tokens: sum.cachedInputTokens,
    output_tokens: sum.outputTokens,
    reasoning_tokens: sum.reasoningTokens,
    cost: toDollars(sum.cost),
  };
}

export function presentModelUsage({ from, to, groups, hasMore, totals }: ModelUsage) {
  return {
    from: dayText(from),
    to: dayText(to),
    groups: groups.map((group) => ({
      day: group.day === null ? null : dayText(group.day),
      workflow_id: group.workflowId,
      workflow_name: group.workflowName,
      user_id: group.ownerId,
      model: group.model,
      ...presentCallAmounts(group),
    })),
    has_more: hasMore,
    totals: presentCallAmounts(totals),
  };
}

const dayText = (day: number): string => new Date(day).toISOString().slice(0, 10);

export function presentModelPrices(prices: readonly PriceView[]) {
  return {
    prices: prices.map(({ model, input, cached_input: cached, output, isStored }) => ({
      model,
      input,
      cached_input: cached ?? null,
      output,
      source: isStored ? 'stored' : 'setting',
    })),
  };
}
