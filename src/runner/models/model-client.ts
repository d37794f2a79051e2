import type { ModelPrices, ModelServer, ModelUsage } from '../../contract/ai/models.ts';
import { toCallSum } from '../../contract/ai/usage.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import type { Clock } from '../../ports/clock.ts';
import { DAY_MS } from '../../ports/store/statistics.ts';
import type { CallTerms, UsageStore } from '../../ports/store/ai/model-usage.ts';
import { checkDailyBudget } from './daily-budget.ts';
import type { ModelChannel } from './model-channel.ts';
import { computeCost } from './model-prices.ts';

/** Calls models. The libraries of the providers are loaded with the first call. */
export type ModelClient = {
  open(channel: ModelChannel): NodeContext['models'];
};

export type ModelClientDeps = {
  readonly clock: Pick<Clock, 'now'>;
  /** The prices of the setting. Those that an administrator stored take precedence. */
  readonly prices: ModelPrices;
  readonly loadTerms: UsageStore['terms'];
};

export function createModelClient({ clock, prices, loadTerms }: ModelClientDeps): ModelClient {
  /** Checks the budget and returns the terms. @throws {HttpFailure} when no call may begin. */
  async function begin({ workflowId, calls }: ModelChannel, server: ModelServer): Promise<CallTerms> {
    const now = clock.now();
    const day = now - (now % DAY_MS);
    const loaded = await loadTerms(workflowId, day);
    const terms = { ...loaded, prices: { ...prices, ...loaded.prices } };
    checkDailyBudget(terms, calls, server, day);
    return terms;
  }

  /** Adds a completed call to those of the attempt, and returns its cost. */
  function complete(
    { calls }: ModelChannel,
    server: ModelServer,
    terms: CallTerms,
    usage: ModelUsage,
  ): number | null {
    const cost = computeCost(terms.prices, server, usage);
    calls.push(toCallSum(`${server.provider}/${server.model}`, usage, cost));
    return cost;
  }

  return {
    open: (channel) => ({
      async generate(server, call) {
        const { requestResponse } = await import('./model-calls.ts');
        const terms = await begin(channel, server);
        const response = await requestResponse(channel, server, call);
        return { ...response, cost: complete(channel, server, terms, response.usage) };
      },
      async embed(server, call) {
        const { requestEmbeddings } = await import('./model-calls.ts');
        let terms: CallTerms | null = null;
        let inputTokens = 0;
        let cost: number | null = 0;
        const embeddings = await requestEmbeddings(channel, server, call, {
          async before() {
            terms = await begin(channel, server);
          },
          after(tokens) {
            inputTokens += tokens;
            const usage = {
              input_tokens: tokens,
              cached_input_tokens: 0,
              output_tokens: 0,
              reasoning_tokens: 0,
            };
            const added = complete(channel, server, terms!, usage);
            cost = cost === null || added === null ? null : Number((cost + added).toFixed(10));
          },
        });
        return { embeddings, inputTokens, cost };
      },
    }),
  };
}
