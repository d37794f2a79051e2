import { isSettled, type ExecutionStatus } from '../../contract/execution.ts';
import type { Checkpoint, CheckpointResult, NewExecution, PolledItem } from '../../ports/store.ts';
import { mayBecome } from '../../engine/transitions.ts';
import * as blobs from '../queries/blobs.ts';
import * as dedupe from '../queries/dedupe.ts';
import * as executions from '../queries/executions.ts';
import * as journal from '../queries/journal.ts';
import * as timers from '../queries/timers.ts';
import * as polls from '../queries/polls.ts';
import * as triggers from '../queries/triggers.ts';
import * as workflows from '../queries/workflows.ts';
import type { Answer, Procedure, Row, Scalar, Statement } from '../statement.ts';
import { CounterDeltas } from './counts.ts';
import { fileInsert } from './files.ts';
import { followerStatement } from './followers.ts';
import { wakeStatement } from './signals.ts';

/** An execution as the batch sees it: as stored, then as its checkpoints leave it. */
type Live = {
  ownerId: string;
  workflowId: string;
  createdAt: number;
  retention: number;
  fence: number;
  nextSeq: number;
  /** Null: this batch creates it. */
  stored: ExecutionStatus | null;
  status: ExecutionStatus;
  create: NewExecution | null;
  last: Checkpoint | null;
  mayHaveTimers: boolean;
  /** The whole journal, when the first checkpoint is the last: it then stands in the execution's own row. */
  only: string | null;
};

type Head = {
  owner_id: string;
  workflow_id: string;
  created_at: number;
  status: ExecutionStatus;
  fence: number;
  next_seq: number;
  retention: number;
};

/** Two strings as one key; ids and scopes hold no NUL. */
const pair = (a: string, b: string): string => `${a}\u0000${b}`;
const triple = (a: string, b: string, c: string): string => `${a}\u0000${b}\u0000${c}`;

/**
 * The hot path. Reads all that the guards need, decides each checkpoint in order, then writes: one row of the journal
 * per checkpoint, but one write per execution and per counter, however many checkpoints touched it.
 */
export function* commit(batch: readonly Checkpoint[]): Procedure<CheckpointResult[]> {
  const reads = new Reads();
  for (const checkpoint of batch) reads.want(checkpoint);
  reads.take(yield reads.statements);

  const rows = new Map<string, Live>();
  const details: Statement[] = [];
  const results = batch.map((checkpoint): CheckpointResult => {
    const live = rows.get(checkpoint.executionId) ?? reads.live(checkpoint.executionId);
    if (checkpoint.create !== null) {
      const refusal = live === null ? reads.refusal(checkpoint.create) : STALE;
      if (refusal !== null) return refusal;
      const created = begin(checkpoint.create);
      reads.consume(checkpoint.create);
      pushCreation(details, checkpoint.create);
      rows.set(checkpoint.executionId, created);
      apply(created, checkpoint, details);
      return WRITTEN;
    }
    const isCurrent =
      live !== null &&
      live.fence === checkpoint.fence &&
      live.nextSeq === checkpoint.seq &&
      !isSettled(live.status) &&
      mayBecome(live.status, checkpoint.status);
    if (!isCurrent) return STALE;
    rows.set(checkpoint.executionId, live);
    apply(live, checkpoint, details);
    return WRITTEN;
  });
  if (rows.size === 0) return results;

  const writes: Statement[] = [];
  const deltas = new CounterDeltas();
  for (const live of rows.values()) {
    writes.push(rowStatement(live));
    deltas.move(live.ownerId, live.workflowId, live.stored, live.status);
  }
  for (const detail of details) writes.push(detail);
  for (const delta of deltas.statements()) writes.push(delta);
  const answers = yield writes;
  for (let i = 0; i < rows.size; i++) {
    if (answers[i]?.changes !== 1)
      throw new Error('An execution changed while its checkpoint was being written.');
  }
  return results;
}

const WRITTEN: CheckpointResult = { kind: 'written' };
const STALE: CheckpointResult = { kind: 'stale' };

