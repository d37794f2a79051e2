import { parseOptionalDuration } from '../../lib/time/duration.ts';
import { ChurnMap } from '../../lib/churn-map.ts';
import type { MemoryBudget } from '../../lib/limits/memory-budget.ts';
import type { WorkflowSettings } from '../../contract/definition.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FileStore } from '../../ports/files.ts';
import { limits } from '../../ports/limits.ts';
import type { Store } from '../../ports/store.ts';
import type { Claim, ClaimedExecution } from '../../ports/store/claims.ts';
import { ClaimBatcher } from './claim-batcher.ts';
import { ConcurrencyLimits } from './concurrency-limits.ts';
import { RunningExecution } from './execution/running-execution.ts';
import { failUnrunnable } from './fail-unrunnable.ts';
import type { GraphCache } from '../graph/graph-cache.ts';
import type { Graph } from '../graph/graph.ts';
import { LargeLoadQueue } from './large-load-queue.ts';
import type { Lease } from './lease.ts';
import type { Cluster } from './leader-election.ts';
import { Quarantine } from './quarantine.ts';
import { replayRows } from '../journal/replay.ts';
import { findSnapshot, loadState } from '../state/load-state.ts';
import type { WorkerContext } from './worker-context.ts';

export type DispatcherDeps = {
  store: Pick<Store, 'executions' | 'workflows'>;
  files: FileStore;
  clock: Clock;
  graphs: GraphCache;
  worker: string;
  lease: Pick<Lease, 'takeoverTime'>;
  /** Null: this process is alone on its store. */
  cluster: Cluster | null;
  memory: Pick<MemoryBudget, 'isFull' | 'release'>;
  /** The most executions that this process holds in memory. */
  concurrency: number;
  report: (message: string, error: unknown) => void;
};

/** The most executions that a sweep claims or announces. */
const MAX_CLAIMED_PER_SWEEP = 200;
const MAX_ANNOUNCED_PER_SWEEP = 2_000;
/** The most executions that a sweep announces after an execution of their workflow has ended. */
const MAX_ANNOUNCED_AFTER_END = 50;
/** The shortest and longest pause before an execution that could not be loaded is tried again. */
const MIN_LOAD_PAUSE_MS = 1_000;
const MAX_LOAD_PAUSE_MS = 10_000;
/** Concurrent claims of one sweep. */
const CLAIM_CONCURRENCY = 20;
/** Sweeps between two checks whether workflows are still at their limit. */
const SWEEPS_BETWEEN_LIMIT_CHECKS = 5;

type Row = { id: string; workflowId: string };

/**
 * Decides which executions this process holds in memory, and which it takes next. The store is the source of
 * truth: a sweep finds queued executions and those of lost workers there, even if this process has no record
 * of them.
 */
export class Dispatcher {
  readonly live = new ChurnMap<string, RunningExecution>();
  readonly concurrencyLimits: ConcurrencyLimits;
  readonly quarantine: Quarantine;
  /** Queued executions, as far as this process knows. */
  queued = 0;
  /** Sweeps so far. */
  sweeps = 0;
  snapshotsUsed = 0;
  replayedEvents = 0;
  private readonly deps: DispatcherDeps;
  private readonly workerContext: () => WorkerContext<RunningExecution>;
  private readonly batcher: ClaimBatcher;
  private readonly largeLoads: LargeLoadQueue;
  private readonly claiming = new Set<string>();
  /** Claimed, but not loaded because of an error: no other process may take them while this one is alive. */
  private readonly unloaded = new Map<string, { retryAt: number; pauseMs: number }>();
  /** Callbacks for executions from the queue, called when they leave memory. */
  private readonly onLeave = new ChurnMap<string, () => void>();
  private onEmpty: (() => void)[] = [];
  private isSweeping = false;
  private mustSweepAgain = false;
  private isClosed = false;
  private isLeaseOver = false;

