import type { Case } from './case.ts';

const usage = (title: string, query: Record<string, string | number>, as?: 'admin'): Case => ({
  operation: 'getModelUsage',
  title,
  ...(as === undefined ? {} : { as }),
  say: () => ({ query }),
});
const setPrices = (
  title: string,
  prices: readonly unknown[],
  rest: { as?: 'admin'; typed?: true },
): Case => ({
  operation: 'setModelPrices',
  title,
  ...rest,
  say: () => ({ body: { prices } }),
});
const price = { model: 'openai/gpt-5-mini', input: 0.25, cached_input: null, output: 2 };
const listModels = (title: string, body: object): Case => ({
  operation: 'listProviderModels',
  title,
  say: () => ({ body }),
});

export const modelUsageCases: readonly Case[] = [
  usage('without calls', { from: '2026-01-01', to: '2026-01-31', group_by: 'day,workflow,model' }),
  usage(
    'of all users, for an administrator',
    { from: '2026-01-01', to: '2026-01-02', user_id: 'all' },
    'admin',
  ),
  usage('of all users, for a member', { user_id: 'all' }),
  usage('an unknown group', { group_by: 'hour' }),
  usage('an invalid time', { from: 'yesterday' }),
  usage('an inverted range', { from: '2026-02-01', to: '2026-01-01' }),
  usage('a range that is too long', { from: '2020-01-01', to: '2026-01-01' }),
  { operation: 'getModelPrices', title: 'the prices', say: () => ({}) },
  setPrices('two prices', [price, { ...price, model: 'anthropic/*' }], { as: 'admin' }),
  setPrices('a model twice', [price, price], { as: 'admin' }),
  setPrices('a model without a provider', [{ ...price, model: 'gpt' }], { as: 'admin' }),
  setPrices('a negative price', [{ ...price, input: -1 }], { as: 'admin' }),
  setPrices('none', [], { as: 'admin' }),
  setPrices('as a member', [price], {}),
  listModels('without credentials', { provider: 'openai' }),
  listModels('without an address', { provider: 'openai_compatible' }),
  listModels('of no URL', { provider: 'openai_compatible', base_url: 'models' }),
  listModels('of an address that must not be called', {
    provider: 'openai_compatible',
    base_url: 'http://10.9.8.7/v1',
  }),
  listModels('with a key instead of a secret', { provider: 'google', credentials: 'key-17' }),
  listModels('with a secret that is not there', { provider: 'google', credentials: '{{ secrets.NONE }}' }),
];
