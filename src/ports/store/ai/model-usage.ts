import type { DailyBudget, ModelCallSum } from '../../../contract/ai/usage.ts';
import type { AuditEvent } from '../../../contract/audit/audit-event.ts';
import type { ModelPrices } from '../../../contract/ai/models.ts';

/** Calls of a workflow on one day, written together with the end of their attempt. `day`: its start. */
export type UsageRecord = ModelCallSum & { readonly day: number };

/** What a call depends on: the prices, the budget of its workflow, and what the workflow used on the day. */
export type CallTerms = {
  readonly prices: ModelPrices;
  readonly budget: DailyBudget;
  /** Input and output. */
  readonly tokens: number;
  /** In nanodollars. */
  readonly cost: number;
};

export const usageGroups = ['day', 'workflow', 'user', 'model'] as const;
export type UsageGroup = (typeof usageGroups)[number];

/** `from` (inclusive) and `to` (exclusive) are starts of days. An absent field does not filter. */
export type UsageFilter = {
  from: number;
  to: number;
  ownerId?: string;
  workflowId?: string;
  model?: string;
};

/** The sums of a group; the fields by which it is not grouped are null. */
export type UsageRow = Omit<ModelCallSum, 'model'> & {
  day: number | null;
  workflowId: string | null;
  ownerId: string | null;
  model: string | null;
};

export type UsageStore = {
  /** The prices are those that an administrator stored. */
  terms(workflowId: string, day: number): Promise<CallTerms>;
  /** Newest day first, then by cost; at most `limit` rows. */
  sum(filter: UsageFilter, groups: readonly UsageGroup[], limit: number): Promise<UsageRow[]>;
  prices(): Promise<ModelPrices>;
  /** Replaces all prices. */
  setPrices(prices: ModelPrices, event?: AuditEvent | null): Promise<void>;
  /** Deletes at most `limit` days before `before`. True: more are left. */
  prune(before: number, limit: number): Promise<boolean>;
};
