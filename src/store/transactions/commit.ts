import { isSettled } from '../../contract/execution.ts';
import type { Checkpoint, CheckpointResult, NewExecution } from '../../ports/store/checkpoint.ts';
import { mayBecome } from '../../contract/transitions.ts';
import * as blobs from '../queries/blobs.ts';
import * as dedupe from '../queries/dedupe.ts';
import * as executions from '../queries/executions.ts';
import * as journal from '../queries/journal.ts';
import * as timers from '../queries/timers.ts';
import * as polls from '../queries/polling.ts';
import * as triggers from '../queries/triggers.ts';
import { insert as filesInsert } from '../queries/files.ts';
import { insert as insertPendingStart } from '../queries/completion-triggers.ts';
import { markLastStep, type Transaction, type Scalar, type Statement } from '../statement.ts';
import { CommitReads, type Live } from './commit-reads.ts';
import { CounterDeltas } from './execution-counters.ts';
import { StatisticsDeltas } from './execution-statistics.ts';
import { fileParams } from './files.ts';
import { addTurns, type AddedTurn } from './ai/threads.ts';
import { completionStartParams } from './completion-triggers.ts';
import { UsageDeltas } from './ai/model-usage.ts';

/**
 * The hot path. Reads everything that the guards need, decides each checkpoint in order, then writes: one
 * journal row per checkpoint, but one write per execution and per counter, regardless of the number of
 * checkpoints. Each kind of row is one statement for the whole batch.
 */
export function* commit(batch: readonly Checkpoint[]): Transaction<CheckpointResult[]> {
  const reads = new CommitReads();
  for (const checkpoint of batch) reads.addExecution(checkpoint);
  reads.take(yield reads.statements());

  const rows = new Map<string, Live>();
  const writes = new Writes();
  const results = batch.map((checkpoint): CheckpointResult => {
    const live = rows.get(checkpoint.executionId) ?? reads.live(checkpoint.executionId);
    if (checkpoint.create !== null) {
      const refusal = live === null ? reads.refusal(checkpoint.create) : STALE;
      if (refusal !== null) return refusal;
      const created = begin(checkpoint.create);
      reads.consume(checkpoint.create);
      writes.creation(checkpoint.create);
      rows.set(checkpoint.executionId, created);
      apply(created, checkpoint, writes);
      return WRITTEN;
    }
    const isCurrent =
      live !== null &&
      live.fence === (checkpoint.isFirstClaim === true ? checkpoint.fence - 1 : checkpoint.fence) &&
      live.nextSeq === checkpoint.seq &&
      !isSettled(live.status) &&
      mayBecome(live.status, checkpoint.status);
    if (!isCurrent) return STALE;
    rows.set(checkpoint.executionId, live);
    apply(live, checkpoint, writes);
    return WRITTEN;
  });
  if (rows.size === 0) return results;

  const created: Scalar[][] = [];
  const advanced: Scalar[][] = [];
  const deltas = new CounterDeltas();
  const statistics = new StatisticsDeltas();
  for (const live of rows.values()) {
    if (live.create === null) advanced.push(advance(live));
    else created.push(insert(live, live.create));
    deltas.move(live.ownerId, live.workflowId, live.stored, live.status);
    if (isSettled(live.status)) {
      const { startTime, endTime } = live.last!;
      statistics.add({ ...live, startTime, endTime });
    }
  }
  const statements: Statement[] = [];
  if (created.length > 0) statements.push({ sql: executions.insert, each: created });
  if (advanced.length > 0) statements.push({ sql: executions.advance, each: advanced });
  const heads = statements.length;
  writes.pushTo(statements);
  for (const delta of deltas.statements()) statements.push(delta);
  for (const delta of statistics.statements()) statements.push(delta);
  for (const delta of writes.usage.statements()) statements.push(delta);
  const replies = yield markLastStep(statements);
  let changed = 0;
  for (let i = 0; i < heads; i++) changed += replies[i]?.changes ?? 0;
  if (changed !== rows.size) throw new Error('An execution changed while its checkpoint was being written.');
  return results;
}

export const WRITTEN: CheckpointResult = { kind: 'written' };
const STALE: CheckpointResult = { kind: 'stale' };

/** Writes of a batch other than the executions: one list of rows per kind. */
class Writes {
  readonly usage = new UsageDeltas();
  readonly #lists = new Map<string, Scalar[][]>();
  readonly #timers = new Map<string, Map<string, { sql: string; params: Scalar[] }>>();
  readonly turns: AddedTurn[] = [];

  add(sql: string, params: Scalar[]): void {
    const list = this.#lists.get(sql);
    if (list === undefined) this.#lists.set(sql, [params]);
    else list.push(params);
  }

  /** Only the last timer change of a node run counts. */
  timer(executionId: string, path: string, sql: string, params: Scalar[]): void {
    let ofExecution = this.#timers.get(executionId);
    if (ofExecution === undefined) this.#timers.set(executionId, (ofExecution = new Map()));
    ofExecution.set(path, { sql, params });
  }

