import { isSettled, type ExecutionStatus } from '../../contract/execution.ts';
import type { WorkflowSettings } from '../../contract/definition.ts';
import type { Claim, LiveProcess } from '../../ports/store/claims.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import * as executions from '../queries/executions.ts';
import * as journal from '../queries/journal.ts';
import * as timers from '../queries/timers.ts';
import * as workers from '../queries/workers.ts';
import * as workflows from '../queries/workflows.ts';
import { toExecution, type ExecutionRecord } from '../rows.ts';
import { all, change, first, lock, type Procedure, type Answer } from '../statement.ts';
import { waitingParent } from '../../contract/execution.ts';
import { CounterDeltas } from './counts.ts';
import { roomLock } from './locks.ts';
import { wakeStatement } from './signals.ts';

export function* claim(id: string, worker: string, now: number): Procedure<Claim | null> {
  const [claimed] = yield* claimMany([id], worker, now);
  return claimed ?? null;
}

type ClaimRecord = ExecutionRecord & { fence: number; next_seq: number };

/** Each for itself, in one transaction; in one order everywhere, so that two of these never wait for each other. */
export function* claimMany(ids: readonly string[], worker: string, now: number): Procedure<(Claim | null)[]> {
  const ordered = [...new Set(ids)].sort();
  const answers = yield ordered.map((id) => ({ sql: executions.claim, params: [worker, id, worker, now] }));
  const rows = answers.flatMap(({ rows: [row] }) =>
    row === undefined ? [] : [row as unknown as ClaimRecord],
  );
  const claims = new Map<string, Claim>();
  if (rows.length > 0) {
    const details = yield rows.flatMap((row) => [
      { sql: workflows.settings, params: [row.workflow_id] },
      { sql: timers.dueOf, params: [row.id, now] },
    ]);
    for (const [i, row] of rows.entries())
      claims.set(row.id, yield* claimOf(row, details[2 * i], details[2 * i + 1], now));
  }
  return ids.map((id) => claims.get(id) ?? null);
}

function* claimOf(
  row: ClaimRecord,
  ofWorkflow: Answer | undefined,
  due: Answer | undefined,
  now: number,
): Procedure<Claim> {
  const settings = JSON.parse(String(ofWorkflow?.rows[0]?.['settings'] ?? '{}')) as WorkflowSettings;
  const most = settings.max_concurrency;
  if (row.status === 'queued' && most !== undefined && !(yield* isRoom(row.workflow_id, row.id, most, now)))
    return { kind: 'full', workflowId: row.workflow_id };
  return {
    kind: 'claimed',
    ...toExecution(row),
    fence: row.fence,
    nextSeq: row.next_seq,
    settings,
    due: (due?.rows ?? []).map((timer) => String(timer['path'])),
  };
}

/** Whether one more of the workflow may be at work; where not, the claim of `id` is given up. */
function* isRoom(workflowId: string, id: string, most: number, now: number): Procedure<boolean> {
  // Of two that claim at the same time the second waits here, and then counts the first.
  yield* lock(roomLock(workflowId));
  const counts = yield [
    { sql: executions.othersRunning, params: [workflowId, id] },
    { sql: executions.othersTaken, params: [workflowId, id, now] },
  ];
  const atWork = counts.reduce((sum, { rows }) => sum + Number(rows[0]?.['n'] ?? 0), 0);
  if (atWork < most) return true;
  yield [{ sql: executions.unclaim, params: [id] }];
  return false;
}

export function* heartbeat(worker: string, until: number): Procedure<void> {
  yield* change(workers.beat, worker, until);
}

export function* processes(now: number): Procedure<LiveProcess[]> {
  const rows = yield* all<{ id: string; lease_until: number }>(workers.live, now);
  return rows.map((row) => ({ id: row.id, leaseUntil: row.lease_until }));
}

export function* release(worker: string): Procedure<void> {
  yield* change(executions.release, worker);
  yield* change(workers.remove, worker);
}

type StopResult =
  | { kind: 'stopped'; row: ExecutionRow }
  | { kind: 'settled'; status: ExecutionStatus }
  | { kind: 'missing' };

export function* stop(ownerId: string, id: string, at: number, events: string): Procedure<StopResult> {
  const head = yield* first<{
    owner_id: string;
    workflow_id: string;
    status: ExecutionStatus;
    next_seq: number;
    retention: number;
  }>(executions.head, id);
  if (head === null || head.owner_id !== ownerId) return { kind: 'missing' };
  if (isSettled(head.status)) return { kind: 'settled', status: head.status };
  const deltas = new CounterDeltas();
  deltas.move(ownerId, head.workflow_id, head.status, 'stopped');
  yield [
    { sql: executions.stop, params: [at, at + head.retention, id] },
    { sql: journal.append, params: [id, head.next_seq, events] },
    { sql: timers.clearAll, params: [id] },
    ...deltas.statements(),
  ];
  const record = yield* first<ExecutionRecord>(executions.get, id, ownerId);
  const row = toExecution(record!);
  const wake = waitingParent(row.trigger);
  if (wake !== null) yield [wakeStatement(wake, at)];
  return { kind: 'stopped', row };
}