/** What the guards of a batch need to know, each asked once. */
class Reads {
  readonly statements: Statement[] = [];
  readonly #index = new Map<string, number>();
  #answers: readonly Answer[] = [];
  /** Keys, ticks and polled items that an earlier checkpoint of this batch has used. */
  readonly #usedKeys = new Map<string, { executionId: string; fingerprint: string }>();
  readonly #usedTicks = new Set<string>();

  want({ executionId, create }: Checkpoint): void {
    if (create === null) {
      this.#ask(executionId, executions.head, [executionId]);
      return;
    }
    this.#ask(triple('workflow', create.ownerId, create.workflowId), workflows.alive, [
      create.workflowId,
      create.ownerId,
    ]);
    if (create.dedupe !== null) {
      const { scope, key } = create.dedupe;
      this.#ask(triple('dedupe', create.ownerId, pair(scope, key)), dedupe.find, [
        create.ownerId,
        scope,
        key,
        create.createdAt,
      ]);
    }
    if (create.tick !== null) {
      const { workflowId, nodeId } = create.tick;
      this.#ask(triple('tick', workflowId, nodeId), triggers.dueAt, [workflowId, nodeId]);
    }
    if (create.polled !== undefined) {
      const { workflowId, nodeId, key } = create.polled;
      this.#ask(triple('poll', workflowId, nodeId), polls.fence, [workflowId, nodeId]);
      this.#ask(triple('item', pair(workflowId, nodeId), key), polls.seen, [workflowId, nodeId, key]);
    }
  }

  #ask(key: string, sql: string, params: Scalar[]): void {
    if (this.#index.has(key)) return;
    this.#index.set(key, this.statements.length);
    this.statements.push({ sql, params });
  }

  take(answers: readonly Answer[]): void {
    this.#answers = answers;
  }

  #row(key: string): Row | null {
    const at = this.#index.get(key);
    return at === undefined ? null : (this.#answers[at]?.rows[0] ?? null);
  }

  live(executionId: string): Live | null {
    const head = this.#row(executionId) as Head | null;
    if (head === null) return null;
    return {
      ownerId: head.owner_id,
      workflowId: head.workflow_id,
      createdAt: head.created_at,
      retention: head.retention,
      fence: head.fence,
      nextSeq: head.next_seq,
      stored: head.status,
      status: head.status,
      create: null,
      last: null,
      mayHaveTimers: true,
      only: null,
    };
  }

  /** Why the execution may not be created, or null. */
  refusal(create: NewExecution): CheckpointResult | null {
    if (this.#row(triple('workflow', create.ownerId, create.workflowId)) === null)
      return { kind: 'workflow_gone' };
    if (create.dedupe !== null) {
      const { scope, key } = create.dedupe;
      const used = this.#usedKeys.get(triple(create.ownerId, scope, key));
      if (used !== undefined) return { kind: 'duplicate', ...used };
      const row = this.#row(triple('dedupe', create.ownerId, pair(scope, key)));
      if (row !== null) {
        return {
          kind: 'duplicate',
          executionId: String(row.execution_id),
          fingerprint: String(row.fingerprint),
        };
      }
    }
    if (create.tick !== null) {
      const { workflowId, nodeId, due } = create.tick;
      const at = this.#row(triple('tick', workflowId, nodeId));
      if (at?.next_run_at !== due || this.#usedTicks.has(pair(workflowId, nodeId)))
        return { kind: 'tick_taken' };
    }
    return create.polled === undefined || this.#mayTake(create.polled) ? null : { kind: 'tick_taken' };
  }

  /** The claim on the poll still stands, and nothing was started for this item. */
  #mayTake({ workflowId, nodeId, fence, key }: PolledItem): boolean {
    const item = triple('item', pair(workflowId, nodeId), key);
    const isCurrent = this.#row(triple('poll', workflowId, nodeId))?.fence === fence;
    return isCurrent && this.#row(item) === null && !this.#usedTicks.has(item);
  }

  consume(create: NewExecution): void {
    if (create.dedupe !== null) {
      const { scope, key, fingerprint } = create.dedupe;
      this.#usedKeys.set(triple(create.ownerId, scope, key), { executionId: create.id, fingerprint });
    }
    if (create.tick !== null) this.#usedTicks.add(pair(create.tick.workflowId, create.tick.nodeId));
    if (create.polled !== undefined) {
      const { workflowId, nodeId, key } = create.polled;
      this.#usedTicks.add(triple('item', pair(workflowId, nodeId), key));
    }
  }
}