  constructor(deps: DispatcherDeps, workerContext: () => WorkerContext<RunningExecution>) {
    this.deps = deps;
    this.workerContext = workerContext;
    this.concurrencyLimits = new ConcurrencyLimits(deps.cluster);
    this.quarantine = new Quarantine(deps.clock);
    this.batcher = new ClaimBatcher(deps.store.executions, deps.clock, deps.worker, deps.lease);
    this.largeLoads = new LargeLoadQueue(deps.memory);
  }

  /** Whether a new execution has to queue. */
  mustQueue(workflowId: string, settings: WorkflowSettings): boolean {
    if (this.live.size >= this.deps.concurrency || this.deps.memory.isFull) return true;
    return this.concurrencyLimits.mustQueue(workflowId, settings);
  }

  add(execution: RunningExecution): void {
    this.live.set(execution.id, execution);
    this.concurrencyLimits.add(execution);
  }

  remove(execution: RunningExecution): void {
    const { id, memoryBytes } = execution;
    if (this.live.get(id) !== execution) return;
    this.live.delete(id);
    this.quarantine.leave(id);
    this.deps.memory.release(id, memoryBytes);
    this.largeLoads.admitNext();
    if (this.onLeave.size > 0) this.onLeave.take(id)?.();
    const hasFreedLimit = this.concurrencyLimits.remove(execution);
    if (this.deps.cluster === null && this.queued > 0) this.deps.clock.soon(() => void this.sweep());
    if (hasFreedLimit) this.deps.clock.soon(() => void this.sweep(MAX_ANNOUNCED_AFTER_END));
    this.resolveIfEmpty();
  }

  private resolveIfEmpty(): void {
    if (this.live.size === 0) for (const resolve of this.onEmpty.splice(0)) resolve();
  }

  /**
   * For the queue: resolves when the execution cannot be taken, has left memory, or the lease is over. Never
   * rejects.
   */
  runFromQueue(id: string): Promise<void> {
    // A sweep announces it again, so that another process gets it.
    if (this.isLeaseOver) return Promise.resolve();
    // The queue handed it out twice: the first call resolves when it leaves.
    if (this.onLeave.has(id)) return Promise.resolve();
    return new Promise((resolve) => {
      const leave = (): void => {
        if (this.onLeave.get(id) === resolve) this.onLeave.delete(id);
        resolve();
      };
      this.onLeave.set(id, resolve);
      this.claimAndLoad(id, { isExclusive: true }).then(
        (execution) => {
          if (execution === null || this.live.get(id) !== execution) leave();
        },
        (error: unknown) => {
          // A sweep finds it again.
          this.deps.report('failed to claim an execution', error);
          leave();
        },
      );
    });
  }

  /**
   * Other workers may take over this process's executions and those being claimed: lets the queue hand them
   * out again. The store refuses late writes.
   */
  onLeaseLost(): void {
    this.isLeaseOver = true;
    for (const leave of this.onLeave.values()) leave();
    this.onLeave.clear();
  }

  onLeaseRenewed(): void {
    this.isLeaseOver = false;
  }

