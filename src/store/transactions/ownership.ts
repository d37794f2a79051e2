import { isSettled, type ExecutionStatus } from '../../contract/execution.ts';
import type { WorkflowSettings } from '../../contract/definition.ts';
import type { Claim, ClaimedExecution, LiveProcess } from '../../ports/store/claims.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import * as executions from '../queries/executions.ts';
import * as journal from '../queries/journal.ts';
import * as timers from '../queries/timers.ts';
import * as workers from '../queries/workers.ts';
import * as workflows from '../queries/workflows.ts';
import { toExecution, type ExecutionRecord } from '../rows.ts';
import { selectAll, change, selectFirst, markLastStep, lock, type Transaction } from '../statement.ts';
import { findWaitingParent } from '../../contract/execution.ts';
import { CounterDeltas } from './execution-counters.ts';
import { StatisticsDeltas } from './execution-statistics.ts';
import { concurrencyLock } from './locks.ts';
import { wakeStatement } from './signals.ts';

export function* claim(id: string, worker: string, now: number, leasesAt = now): Transaction<Claim | null> {
  const [claimed] = yield* claimMany([id], worker, now, leasesAt);
  return claimed ?? null;
}

type ClaimRecord = ExecutionRecord & { fence: number; next_seq: number };

/**
 * Maximum journal rows that a claim returns, and maximum bytes of each: enough for an execution that has just
 * started or woken.
 */
const MAX_SHORT_ROWS = 4;
const MAX_SHORT_ROW_BYTES = 32 * 1024;

/**
 * Each claim is independent, in one transaction; always in the same order, so that two of these never
 * deadlock.
 */
export function* claimMany(
  ids: readonly string[],
  worker: string,
  now: number,
  leasesAt = now,
): Transaction<(Claim | null)[]> {
  if (ids.length === 0) return [];
  const ordered = [...new Set(ids)].sort();
  // All in one round trip, even if some executions cannot be claimed: a second round trip costs more than
  // unused reads.
  const [claimed, ofWorkflows, timersDue, journals] = yield [
    { sql: executions.claim, each: ordered.map((id) => [worker, id, worker, leasesAt]) },
    { sql: workflows.settings, each: ordered.map((id) => [id]) },
    { sql: timers.listDue, each: ordered.map((id) => [id, now]) },
    { sql: journal.short, each: ordered.map((id) => [id, MAX_SHORT_ROWS, MAX_SHORT_ROW_BYTES]) },
  ];
  const settings = new Map(ofWorkflows?.rows.map((row) => [row['id'], String(row['settings'])]));
  const due = Map.groupBy(timersDue?.rows ?? [], (row) => row['id']);
  const rows = Map.groupBy(journals?.rows ?? [], (row) => row['id']);
  const claims = new Map<string, Claim>();
  for (const row of (claimed?.rows ?? []) as unknown as ClaimRecord[]) {
    const journal = rows.get(row.id) ?? [];
    const details = {
      settings: JSON.parse(settings.get(row.workflow_id) ?? '{}') as WorkflowSettings,
      due: (due.get(row.id) ?? []).map((timer) => String(timer['path'])),
      journal:
        journal.length === row.next_seq
          ? journal.map(({ seq, events }) => ({ seq: Number(seq), events: String(events) }))
          : null,
    };
    claims.set(row.id, yield* toClaim(row, details, leasesAt));
  }
  return ids.map((id) => claims.get(id) ?? null);
}

type UnclaimedRecord = ClaimRecord & { settings: string; events: string | null; due: number | null };

export function* unclaimed(ids: readonly string[], now: number): Transaction<(ClaimedExecution | null)[]> {
  if (ids.length === 0) return [];
  const each = ids.map((id) => [MAX_SHORT_ROW_BYTES, now, id]);
  const [result] = yield markLastStep([{ sql: executions.unclaimed, each }]);
  const found = new Map<string, ClaimedExecution>();
  const parseSettings = settingsByText();
  for (const row of (result?.rows ?? []) as unknown as UnclaimedRecord[]) {
    const settings = parseSettings(row.settings);
    if (row.events === null || row.due !== null || settings.max_concurrency !== undefined) continue;
    found.set(row.id, {
      ...toExecution(row),
      fence: row.fence + 1,
      nextSeq: row.next_seq,
      settings,
      due: [],
      journal: [{ seq: 0, events: row.events }],
      isFirstClaim: true,
    });
  }
  return ids.map((id) => found.get(id) ?? null);
}

