import type { ExecutionStatus } from '../../contract/execution.ts';
import type { Checkpoint, CheckpointResult, NewExecution } from '../../ports/store/checkpoint.ts';
import type { PolledItem } from '../../ports/store/polling.ts';
import * as dedupe from '../queries/dedupe.ts';
import * as executions from '../queries/executions.ts';
import * as polls from '../queries/polling.ts';
import * as triggers from '../queries/triggers.ts';
import * as workflows from '../queries/workflows.ts';
import type { StatementResult, Row, Scalar, Statement } from '../statement.ts';
import { tickLock, workflowLock } from './locks.ts';

/** An execution during a batch: as stored, then as its checkpoints leave it. */
export type Live = {
  ownerId: string;
  workflowId: string;
  createdAt: number;
  retention: number;
  fence: number;
  /** Before this batch. */
  storedFence: number;
  nextSeq: number;
  /** Null: this batch creates the execution. */
  stored: ExecutionStatus | null;
  status: ExecutionStatus;
  create: NewExecution | null;
  last: Checkpoint | null;
  mayHaveTimers: boolean;
  /**
   * The whole journal when the first checkpoint is also the last; it is then stored in the execution's row.
   */
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

/** Joins two strings as a key; ids and scopes contain no NUL. */
const pair = (a: string, b: string): string => `${a}\u0000${b}`;
const triple = (a: string, b: string, c: string): string => `${a}\u0000${b}\u0000${c}`;

/** Reads what the guards of a batch need, each row once. */
export class CommitReads {
  readonly #heads = new Map<string, Scalar[]>();
  readonly #workflows = new Map<string, Scalar[]>();
  readonly #keys = new Map<string, Scalar[]>();
  readonly #ticks = new Map<string, Scalar[]>();
  readonly #polls = new Map<string, Scalar[]>();
  readonly #items = new Map<string, Scalar[]>();
  readonly #found = new Map<string, Row>();
  /** Keys, ticks and polled items that an earlier checkpoint of this batch used. */
  readonly #usedKeys = new Map<string, { executionId: string; fingerprint: string }>();
  readonly #usedTicks = new Set<string>();

  addExecution({ executionId, create, wake }: Checkpoint): void {
    // Locks the execution to wake: if it ended meanwhile, its timer would be left over.
    if (wake !== undefined) this.#heads.set(wake.executionId, [wake.executionId]);
    if (create === null) {
      this.#heads.set(executionId, [executionId]);
      return;
    }
    const { ownerId, workflowId } = create;
    const workflow = pair(workflowId, ownerId);
    if (!this.#workflows.has(workflow)) this.#workflows.set(workflow, [workflowId, ownerId]);
    if (create.dedupe !== null) {
      const { scope, key } = create.dedupe;
      const name = triple(ownerId, scope, key);
      if (!this.#keys.has(name)) this.#keys.set(name, [ownerId, scope, key, create.createdAt]);
    }
    if (create.tick !== null) {
      const { nodeId } = create.tick;
      this.#ticks.set(pair(create.tick.workflowId, nodeId), [create.tick.workflowId, nodeId]);
    }
    if (create.polled !== undefined) {
      const { nodeId, key } = create.polled;
      this.#polls.set(pair(create.polled.workflowId, nodeId), [create.polled.workflowId, nodeId]);
      this.#items.set(triple(create.polled.workflowId, nodeId, key), [create.polled.workflowId, nodeId, key]);
    }
  }

  /** Locks first: what is read after them stays valid until the batch is written. */
  statements(): Statement[] {
    const list: Statement[] = [];
    if (this.#workflows.size > 0)
      list.push({
        lock: 'shared',
        names: [...this.#workflows.values()].map(([id]) => workflowLock(String(id))),
      });
    if (this.#keys.size + this.#ticks.size > 0)
      list.push({
        lock: 'exclusive',
        names: [
          ...[...this.#keys.keys()].map((name) => `key:${name}`),
          ...[...this.#ticks.values()].map(([id, node]) => tickLock(String(id), String(node))),
        ],
      });
    for (const [sql, wanted] of this.#questions()) list.push({ sql, each: [...wanted.values()] });
    return list;
  }

  #questions(): [string, ReadonlyMap<string, Scalar[]>][] {
    const all: [string, ReadonlyMap<string, Scalar[]>][] = [
      [workflows.alive, this.#workflows],
      [dedupe.find, this.#keys],
      [triggers.dueAt, this.#ticks],
      [polls.fence, this.#polls],
      [polls.seen, this.#items],
      [executions.head, this.#heads],
    ];
    return all.filter(([, wanted]) => wanted.size > 0);
  }

  take(results: readonly StatementResult[]): void {
    const questions = this.#questions();
    const first = results.length - questions.length;
    questions.forEach(([sql], i) => {
      for (const row of results[first + i]?.rows ?? []) this.#found.set(toName(sql, row), row);
    });
  }

  live(executionId: string): Live | null {
    if (this.#heads.size === 0) return null;
    const head = this.#found.get(executionId) as Head | undefined;
    if (head === undefined) return null;
    return {
      ownerId: head.owner_id,
      workflowId: head.workflow_id,
      createdAt: head.created_at,
      retention: head.retention,
      fence: head.fence,
      storedFence: head.fence,
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
    if (!this.#found.has(pair(create.workflowId, create.ownerId))) return { kind: 'workflow_gone' };
    if (create.dedupe !== null) {
      const name = triple(create.ownerId, create.dedupe.scope, create.dedupe.key);
      const used = this.#usedKeys.get(name);
      if (used !== undefined) return { kind: 'duplicate', ...used };
      const row = this.#found.get(name);
      if (row !== undefined) {
        return {
          kind: 'duplicate',
          executionId: String(row['execution_id']),
          fingerprint: String(row['fingerprint']),
        };
      }
    }
    if (create.tick !== null) {
      const name = pair(create.tick.workflowId, create.tick.nodeId);
      const at = this.#found.get(`tick:${name}`);
      if (at?.['next_run_at'] !== create.tick.due || this.#usedTicks.has(name)) return { kind: 'tick_taken' };
    }
    return create.polled === undefined || this.#mayTake(create.polled) ? null : { kind: 'tick_taken' };
  }

  /** Whether the claim on the poll is still valid and the item has not started an execution. */
  #mayTake({ workflowId, nodeId, fence, key }: PolledItem): boolean {
    const item = `item:${triple(workflowId, nodeId, key)}`;
    const isCurrent = this.#found.get(`poll:${pair(workflowId, nodeId)}`)?.['fence'] === fence;
    return isCurrent && !this.#found.has(item) && !this.#usedTicks.has(item);
  }

  consume(create: NewExecution): void {
    if (create.dedupe !== null) {
      const { scope, key, fingerprint } = create.dedupe;
      this.#usedKeys.set(triple(create.ownerId, scope, key), { executionId: create.id, fingerprint });
    }
    if (create.tick !== null) this.#usedTicks.add(pair(create.tick.workflowId, create.tick.nodeId));
    if (create.polled !== undefined) {
      const { workflowId, nodeId, key } = create.polled;
      this.#usedTicks.add(`item:${triple(workflowId, nodeId, key)}`);
    }
  }
}

/** Maps a row back to the key that was requested. */
function toName(sql: string, row: Row): string {
  if (sql === workflows.alive) return pair(String(row['id']), String(row['owner_id']));
  if (sql === dedupe.find) return triple(String(row['owner_id']), String(row['scope']), String(row['key']));
  if (sql === triggers.dueAt) return `tick:${pair(String(row['workflow_id']), String(row['node_id']))}`;
  if (sql === polls.fence) return `poll:${pair(String(row['workflow_id']), String(row['node_id']))}`;
  if (sql === polls.seen)
    return `item:${triple(String(row['workflow_id']), String(row['node_id']), String(row['item_key']))}`;
  return String(row['id']);
}