  /** Takes no more executions. Resolves when none is left in memory, or after `graceMs`. */
  close(graceMs: number): Promise<void> {
    this.isClosed = true;
    this.quarantine.close();
    this.largeLoads.close();
    if (this.live.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.onEmpty.push(resolve);
      this.deps.clock.after(graceMs, resolve);
    });
  }

  /** Tries again to load executions that were claimed when an error occurred, with growing pauses. */
  retryUnloaded(): void {
    for (const id of this.unloaded.keys()) void this.tryClaim(id);
  }

  /**
   * `claimAndLoad`, but with errors reported: an execution that cannot be loaded must not prevent others. It
   * is not tried again before its pause is over.
   */
  async tryClaim(id: string, dueTimer: string | null = null): Promise<boolean> {
    if ((this.unloaded.get(id)?.retryAt ?? 0) > this.deps.clock.now()) return false;
    try {
      return (await this.claimAndLoad(id, { dueTimer })) !== null;
    } catch (error) {
      this.deps.report(`failed to load the execution ${id}`, error);
      const failed = this.unloaded.get(id);
      if (failed !== undefined) {
        failed.retryAt = this.deps.clock.now() + failed.pauseMs;
        failed.pauseMs = Math.min(MAX_LOAD_PAUSE_MS, 2 * failed.pauseMs);
      }
      return false;
    }
  }

  /**
   * Takes or announces what can be claimed: queued executions, and those of workers that are gone. Never
   * rejects.
   */
  async sweep(maxAnnounced = MAX_ANNOUNCED_PER_SWEEP): Promise<void> {
    this.largeLoads.admitNext();
    if (this.isSweeping) {
      this.mustSweepAgain = true;
      return;
    }
    this.isSweeping = true;
    try {
      do {
        this.mustSweepAgain = false;
        if (this.isClosed) break;
        this.sweeps++;
        if (this.deps.cluster !== null && this.sweeps % SWEEPS_BETWEEN_LIMIT_CHECKS === 0)
          this.concurrencyLimits.clearFull();
        if (this.deps.cluster?.queue.isUp() === true) {
          await this.announceRunnable(this.deps.cluster, maxAnnounced);
          break;
        }
        const free = Math.min(MAX_CLAIMED_PER_SWEEP, this.deps.concurrency - this.live.size);
        if (free <= 0 || this.deps.memory.isFull) break;
        const rows = await this.findRunnable(free);
        const open = rows.filter((row) => !this.live.has(row.id) && !this.claiming.has(row.id));
        const hasClaimed =
          this.deps.cluster === null ? await this.claimByWorkflow(open) : await this.claimAll(open);
        if (hasClaimed) this.mustSweepAgain = true;
      } while (this.mustSweepAgain);
    } catch (error) {
      this.deps.report('failed to read runnable executions', error);
    } finally {
      this.isSweeping = false;
    }
  }

  private findRunnable(limit: number): Promise<Row[]> {
    const { store, lease } = this.deps;
    return store.executions.runnable(lease.takeoverTime, limit, this.concurrencyLimits.fullWorkflows);
  }

  /** Announces executions that no process runs. The queue ignores duplicates. */
  private async announceRunnable({ queue }: Cluster, limit: number): Promise<void> {
    const rows = await this.findRunnable(limit);
    queue.announce(rows.map((row) => row.id));
  }

  /** In a cluster: the store itself enforces the limits of workflows. */
  private async claimAll(rows: readonly Row[]): Promise<boolean> {
    let hasClaimed = false;
    for (let i = 0; i < rows.length; i += CLAIM_CONCURRENCY) {
      const taken = await Promise.all(
        rows.slice(i, i + CLAIM_CONCURRENCY).map((row) => this.tryClaim(row.id)),
      );
      hasClaimed ||= taken.includes(true);
    }
    return hasClaimed;
  }

  private async claimByWorkflow(rows: readonly Row[]): Promise<boolean> {
    const byWorkflow = Map.groupBy(rows, (row) => row.workflowId);
    const taken = await Promise.all([...byWorkflow.values()].map((each) => this.claimUntilFull(each)));
    return taken.includes(true);
  }

  /** Takes executions of one workflow until it is at its limit. Returns whether at least one was taken. */
  private async claimUntilFull(rows: readonly Row[]): Promise<boolean> {
    let hasClaimed = false;
    for (const row of rows) {
      if (this.concurrencyLimits.isFull(row.workflowId)) break;
      if (await this.tryClaim(row.id)) hasClaimed = true;
    }
    return hasClaimed;
  }

  /**
   * Claims and loads an execution, and fires its due timers and `dueTimer`. Returns null when it cannot be
   * taken now. `isExclusive`: the queue gives it to no other process meanwhile.
   */
  private async claimAndLoad(
    id: string,
    { dueTimer = null, isExclusive = false }: { dueTimer?: string | null; isExclusive?: boolean } = {},
  ): Promise<RunningExecution | null> {
    // A list of runnable executions may be outdated by now.
    if (this.claiming.has(id) || this.live.has(id) || this.isClosed) return null;
    this.claiming.add(id);
    let isLarge = false;
    try {
      const claimed = await this.claim(id, isExclusive);
      if (claimed?.kind !== 'claimed') {
        this.unloaded.delete(id);
        if (claimed !== null) this.concurrencyLimits.claimRefused(claimed.workflowId);
        return null;
      }
      if (!this.unloaded.has(id)) this.unloaded.set(id, { retryAt: 0, pauseMs: MIN_LOAD_PAUSE_MS });
      const graph = await this.deps.graphs.load(claimed.ownerId, claimed.workflowId, claimed.workflowVersion);
      if (claimed.status === 'queued' && this.queued > 0) this.queued--;
      if (graph === null) {
        const { clock, store } = this.deps;
        await failUnrunnable(claimed, { ...this.workerContext(), clock, executions: store.executions });
        this.unloaded.delete(id);
        return null;
      }
      isLarge = hasLargeValues(claimed);
      if (isLarge) await this.largeLoads.enter();
      if (this.isClosed) return null;
      const execution = await this.load(claimed, graph);
      // An execution that was claimed during the close is released with the rest.
      if (this.isClosed) return null;
      this.unloaded.delete(id);
      this.add(execution);
      this.concurrencyLimits.claimed(execution, claimed.settings);
      this.resume(execution, claimed, dueTimer === null ? claimed.due : [...claimed.due, dueTimer]);
      return execution;
    } finally {
      this.claiming.delete(id);
      if (isLarge) this.largeLoads.finish();
    }
  }

  private claim(id: string, isExclusive: boolean): Promise<Claim | null> {
    const { clock, cluster, store, worker, lease } = this.deps;
    if (cluster === null) return store.executions.claim(id, worker, clock.now(), lease.takeoverTime);
    return this.batcher.claim(id, isExclusive);
  }

  private async load(claimed: ClaimedExecution, graph: Graph): Promise<RunningExecution> {
    const create = (): RunningExecution =>
      new RunningExecution(this.workerContext(), graph, claimed.ownerId, claimed, {
        fence: claimed.fence,
        seq: claimed.nextSeq,
        create: null,
        ...(claimed.isFirstClaim && { isFirstClaim: true }),
      });
    if (claimed.journal === null) {
      const snapshot = await findSnapshot(this.deps, claimed, claimed.nextSeq);
      const { loaded, from, count, size } = await loadState(
        this.deps,
        claimed,
        snapshot,
        claimed.nextSeq,
        () => {
          const execution = create();
          return {
            execution,
            restore: (saved) => execution.snapshots.restore(saved),
            apply: (event) => execution.state.apply(event),
          };
        },
      );
      loaded.execution.snapshots.add({ count, size });
      if (from > 0) this.snapshotsUsed++;
      this.replayedEvents += count;
      return loaded.execution;
    }
    const execution = create();
    await replayRows(this.deps, claimed.journal, (event) => {
      execution.state.apply(event);
      this.replayedEvents++;
    });
    return execution;
  }

  /** Resumes a loaded execution: at once, or when the quarantine admits it. */
  private resume(execution: RunningExecution, claimed: ClaimedExecution, due: readonly string[]): void {
    const timeoutMs = parseOptionalDuration(claimed.settings.timeout);
    const expiresAt = timeoutMs === null ? null : claimed.createdAt + timeoutMs;
    const isInterrupted = claimed.status === 'running';
    execution.suspend(due);
    const suspicion = isInterrupted ? execution.suspicion() : null;
    if (suspicion === null || suspicion.loneCrashes >= limits.crashesAsOnlySuspect)
      execution.resume(isInterrupted, expiresAt, null);
    else
      this.quarantine.enter(execution.id, suspicion, (probation) =>
        execution.resume(true, expiresAt, probation),
      );
  }
}

/** Whether loading it takes a considerable amount of memory. */
function hasLargeValues({ journal }: ClaimedExecution): boolean {
  return journal === null || journal.some(({ events }) => events.includes('{"blob":"'));
}
