import type { ModelResponse, ModelCall, ModelPrices, ModelServer } from '../../contract/ai/models.ts';
import type { ModelChannel } from './model-channel.ts';
import { computeCost } from './model-prices.ts';

/** Calls models. The libraries of the providers are loaded with the first call. Rejects with HttpFailure. */
export type ModelClient = {
  generate(channel: ModelChannel, server: ModelServer, call: ModelCall): Promise<ModelResponse>;
};

export function createModelClient(prices: ModelPrices): ModelClient {
  return {
    async generate(channel, server, call) {
      const { requestResponse } = await import('./model-calls.ts');
      const response = await requestResponse(channel, server, call);
      return { ...response, cost: computeCost(prices, server, response.usage) };
    },
  };
}
