import { isSettled, type ExecutionStatus } from '../../contract/execution.ts';
import type { ClaimedExecution, ExecutionRow } from '../../ports/store.ts';
import * as executions from '../queries/executions.ts';
import * as journal from '../queries/journal.ts';
import * as timers from '../queries/timers.ts';
import * as workers from '../queries/workers.ts';
import { toExecution, type ExecutionRecord } from '../rows.ts';
import { change, first, type Procedure } from '../statement.ts';
import { waitingParent } from '../../contract/execution.ts';
import { CounterDeltas } from './counts.ts';
import { wakeStatement } from './signals.ts';

export function* claim(id: string, worker: string, now: number): Procedure<ClaimedExecution | null> {
  const row = yield* first<ExecutionRecord & { fence: number; next_seq: number }>(
    executions.claim,
    worker,
    id,
    worker,
    now,
  );
  return row === null ? null : { ...toExecution(row), fence: row.fence, nextSeq: row.next_seq };
}

export function* heartbeat(worker: string, until: number): Procedure<void> {
  yield* change(workers.beat, worker, until);
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
