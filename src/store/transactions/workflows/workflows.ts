import type {
  DueSchedule,
  ActiveTriggers,
  ScheduleRow,
  TickClaim,
  WebhookRoute,
} from '../../../ports/store/active-triggers.ts';
import type {
  TestDefinition,
  VersionKey,
  WorkflowChange,
  WorkflowFilter,
  WorkflowRow,
  WorkflowVersionRow,
  WorkflowVersionSummary,
} from '../../../ports/store/workflows.ts';
import * as triggers from '../../queries/triggers.ts';
import * as workflows from '../../queries/workflows.ts';
import {
  toSchedule,
  toVersion,
  toVersionAuthor,
  toWebhook,
  toWorkflow,
  type AuthorColumns,
  type ScheduleRecord,
  type VersionRecord,
  type WebhookRecord,
  type WorkflowRecord,
} from '../../rows.ts';
import { searchText } from '../../../lib/text/search-text.ts';
import { searchPattern, sortText } from '../../search-text.ts';
import { selectAll, change, selectFirst, lock, type Transaction, type Scalar } from '../../statement.ts';
import { activeTriggerStatements } from '../active-triggers.ts';
import { tickLock, workflowLock } from '../locks.ts';
import { savePolls } from '../polling/polls.ts';
import { reserveSegments } from '../webhook-segments.ts';

type SaveResult =
  | { kind: 'saved' }
  | { kind: 'stale'; current: number }
  | { kind: 'missing' }
  | { kind: 'taken'; method: string; endpoint: string }
  | { kind: 'reserved'; endpoint: string }
  | { kind: 'too_many_segments' };

export function* saveWorkflow({
  row,
  definition,
  expected,
  live,
  author = null,
  isDryRun = false,
}: WorkflowChange): Transaction<SaveResult> {
  yield* lock(workflowLock(row.id));
  const stored = yield* selectFirst<{ version: number; owner_id: string; removed: number }>(
    workflows.version,
    row.id,
  );
  const isVisible = stored !== null && stored.owner_id === row.ownerId && stored.removed === 0;
  if (expected === null ? stored !== null && !isVisible : !isVisible) return { kind: 'missing' };
  if (stored !== null && stored.version !== expected) return { kind: 'stale', current: stored.version };
  const reservation = yield* reserveSegments({ row, live });
  if (reservation.kind !== 'free') return reservation;
  const taken = yield* findTaken(row.id, live);
  if (taken !== null) return { kind: 'taken', method: taken.method, endpoint: taken.endpoint };
  if (isDryRun) return { kind: 'saved' };

  const { id, ownerId, name, description, status, version, activeVersion, createdAt, updatedAt } = row;
  const polled = yield* savePolls(id, live.pollingTriggers, activeVersion === null);
  const nodeCount = definition.nodes.length;
  const versionParams = [id, version, JSON.stringify(definition), nodeCount, updatedAt];
  const search = searchText(`${name}\n${description}`);
  const settings = JSON.stringify(row.settings);
  const tags = JSON.stringify(row.tags);
  yield [
    expected === null
      ? {
          sql: workflows.insert,
          params: [
            id,
            ownerId,
            name,
            description,
            search,
            status,
            version,
            activeVersion,
            settings,
            tags,
            nodeCount,
            createdAt,
            updatedAt,
            sortText(name),
          ],
        }
      : {
          sql: workflows.update,
          params: [
            name,
            description,
            search,
            status,
            version,
            activeVersion,
            settings,
            tags,
            nodeCount,
            createdAt,
            updatedAt,
            sortText(name),
            id,
            ownerId,
          ],
        },
    author === null
      ? { sql: workflows.insertVersionWithoutAuthor, params: versionParams }
      : {
          sql: workflows.insertVersion(author.type),
          params: [...versionParams, author.type, author.id],
        },
    { sql: workflows.removeTags, params: [id] },
    ...row.tags.map((tag) => ({ sql: workflows.addTag, params: [id, tag] })),
    ...activeTriggerStatements(id, live),
    ...reservation.writes,
    ...polled,
  ];
  return { kind: 'saved' };
}

/** A route that another workflow has, or that this one contains twice. */
function* findTaken(workflowId: string, live: ActiveTriggers): Transaction<WebhookRoute | null> {
  if (live.webhooks.length === 0) return null;
  const results = yield live.webhooks.map(({ method, shape }) => ({
    sql: triggers.webhookTaken,
    params: [method, shape, workflowId],
  }));
  const seen = new Set<string>();
  return (
    live.webhooks.find((route, i) => {
      const key = `${route.method} ${route.shape}`;
      const isTwice = seen.has(key);
      seen.add(key);
      return isTwice || (results[i]?.rows.length ?? 0) > 0;
    }) ?? null
  );
}

