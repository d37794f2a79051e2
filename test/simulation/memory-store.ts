import type { Definition } from '../../src/contract/definition.ts';
import { isSettled } from '../../src/contract/execution.ts';
import { parseEvents, type JournalEvent } from '../../src/engine/journal/journal.ts';
import type { Checkpoint, CheckpointResult, StateSnapshot } from '../../src/ports/store/checkpoint.ts';
import type { Claim, ClaimedExecution, LiveProcess } from '../../src/ports/store/claims.ts';
import type { ExecutionRow } from '../../src/ports/store/execution-row.ts';
import type { ExecutionStore } from '../../src/ports/store/executions.ts';
import type { DueTimer } from '../../src/ports/store/timers.ts';
import type { WorkflowRow } from '../../src/ports/store/workflows.ts';

/** Rows of a journal that comes with a claim. */
const MAX_SHORT_ROWS = 2;

export type SimulatedExecution = {
  row: ExecutionRow;
  fence: number;
  worker: string | null;
  journal: string[];
  events: JournalEvent[];
  /** The happening at which each event was written. */
  steps: number[];
  snapshot: (StateSnapshot & { nextSeq: number }) | null;
  timers: Map<string, number>;
  /** Paths that were posted to. */
  posted: Set<string>;
};

/** The state that every worker shares: what each verb of the store does, at once and whole. */
export class MemoryStore {
  readonly executions = new Map<string, SimulatedExecution>();
  readonly workflows = new Map<string, { row: WorkflowRow; definition: Definition }>();
  readonly leases = new Map<string, number>();
  /** Executions that a first checkpoint took, and first checkpoints that came too late. */
  taken = 0;
  /** Snapshots that were written, and those that were read. */
  snapshots = 0;
  restored = 0;
  late = 0;
  private readonly keys = new Map<string, { executionId: string; fingerprint: string }>();
  private readonly step: () => number;

  constructor(step: () => number) {
    this.step = step;
  }

  commit(batch: readonly Checkpoint[]): CheckpointResult[] {
    return batch.map((checkpoint) => {
      const result = this.write(checkpoint);
      if (checkpoint.isFirstClaim === true) this[result.kind === 'written' ? 'taken' : 'late']++;
      return result;
    });
  }

  private write(checkpoint: Checkpoint): CheckpointResult {
    const { create } = checkpoint;
    let execution = this.executions.get(checkpoint.executionId);
    if (create !== null) {
      if (execution !== undefined) return { kind: 'stale' };
      if (!this.workflows.has(create.workflowId)) return { kind: 'workflow_gone' };
      if (create.dedupe !== null) {
        const key = `${create.dedupe.scope} ${create.dedupe.key}`;
        const used = this.keys.get(key);
        if (used !== undefined) return { kind: 'duplicate', ...used };
        this.keys.set(key, { executionId: create.id, fingerprint: create.dedupe.fingerprint });
      }
      const { id, ownerId, workflowId, workflowVersion, trigger, createdAt, parentId, retryOf } = create;
      execution = {
        row: {
          id,
          ownerId,
          workflowId,
          workflowVersion,
          trigger,
          createdAt,
          parentId,
          retryOf,
          status: 'queued',
          error: null,
          progress: 0,
          currentNode: null,
          startTime: null,
          endTime: null,
        },
        fence: 1,
        worker: null,
        journal: [],
        events: [],
        steps: [],
        snapshot: null,
        timers: new Map<string, number>(),
        posted: new Set<string>(),
      };
      this.executions.set(id, execution);
    } else if (
      execution === undefined ||
      execution.fence !== checkpoint.fence - (checkpoint.isFirstClaim === true ? 1 : 0) ||
      execution.journal.length !== checkpoint.seq ||
      isSettled(execution.row.status)
    )
      return { kind: 'stale' };
    const { status, error, progress, currentNode, startTime, endTime } = checkpoint;
    Object.assign(execution.row, { status, error, progress, currentNode, startTime, endTime });
    execution.fence = checkpoint.fence;
    execution.worker = status === 'running' ? checkpoint.worker : null;
    this.append(execution, checkpoint.events);
    const { snapshot } = checkpoint;
    if (snapshot !== undefined) {
      execution.snapshot = { ...snapshot, nextSeq: execution.journal.length };
      this.snapshots++;
    }
    for (const path of checkpoint.clearTimers) execution.timers.delete(path);
    for (const { path, dueAt } of checkpoint.setTimers) execution.timers.set(path, dueAt);
    if (isSettled(status)) execution.timers.clear();
    return { kind: 'written' };
  }

  snapshot(id: string): SimulatedExecution['snapshot'] {
    const snapshot = this.executions.get(id)?.snapshot ?? null;
    if (snapshot !== null) this.restored++;
    return snapshot;
  }

  /** Posts for a node run, as from outside: its timer is due. False: there is no such execution yet. */
  post(id: string, path: string, now: number): boolean {
    const execution = this.executions.get(id);
    if (execution === undefined) return false;
    if (isSettled(execution.row.status) || execution.posted.has(path)) return true;
    execution.posted.add(path);
    execution.timers.set(path, now);
    return true;
  }