/** Parses the settings of a workflow once for all of its executions. */
function settingsByText(): (text: string) => WorkflowSettings {
  const known = new Map<string, WorkflowSettings>();
  return (text) => {
    let settings = known.get(text);
    if (settings === undefined) known.set(text, (settings = JSON.parse(text) as WorkflowSettings));
    return settings;
  };
}

function* toClaim(
  row: ClaimRecord,
  details: Pick<ClaimedExecution, 'settings' | 'due' | 'journal'>,
  leasesAt: number,
): Transaction<Claim> {
  const most = details.settings.max_concurrency;
  if (
    row.status === 'queued' &&
    most !== undefined &&
    !(yield* hasCapacity(row.workflow_id, row.id, most, leasesAt))
  )
    return { kind: 'full', workflowId: row.workflow_id };
  return { kind: 'claimed', ...toExecution(row), fence: row.fence, nextSeq: row.next_seq, ...details };
}

/** Whether another execution of the workflow may be active; if not, the claim of `id` is released. */
function* hasCapacity(workflowId: string, id: string, most: number, leasesAt: number): Transaction<boolean> {
  // The second of two concurrent claims waits here, and then counts the first.
  yield* lock(concurrencyLock(workflowId));
  const others = yield* selectFirst<{ n: number }>(
    executions.countOthersActive,
    workflowId,
    id,
    workflowId,
    id,
    leasesAt,
  );
  if (others!.n < most) return true;
  yield [{ sql: executions.unclaim, params: [id] }];
  return false;
}

export function* heartbeat(worker: string, until: number): Transaction<void> {
  yield* change(workers.extendLease, worker, until);
}

export function* processes(now: number): Transaction<LiveProcess[]> {
  const rows = yield* selectAll<{ id: string; lease_until: number }>(workers.live, now);
  return rows.map((row) => ({ id: row.id, leaseUntil: row.lease_until }));
}

export function* release(worker: string): Transaction<void> {
  yield* change(executions.release, worker);
  yield* change(workers.remove, worker);
}

type StopResult =
  | { kind: 'stopped'; row: ExecutionRow }
  | { kind: 'settled'; status: ExecutionStatus }
  | { kind: 'missing' };

export function* stop(ownerId: string, id: string, at: number, events: string): Transaction<StopResult> {
  const head = yield* selectFirst<{
    owner_id: string;
    workflow_id: string;
    status: ExecutionStatus;
    next_seq: number;
    retention: number;
  }>(executions.head, id);
  if (head === null || head.owner_id !== ownerId) return { kind: 'missing' };
  if (isSettled(head.status)) return { kind: 'settled', status: head.status };
  const before = yield* selectFirst<ExecutionRecord>(executions.get, id, ownerId);
  // The clock of this process may be behind that of the worker.
  const endTime = Math.max(at, before!.start_time ?? before!.created_at);
  const deltas = new CounterDeltas();
  deltas.move(ownerId, head.workflow_id, head.status, 'stopped');
  const statistics = new StatisticsDeltas();
  statistics.add({ ...toExecution(before!), status: 'stopped', endTime });
  yield [
    { sql: executions.stop, params: [endTime, at + head.retention, id] },
    { sql: journal.append, params: [id, head.next_seq, events] },
    { sql: timers.clearAll, params: [id] },
    ...deltas.statements(),
    ...statistics.statements(),
  ];
  const record = yield* selectFirst<ExecutionRecord>(executions.get, id, ownerId);
  const row = toExecution(record!);
  const wake = findWaitingParent(row.trigger);
  if (wake !== null) yield [wakeStatement(wake, at)];
  return { kind: 'stopped', row };
}
