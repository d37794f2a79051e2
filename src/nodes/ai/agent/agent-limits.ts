import type { ModelUsage } from '../../../contract/ai/models.ts';
import { dailyLimits, toDollars, type CallAmounts } from '../../../contract/ai/usage.ts';
import type { NodeFailure } from '../../../contract/node-type.ts';
import { isObject } from '../../../lib/json/json.ts';
import { parseDuration } from '../../../lib/time/duration.ts';
import { DEFAULT_TURNS, type AgentConfig } from './agent-config.ts';

/** What an agent has used so far. `cost` in US dollars, null without a price; `startedAt` in epoch ms. */
export type AgentUsage = {
  readonly turns: number;
  readonly usage: Pick<ModelUsage, 'input_tokens' | 'output_tokens'>;
  readonly cost: number | null;
  readonly startedAt: number;
};

/** What the models in a tool used, in the form of the response to a turn. */
export function readToolUsage(used: CallAmounts): { usage: ModelUsage; cost: number | null } {
  return {
    usage: {
      input_tokens: used.inputTokens,
      cached_input_tokens: used.cachedInputTokens,
      output_tokens: used.outputTokens,
      reasoning_tokens: used.reasoningTokens,
    },
    cost: used.unpriced > 0 ? null : toDollars(used.cost),
  };
}

/** The limit of the configuration that is reached before the next turn; null: none. */
export function findReachedLimit(config: AgentConfig, spent: AgentUsage, at: number): string | null {
  const { maxTurns = DEFAULT_TURNS, maxTokens, maxCost, maxDuration } = config;
  if (spent.turns >= maxTurns) return 'turns';
  const tokens = spent.usage.input_tokens + spent.usage.output_tokens;
  if (maxTokens !== undefined && tokens >= maxTokens) return 'tokens';
  if (maxCost !== undefined && (spent.cost ?? 0) >= maxCost) return 'cost';
  const duration = maxDuration === undefined ? null : parseDuration(maxDuration);
  return duration !== null && at - spent.startedAt >= duration ? 'duration' : null;
}

/** The budget of the workflow for a day that refused the call of a model; null for other failures. */
export function readDailyLimit({ type, data }: NodeFailure): string | null {
  const reached = isObject(data ?? null) ? (data as Record<string, unknown>)['limit'] : null;
  return dailyLimits.find((one) => type === 'limit' && one === reached) ?? null;
}