  /** Removes all timers of an ended execution. */
  clearTimers(executionId: string): void {
    this.#timers.delete(executionId);
    this.add(timers.clearAll, [executionId]);
  }

  creation(create: NewExecution): void {
    if (create.dedupe !== null) {
      const { scope, key, fingerprint, expiresAt } = create.dedupe;
      this.add(dedupe.put, [create.ownerId, scope, key, fingerprint, create.id, expiresAt]);
    }
    if (create.files !== undefined)
      for (const file of create.files)
        this.add(filesInsert, fileParams({ ...file, ownerId: create.ownerId, executionId: create.id }));
    if (create.tick !== null) {
      const { workflowId, nodeId, due, next } = create.tick;
      this.add(triggers.move, [next, null, workflowId, nodeId, due]);
    }
    if (create.polled !== undefined) {
      const { workflowId, nodeId, key, number } = create.polled;
      this.add(polls.see, [workflowId, nodeId, key, number]);
    }
  }

  pushTo(statements: Statement[]): void {
    for (const ofExecution of this.#timers.values())
      for (const { sql, params } of ofExecution.values()) this.add(sql, params);
    for (const [sql, each] of this.#lists) statements.push({ sql, each });
    if (this.turns.length > 0) for (const statement of addTurns(this.turns)) statements.push(statement);
  }
}

/** The state before the first checkpoint. */
function begin(create: NewExecution): Live {
  return {
    ownerId: create.ownerId,
    workflowId: create.workflowId,
    createdAt: create.createdAt,
    retention: create.retention,
    fence: 1,
    storedFence: 1,
    nextSeq: 0,
    stored: null,
    status: 'queued',
    create,
    last: null,
    mayHaveTimers: false,
    only: null,
  };
}

/** Applies the checkpoint to the execution, and adds its other rows to `writes`. */
function apply(live: Live, checkpoint: Checkpoint, writes: Writes): void {
  const id = checkpoint.executionId;
  live.status = checkpoint.status;
  live.fence = checkpoint.fence;
  live.nextSeq = checkpoint.seq + 1;
  live.last = checkpoint;
  if (checkpoint.create !== null && isSettled(checkpoint.status)) live.only = checkpoint.events;
  else writes.add(journal.append, [id, checkpoint.seq, checkpoint.events]);
  if (isSettled(live.status)) {
    if (live.mayHaveTimers) writes.clearTimers(id);
  } else {
    for (const path of checkpoint.clearTimers) writes.timer(id, path, timers.clear, [id, path]);
    for (const { path, dueAt } of checkpoint.setTimers) writes.timer(id, path, timers.set, [id, path, dueAt]);
    if (checkpoint.setTimers.length > 0) live.mayHaveTimers = true;
  }
  if (checkpoint.usage !== undefined) for (const record of checkpoint.usage) writes.usage.add(live, record);
  for (const hash of checkpoint.blobs) writes.add(blobs.add, [id, hash]);
  if (checkpoint.snapshot !== undefined) {
    const { version, data } = checkpoint.snapshot;
    writes.add(journal.putSnapshot, [id, live.nextSeq, version, data]);
  }
  if (checkpoint.wake !== undefined) {
    const { executionId, path } = checkpoint.wake;
    writes.timer(executionId, path, timers.wake, [path, checkpoint.endTime ?? 0, executionId]);
  }
  if (checkpoint.turns !== undefined)
    for (const turn of checkpoint.turns) writes.turns.push({ ownerId: live.ownerId, executionId: id, turn });
  if (checkpoint.completionStarts !== undefined)
    for (const start of checkpoint.completionStarts)
      writes.add(insertPendingStart, completionStartParams(id, live.ownerId, start));
}

/** The parameters of `executions.advance`, for an existing execution. */
function advance(live: Live): Scalar[] {
  const last = live.last!;
  return [
    live.status,
    errorText(last),
    last.progress,
    last.currentNode,
    last.startTime,
    last.endTime,
    readExpiry(live),
    readWorker(live),
    live.nextSeq,
    live.fence,
    last.executionId,
    live.storedFence,
  ];
}

/** The parameters of `executions.insert`, for a new execution. */
function insert(live: Live, create: NewExecution): Scalar[] {
  const last = live.last!;
  return [
    last.executionId,
    create.ownerId,
    create.workflowId,
    create.workflowVersion,
    live.status,
    JSON.stringify(create.trigger),
    errorText(last),
    last.progress,
    last.currentNode,
    create.createdAt,
    last.startTime,
    last.endTime,
    create.parentId,
    create.retryOf,
    create.retention,
    readExpiry(live),
    readWorker(live),
    live.fence,
    live.nextSeq,
    create.dedupe?.scope ?? null,
    create.dedupe?.key ?? null,
    live.only,
  ];
}

function errorText({ error }: Checkpoint): string | null {
  return error === null ? null : JSON.stringify(error);
}

function readExpiry(live: Live): number | null {
  if (!isSettled(live.status)) return null;
  return (live.last!.endTime ?? live.last!.startTime ?? live.createdAt) + live.retention;
}

function readWorker(live: Live): string | null {
  return live.status === 'running' ? live.last!.worker : null;
}
