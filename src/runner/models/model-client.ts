import type { ModelPrices } from '../../contract/ai/models.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import type { ModelChannel } from './model-channel.ts';
import { computeCost } from './model-prices.ts';

/** Calls models. The libraries of the providers are loaded with the first call. */
export type ModelClient = {
  open(channel: ModelChannel): NodeContext['models'];
};

export function createModelClient(prices: ModelPrices): ModelClient {
  return {
    open: (channel) => ({
      async generate(server, call) {
        const { requestResponse } = await import('./model-calls.ts');
        const response = await requestResponse(channel, server, call);
        return { ...response, cost: computeCost(prices, server, response.usage) };
      },
      async embed(server, call) {
        const { requestEmbeddings } = await import('./model-calls.ts');
        const response = await requestEmbeddings(channel, server, call);
        const usage = { input_tokens: response.inputTokens, cached_input_tokens: 0, output_tokens: 0 };
        return { ...response, cost: computeCost(prices, server, usage) };
      },
    }),
  };
}
