import type { ModelPrices, ModelServer, ModelUsage } from '../../contract/ai/models.ts';
import { toCallSum } from '../../contract/ai/usage.ts';
import type { NodeContext } from '../../contract/node-type.ts';
import type { Clock } from '../../ports/clock.ts';
import { DAY_MS } from '../../ports/store/statistics.ts';
import type { CallTerms, UsageStore } from '../../ports/store/ai/model-usage.ts';
import { createListKey, ListCache } from '../list-cache.ts';
import { checkDailyBudget } from './daily-budget.ts';
import { redactMessage } from './redact-message.ts';
import type { ModelChannel } from './model-channel.ts';
import { findBaseUrl } from './model-fetch.ts';
import { requestModels, type ModelList } from './model-list.ts';
import { computeCost, hasPrice } from './model-prices.ts';

/** Calls models. The libraries of the providers are loaded with the first call. */
export type ModelClient = {
  open(channel: ModelChannel): NodeContext['models'];
};

export type ModelClientDeps = {
  readonly clock: Pick<Clock, 'now'>;
  /** The prices of the setting. Those that an administrator stored take precedence. */
  readonly prices: ModelPrices;
  readonly loadTerms: UsageStore['terms'];
  /** Returns the redactor for all secrets of an owner. */
  readonly loadRedactor: (ownerId: string) => Promise<<T>(value: T) => T>;
};

export function createModelClient({ clock, prices, loadTerms, loadRedactor }: ModelClientDeps): ModelClient {
  const lists = new ListCache<ModelList>(clock);

  async function readTerms(workflowId: string, day: number): Promise<CallTerms> {
    const loaded = await loadTerms(workflowId, day);
    return { ...loaded, prices: { ...prices, ...loaded.prices } };
  }

  const today = (): number => clock.now() - (clock.now() % DAY_MS);

  /** Checks the budget and returns the terms. @throws {HttpFailure} when no call may begin. */
  async function begin({ workflowId, calls }: ModelChannel, server: ModelServer): Promise<CallTerms> {
    const day = today();
    const terms = await readTerms(workflowId, day);
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
        const redact = await loadRedactor(channel.ownerId);
        const messages = call.messages.map((message) => redactMessage(message, redact));
        const response = await requestResponse(channel, server, { ...call, messages });
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
      async list(server, { refresh = false } = {}) {
        const { provider, timeout, proxy } = server;
        const { headers, query } = await server.credentials.proof();
        const key = createListKey([
          channel.ownerId,
          provider,
          findBaseUrl(server),
          proxy ?? null,
          headers,
          query,
        ]);
        const { models, listedAt } = await lists.load(key, { refresh, timeout }, () =>
          requestModels(channel, server, clock.now()),
        );
        // Prices can change while a list is cached.
        const terms = await readTerms(channel.workflowId, today());
        return {
          models: models.map((one) => ({
            ...one,
            isPriced: hasPrice(terms.prices, { provider, model: one.id }),
          })),
          listedAt,
        };
      },
    }),
  };
}