export function* getWorkflow(ownerId: string, id: string): Transaction<WorkflowRow | null> {
  const row = yield* selectFirst<WorkflowRecord>(workflows.get, id, ownerId);
  return row === null ? null : toWorkflow(row);
}

export function* listWorkflows(
  ownerId: string,
  filter: WorkflowFilter,
  offset: number,
  limit: number,
): Transaction<{ rows: WorkflowRow[]; total: number }> {
  const { status, search, tag, sort, direction } = filter;
  const condition = workflows.buildWorkflowCondition({
    status: status !== undefined,
    search: search !== undefined,
    tag: tag !== undefined,
  });
  const params: Scalar[] = [ownerId];
  if (status !== undefined) params.push(status);
  if (search !== undefined) params.push(searchPattern(search));
  if (tag !== undefined) params.push(tag);
  const total = (yield* selectFirst<{ n: number }>(workflows.count(condition), ...params))?.n ?? 0;
  const rows = yield* selectAll<WorkflowRecord>(
    workflows.list(condition, sort, direction),
    ...params,
    limit,
    offset,
  );
  return { rows: rows.map(toWorkflow), total };
}

export function* getVersion(
  ownerId: string,
  id: string,
  version: number,
): Transaction<WorkflowVersionRow | null> {
  const row = yield* selectFirst<VersionRecord>(workflows.getVersion, id, version, ownerId);
  return row === null ? null : toVersion(row);
}

export function* listVersions(
  ownerId: string,
  id: string,
  offset: number,
  limit: number,
): Transaction<{ rows: WorkflowVersionSummary[]; total: number } | null> {
  if ((yield* selectFirst(workflows.alive, id, ownerId)) === null) return null;
  const total = (yield* selectFirst<{ n: number }>(workflows.countVersions, id))?.n ?? 0;
  const rows = yield* selectAll<
    Pick<VersionRecord, 'version' | 'name' | 'created_at' | keyof AuthorColumns> & { node_count: number }
  >(workflows.versions, id, limit, offset);
  return {
    rows: rows.map((row) => ({
      version: row.version,
      name: row.name,
      author: toVersionAuthor(row),
      createdAt: row.created_at,
      nodeCount: row.node_count,
    })),
    total,
  };
}

export function* saveTest({
  ownerId,
  workflowId,
  definition,
  author,
  createdAt,
}: TestDefinition): Transaction<number | null> {
  yield* lock(workflowLock(workflowId));
  const count = (yield* selectFirst<{ test_count: number }>(workflows.countTest, workflowId, ownerId))
    ?.test_count;
  if (count === undefined) return null;
  const text = JSON.stringify(definition);
  const params = [workflowId, -count, text, definition.nodes.length, createdAt, author.type, author.id];
  yield [{ sql: workflows.insertVersion(author.type), params }];
  return -count;
}

export function* nameVersion(
  { ownerId, workflowId, version }: VersionKey & { ownerId: string },
  name: string | null,
): Transaction<boolean> {
  return (yield* change(workflows.nameVersion, name, workflowId, version, ownerId)) > 0;
}

export function* webhooks(): Transaction<WebhookRoute[]> {
  return (yield* selectAll<WebhookRecord>(triggers.webhooks)).map(toWebhook);
}

export function* listSchedules(ownerId: string, workflowId: string): Transaction<ScheduleRow[]> {
  const keys = [ownerId, workflowId];
  const rows = yield* selectAll<ScheduleRecord>(triggers.schedules, ...keys, ...keys);
  return rows.map(toSchedule).toSorted((a, b) => (a.nodeId < b.nodeId ? -1 : 1));
}

export function* dueSchedules(now: number, limit: number): Transaction<DueSchedule[]> {
  const rows = yield* selectAll<ScheduleRecord & { held_to: number | null }>(triggers.due, now, limit);
  return rows.map((row) => ({ ...toSchedule(row), queuedUntil: row.held_to }));
}

export function* queueTicks(workflowId: string, nodeId: string, to: number): Transaction<void> {
  yield* change(triggers.queueTicks, workflowId, nodeId, to);
}

export function* nextSchedule(): Transaction<number | null> {
  return (yield* selectFirst<{ next_run_at: number | null }>(triggers.next))?.next_run_at ?? null;
}

export function* moveSchedule(
  { workflowId, nodeId, due, next }: TickClaim,
  lastError: string | null,
): Transaction<boolean> {
  yield* lock(tickLock(workflowId, nodeId));
  return (yield* change(triggers.move, next, lastError, workflowId, nodeId, due)) > 0;
}
