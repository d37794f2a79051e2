import type { ModelPrice, ModelPrices, ModelServer, ModelUsage } from '../../contract/ai/models.ts';

const TOKENS_PER_PRICE = 1_000_000;

/** The price of a model: that of the longest key that matches `provider/model`; undefined if none does. */
function findPrice(
  prices: ModelPrices,
  { provider, model }: Pick<ModelServer, 'provider' | 'model'>,
): ModelPrice | undefined {
  const name = `${provider}/${model}`;
  const matches = (key: string): boolean =>
    key.endsWith('*') ? name.startsWith(key.slice(0, -1)) : key === name;
  const [key] = Object.keys(prices)
    .filter(matches)
    .sort((a, b) => b.length - a.length);
  return key === undefined ? undefined : prices[key];
}

export function hasPrice(prices: ModelPrices, server: Pick<ModelServer, 'provider' | 'model'>): boolean {
  return findPrice(prices, server) !== undefined;
}

/** US dollars for the tokens of a call; null if the model has no price. */
export function computeCost(
  prices: ModelPrices,
  server: Pick<ModelServer, 'provider' | 'model'>,
  usage: Omit<ModelUsage, 'reasoning_tokens'>,
): number | null {
  const price = findPrice(prices, server);
  if (price === undefined) return null;
  const cached = Math.min(usage.cached_input_tokens, usage.input_tokens);
  const cost =
    (usage.input_tokens - cached) * price.input +
    cached * (price.cached_input ?? price.input) +
    usage.output_tokens * price.output;
  // Without the noise of binary fractions: a token costs more than a billionth of a dollar.
  return Number((cost / TOKENS_PER_PRICE).toFixed(10));
}