  private append(execution: SimulatedExecution, events: string): void {
    execution.journal.push(events);
    for (const event of parseEvents(events)) {
      execution.events.push(event);
      execution.steps.push(this.step());
    }
  }

  private isFree(execution: SimulatedExecution, now: number): boolean {
    return execution.worker === null || (this.leases.get(execution.worker) ?? 0) <= now;
  }

  runnable(
    leasesAt: number,
    limit: number,
    exclude: readonly string[],
  ): { id: string; workflowId: string }[] {
    return [...this.executions.values()]
      .filter(
        ({ row }) =>
          row.status === 'running' || (row.status === 'queued' && !exclude.includes(row.workflowId)),
      )
      .filter((execution) => this.isFree(execution, leasesAt))
      .slice(0, limit)
      .map(({ row }) => ({ id: row.id, workflowId: row.workflowId }));
  }

  dueTimers(now: number, limit: number, worker: string | null, leasesAt = now): DueTimer[] {
    return this.timers()
      .filter((timer) => timer.dueAt <= now)
      .filter(({ executionId }) => {
        const execution = this.executions.get(executionId)!;
        return worker === null || execution.worker === worker || this.isFree(execution, leasesAt);
      })
      .slice(0, limit);
  }

  nextTimer(): number | null {
    return this.timers()[0]?.dueAt ?? null;
  }

  private timers(): DueTimer[] {
    return [...this.executions.values()]
      .flatMap(({ row, timers }) =>
        [...timers].map(([path, dueAt]) => ({ executionId: row.id, path, dueAt })),
      )
      .toSorted((a, b) => a.dueAt - b.dueAt);
  }

  claim(id: string, worker: string, now: number, leasesAt = now): Claim | null {
    const execution = this.executions.get(id);
    if (execution === undefined || isSettled(execution.row.status)) return null;
    if (execution.worker !== worker && !this.isFree(execution, leasesAt)) return null;
    const settings = this.workflows.get(execution.row.workflowId)?.row.settings ?? {};
    const most = settings.max_concurrency ?? Infinity;
    if (execution.row.status === 'queued' && this.atWork(execution, leasesAt) >= most)
      return { kind: 'full', workflowId: execution.row.workflowId };
    execution.worker = worker;
    execution.fence++;
    const due = [...execution.timers].filter(([, dueAt]) => dueAt <= now).map(([path]) => path);
    return {
      kind: 'claimed',
      ...execution.row,
      fence: execution.fence,
      nextSeq: execution.journal.length,
      settings,
      due,
      journal:
        execution.journal.length <= MAX_SHORT_ROWS
          ? execution.journal.map((events, seq) => ({ seq, events }))
          : null,
    };
  }

  unclaimed(id: string, now: number): ClaimedExecution | null {
    const execution = this.executions.get(id);
    if (execution?.row.status !== 'queued' || execution.worker !== null || execution.journal.length > 1)
      return null;
    const settings = this.workflows.get(execution.row.workflowId)?.row.settings ?? {};
    if (settings.max_concurrency !== undefined) return null;
    if ([...execution.timers.values()].some((dueAt) => dueAt <= now)) return null;
    return {
      ...execution.row,
      fence: execution.fence + 1,
      nextSeq: 1,
      settings,
      due: [],
      journal: [{ seq: 0, events: execution.journal[0]! }],
      isFirstClaim: true,
    };
  }

  private atWork(but: SimulatedExecution, leasesAt: number): number {
    return [...this.executions.values()].filter(
      (other) =>
        other !== but &&
        other.row.workflowId === but.row.workflowId &&
        (other.row.status === 'running' || (other.row.status === 'queued' && !this.isFree(other, leasesAt))),
    ).length;
  }

  processes(now: number): LiveProcess[] {
    return [...this.leases]
      .filter(([, leaseUntil]) => leaseUntil > now)
      .map(([id, leaseUntil]) => ({ id, leaseUntil }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  heartbeat(worker: string, until: number): void {
    this.leases.set(worker, until);
  }

  release(worker: string): void {
    for (const execution of this.executions.values())
      if (execution.worker === worker && ['queued', 'running'].includes(execution.row.status))
        execution.worker = null;
    this.leases.delete(worker);
  }

  stop(ownerId: string, id: string, at: number, events: string): Awaited<ReturnType<ExecutionStore['stop']>> {
    const execution = this.executions.get(id);
    if (execution === undefined || execution.row.ownerId !== ownerId) return { kind: 'missing' };
    if (isSettled(execution.row.status)) return { kind: 'settled', status: execution.row.status };
    execution.fence++;
    execution.worker = null;
    execution.timers.clear();
    Object.assign(execution.row, { status: 'stopped', endTime: at, currentNode: null });
    this.append(execution, events);
    return { kind: 'stopped', row: { ...execution.row } };
  }
}
