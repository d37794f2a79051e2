import { NO_CALLS, type CallAmounts } from '../../contract/ai/usage.ts';
import { createValidationError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/principal.ts';
import { ModelUsageQuerySchema } from '../../contract/requests/model-usage.ts';
import { validate } from '../../contract/validate.ts';
import type { Clock } from '../../ports/clock.ts';
import { DAY_MS } from '../../ports/store/statistics.ts';
import {
  usageGroups,
  type UsageFilter,
  type UsageGroup,
  type UsageRow,
  type UsageStore,
} from '../../ports/store/ai/model-usage.ts';
import type { WorkflowStore } from '../../ports/store/workflows.ts';
import { requireScope } from '../authorize.ts';
import { readTime } from '../executions/execution-query.ts';

const DEFAULT_DAYS = 30;
const DEFAULT_LIMIT = 100;
/** The longest range, in days: two years. */
const MAX_DAYS = 731;
const ALL_USERS = 'all';

export type ModelUsage = {
  /** Starts of the first and the last day. */
  from: number;
  to: number;
  groups: (UsageRow & { workflowName: string | null })[];
  hasMore: boolean;
  totals: CallAmounts;
};

export type ModelUsageService = ReturnType<typeof createModelUsage>;

/** The calls of language models by day, workflow, user and model. */
export function createModelUsage(deps: {
  usage: Pick<UsageStore, 'sum'>;
  workflows: Pick<WorkflowStore, 'getMany'>;
  clock: Pick<Clock, 'now'>;
}) {
  const { usage, workflows, clock } = deps;

  return {
    async get(principal: Principal, input: unknown): Promise<ModelUsage> {
      requireScope(principal, 'executions:read');
      const query = validate(ModelUsageQuerySchema, input);
      const { user_id: userId, limit = DEFAULT_LIMIT } = query;
      if (userId !== undefined && userId !== principal.userId) requireScope(principal, 'admin');
      const { from, to } = readDays(query, clock.now());
      const wanted = (query.group_by ?? 'day').split(',');
      const groups = usageGroups.filter((group) => wanted.includes(group));
      const filter: UsageFilter = {
        from,
        to: to + DAY_MS,
        ...(userId === ALL_USERS ? {} : { ownerId: userId ?? principal.userId }),
        ...(query.workflow_id === undefined ? {} : { workflowId: query.workflow_id }),
        ...(query.model === undefined ? {} : { model: query.model }),
      };
      const [rows, totals] = await Promise.all([
        usage.sum(filter, groups, limit + 1),
        usage.sum(filter, [], 1),
      ]);
      const shown = rows.slice(0, limit);
      const names = await findNames(principal.userId, groups, shown);
      return {
        from,
        to,
        groups: shown.map((row) => ({
          ...row,
          workflowName: row.workflowId === null ? null : (names.get(row.workflowId) ?? null),
        })),
        hasMore: rows.length > limit,
        totals: totals[0] ?? NO_CALLS,
      };
    },
  };

  async function findNames(ownerId: string, groups: readonly UsageGroup[], rows: readonly UsageRow[]) {
    if (!groups.includes('workflow')) return new Map<string, string>();
    const ids = [...new Set(rows.flatMap(({ workflowId }) => workflowId ?? []))];
    return new Map((await workflows.getMany(ownerId, ids)).map(({ id, name }) => [id, name]));
  }
}

/** @throws {WeftError} VALIDATION_ERROR that names the field. */
function readDays(query: { from?: string; to?: string }, now: number): { from: number; to: number } {
  const toDay = (time: number): number => time - (time % DAY_MS);
  const to = toDay(query.to === undefined ? now : readTime('to', query.to));
  const from =
    query.from === undefined ? to - (DEFAULT_DAYS - 1) * DAY_MS : toDay(readTime('from', query.from));
  if (from < 0) throw createValidationError([{ field: 'from', issue: 'must not be before 1970' }]);
  if (from > to) throw createValidationError([{ field: 'from', issue: 'must not be after `to`' }]);
  if ((to - from) / DAY_MS >= MAX_DAYS)
    throw createValidationError([
      { field: 'from', issue: `must be less than ${MAX_DAYS} days before \`to\`` },
    ]);
  return { from, to };
}
