import { expect, test } from 'vitest';
import { computeCost } from './model-prices.ts';

const usage = {
  input_tokens: 1_000_000,
  cached_input_tokens: 400_000,
  output_tokens: 200_000,
  reasoning_tokens: 0,
};

test('the longest key that matches has the price, and cached tokens have a price of their own', () => {
  const prices = {
    'openai/*': { input: 1, output: 1 },
    'openai/gpt-5*': { input: 2, cached_input: 0.5, output: 10 },
    'openai/gpt-5-mini': { input: 0.25, output: 2 },
  };
  const cost = (provider: 'openai' | 'google', model: string) =>
    computeCost(prices, { provider, model }, usage);
  expect(cost('openai', 'gpt-5-large')).toBe(0.6 * 2 + 0.4 * 0.5 + 0.2 * 10);
  expect(cost('openai', 'gpt-5-mini')).toBe(0.25 + 0.2 * 2);
  expect(cost('openai', 'o9')).toBe(1.2);
  expect(cost('google', 'gpt-5-mini')).toBeNull();
});