function begin(create: NewExecution): Live {
  return {
    ownerId: create.ownerId,
    workflowId: create.workflowId,
    createdAt: create.createdAt,
    retention: create.retention,
    fence: 1,
    nextSeq: 0,
    stored: null,
    status: 'queued',
    create,
    last: null,
    mayHaveTimers: false,
    only: null,
  };
}

function pushCreation(details: Statement[], create: NewExecution): void {
  if (create.dedupe !== null) {
    const { scope, key, fingerprint, expiresAt } = create.dedupe;
    details.push({
      sql: dedupe.put,
      params: [create.ownerId, scope, key, fingerprint, create.id, expiresAt],
    });
  }
  if (create.files !== undefined)
    for (const file of create.files)
      details.push(fileInsert({ ...file, ownerId: create.ownerId, executionId: create.id }));
  if (create.tick !== null) {
    const { workflowId, nodeId, due, next } = create.tick;
    details.push({ sql: triggers.move, params: [next, null, workflowId, nodeId, due] });
  }
  if (create.polled !== undefined) {
    const { workflowId, nodeId, key, number } = create.polled;
    details.push({ sql: polls.see, params: [workflowId, nodeId, key, number] });
  }
}

/** Takes the checkpoint over into the execution; its own rows are appended to `details`. */
function apply(live: Live, checkpoint: Checkpoint, details: Statement[]): void {
  const id = checkpoint.executionId;
  live.status = checkpoint.status;
  live.nextSeq = checkpoint.seq + 1;
  live.last = checkpoint;
  if (checkpoint.create !== null && isSettled(checkpoint.status)) live.only = checkpoint.events;
  else details.push({ sql: journal.append, params: [id, checkpoint.seq, checkpoint.events] });
  for (const path of checkpoint.clearTimers) details.push({ sql: timers.clear, params: [id, path] });
  for (const timer of checkpoint.setTimers)
    details.push({ sql: timers.set, params: [id, timer.path, timer.dueAt] });
  if (checkpoint.setTimers.length > 0) live.mayHaveTimers = true;
  if (isSettled(live.status) && live.mayHaveTimers) details.push({ sql: timers.clearAll, params: [id] });
  for (const hash of checkpoint.blobs) details.push({ sql: blobs.add, params: [id, hash] });
  if (checkpoint.wake !== undefined) details.push(wakeStatement(checkpoint.wake, checkpoint.endTime ?? 0));
  if (checkpoint.follow !== undefined)
    for (const follower of checkpoint.follow) details.push(followerStatement(id, live.ownerId, follower));
}

function rowStatement(live: Live): Statement {
  const last = live.last!;
  const error = last.error === null ? null : JSON.stringify(last.error);
  const worker = live.status === 'running' ? last.worker : null;
  const ended = last.endTime ?? last.startTime ?? live.createdAt;
  const expiresAt = isSettled(live.status) ? ended + live.retention : null;
  if (live.create === null) {
    return {
      sql: executions.advance,
      params: [
        live.status,
        error,
        last.progress,
        last.currentNode,
        last.startTime,
        last.endTime,
        expiresAt,
        worker,
        live.nextSeq,
        last.executionId,
        live.fence,
      ],
    };
  }
  const { create } = live;
  return {
    sql: executions.insert,
    params: [
      last.executionId,
      create.ownerId,
      create.workflowId,
      create.workflowVersion,
      live.status,
      JSON.stringify(create.trigger),
      error,
      last.progress,
      last.currentNode,
      create.createdAt,
      last.startTime,
      last.endTime,
      create.parentId,
      create.retryOf,
      create.retention,
      expiresAt,
      worker,
      live.fence,
      live.nextSeq,
      create.dedupe?.scope ?? null,
      create.dedupe?.key ?? null,
      live.only,
    ],
  };
}
