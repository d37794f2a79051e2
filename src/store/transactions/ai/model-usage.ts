import type { DailyBudget } from '../../../contract/ai/usage.ts';
import type { ModelPrice, ModelPrices } from '../../../contract/ai/models.ts';
import type {
  CallTerms,
  UsageFilter,
  UsageGroup,
  UsageRecord,
  UsageRow,
} from '../../../ports/store/ai/model-usage.ts';
import * as usage from '../../queries/ai/model-usage.ts';
import {
  selectAll,
  selectFirst,
  lock,
  type Scalar,
  type Statement,
  type Transaction,
} from '../../statement.ts';

type Subject = { ownerId: string; workflowId: string };

/**
 * The calls that the checkpoints of one transaction record, summed here and written once per row. They count
 * exactly once, because they are written together with the end of the attempt that made them.
 */
export class UsageDeltas {
  readonly #rows = new Map<string, Scalar[]>();

  add({ ownerId, workflowId }: Subject, record: UsageRecord): void {
    const { day, model } = record;
    const amounts = [
      record.calls,
      record.unpriced,
      record.inputTokens,
      record.cachedInputTokens,
      record.outputTokens,
      record.reasoningTokens,
      record.cost,
    ];
    const key = `${day} ${workflowId} ${model}`;
    const row = this.#rows.get(key);
    if (row === undefined) this.#rows.set(key, [day, workflowId, ownerId, model].concat(amounts as never));
    else amounts.forEach((amount, i) => (row[i + 4] = Number(row[i + 4]) + amount));
  }

  /** In a fixed order, so that two transactions never deadlock. */
  statements(): Statement[] {
    if (this.#rows.size === 0) return [];
    const each = [...this.#rows.keys()].toSorted().map((key) => this.#rows.get(key)!);
    return [{ sql: usage.add, each }];
  }
}

export function* callTerms(workflowId: string, day: number): Transaction<CallTerms> {
  const [sums, workflow, prices] = yield [
    { sql: usage.ofDay, params: [day, workflowId] },
    { sql: usage.budget, params: [workflowId] },
    { sql: usage.prices, params: [] },
  ];
  const settings = workflow?.rows[0]?.['settings'];
  return {
    prices: readPrices(prices?.rows ?? []),
    budget: typeof settings === 'string' ? (JSON.parse(settings) as DailyBudget) : {},
    tokens: Number(sums?.rows[0]?.['tokens'] ?? 0),
    cost: Number(sums?.rows[0]?.['cost'] ?? 0),
  };
}

function readPrices(rows: readonly Record<string, Scalar>[]): ModelPrices {
  return Object.fromEntries(
    rows.map(({ model, price }) => [String(model), JSON.parse(String(price)) as ModelPrice]),
  );
}

type UsageRecordRow = Record<
  | 'by_day'
  | 'by_workflow'
  | 'by_user'
  | 'by_model'
  | 'calls'
  | 'unpriced'
  | 'input_tokens'
  | 'cached_input_tokens'
  | 'output_tokens'
  | 'reasoning_tokens'
  | 'cost',
  Scalar
>;

export function* sumUsage(
  filter: UsageFilter,
  groups: readonly UsageGroup[],
  limit: number,
): Transaction<UsageRow[]> {
  const filters: UsageGroup[] = [];
  const params: Scalar[] = [filter.from, filter.to];
  for (const [group, value] of [
    ['user', filter.ownerId],
    ['workflow', filter.workflowId],
    ['model', filter.model],
  ] as const) {
    if (value === undefined) continue;
    filters.push(group);
    params.push(value);
  }
  params.push(limit);
  const rows = yield* selectAll<UsageRecordRow>(usage.select(groups, filters), ...params);
  const text = (value: Scalar): string | null => (value === null ? null : String(value));
  return rows.map((row) => ({
    day: row.by_day === null ? null : Number(row.by_day),
    workflowId: text(row.by_workflow),
    ownerId: text(row.by_user),
    model: text(row.by_model),
    calls: Number(row.calls),
    unpriced: Number(row.unpriced),
    inputTokens: Number(row.input_tokens),
    cachedInputTokens: Number(row.cached_input_tokens),
    outputTokens: Number(row.output_tokens),
    reasoningTokens: Number(row.reasoning_tokens),
    cost: Number(row.cost),
  }));
}

export function* modelPrices(): Transaction<ModelPrices> {
  return readPrices(yield* selectAll<Record<string, Scalar>>(usage.prices));
}

/** Returns whether the prices changed. */
export function* setModelPrices(prices: ModelPrices): Transaction<boolean> {
  yield* lock('model_prices');
  const wanted = Object.entries(prices).map(([model, price]) => [model, JSON.stringify(price)]);
  const before = JSON.stringify(yield* modelPrices());
  yield [
    { sql: usage.removePrices, params: [] },
    ...(wanted.length === 0 ? [] : [{ sql: usage.insertPrice, each: wanted }]),
  ];
  return before !== JSON.stringify(yield* modelPrices());
}

/** Deletes the oldest day if it is before `before`. Returns whether it did. */
export function* pruneUsageDay(before: number): Transaction<boolean> {
  const oldest = yield* selectFirst<{ day: Scalar }>(usage.oldestDay);
  if (oldest?.day == null || Number(oldest.day) >= before) return false;
  yield [{ sql: usage.removeDay, params: [Number(oldest.day)] }];
  return true;
}
