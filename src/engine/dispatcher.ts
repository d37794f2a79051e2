import { parseDuration } from '../lib/duration.ts';
import type { WorkflowSettings } from '../contract/definition.ts';
import { waitingParent } from '../contract/execution.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import { limits } from '../ports/limits.ts';
import type { ClaimedExecution, Store } from '../ports/store.ts';
import type { GraphCache } from './graph-cache.ts';
import type { JournalEvent } from './journal.ts';
import { foldJournal } from './fold.ts';
import { LiveExecution, type LiveDeps } from './live-execution.ts';

export type DispatcherDeps = {
  store: Pick<Store, 'executions' | 'workflows'>;
  files: FileStore;
  clock: Clock;
  graphs: GraphCache;
  worker: string;
  report: (message: string, error: unknown) => void;
};

/** Executions that one look at the store takes at most. */
const sweepSize = 200;

/**
 * Which executions live in this process, and which come next. The store is the truth: what is queued, or was left by a
 * worker that is gone, is found there by a sweep; forgetting everything here costs one sweep interval.
 */
export class Dispatcher {
  readonly live = new Map<string, LiveExecution>();
  /** Executions that wait in the queue, as far as this process knows. */
  queued = 0;
  private readonly deps: DispatcherDeps;
  private readonly liveDeps: () => LiveDeps;
  private readonly liveByWorkflow = new Map<string, number>();
  /** Workflows at their `max_concurrency`, and how many that is. */
  private readonly full = new Map<string, number>();
  private readonly claiming = new Set<string>();
  private sweeping = false;
  private sweepAgain = false;
  private closed = false;
  private rested: (() => void)[] = [];

  constructor(deps: DispatcherDeps, liveDeps: () => LiveDeps) {
    this.deps = deps;
    this.liveDeps = liveDeps;
  }

  /** Whether a new execution has to queue. */
  atLimit(workflowId: string, settings: WorkflowSettings): boolean {
    if (this.live.size >= limits.activeExecutions) return true;
    const most = settings.max_concurrency;
    if (most === undefined || (this.liveByWorkflow.get(workflowId) ?? 0) < most) return false;
    this.full.set(workflowId, most);
    return true;
  }

  enter(execution: LiveExecution): void {
    this.live.set(execution.id, execution);
    this.liveByWorkflow.set(execution.workflowId, (this.liveByWorkflow.get(execution.workflowId) ?? 0) + 1);
  }

  leave(execution: LiveExecution): void {
    if (this.live.get(execution.id) !== execution) return;
    this.live.delete(execution.id);
    const left = this.liveByWorkflow.get(execution.workflowId)! - 1;
    if (left === 0) this.liveByWorkflow.delete(execution.workflowId);
    else this.liveByWorkflow.set(execution.workflowId, left);
    // What was only on its way into the queue makes no room.
    if (left < (this.full.get(execution.workflowId) ?? Infinity)) this.full.delete(execution.workflowId);
    if (this.queued > 0) this.deps.clock.soon(() => void this.sweep());
    if (this.live.size === 0) for (const rest of this.rested.splice(0)) rest();
  }

  /** Takes nothing from now on. Resolves when nothing lives here, or after `graceMs`. */
  close(graceMs: number): Promise<void> {
    this.closed = true;
    if (this.live.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.rested.push(resolve);
      this.deps.clock.after(graceMs, resolve);
    });
  }

  /** Takes what can be claimed: queued executions, and those whose worker is gone. Never rejects. */
  async sweep(): Promise<void> {
    if (this.sweeping) {
      this.sweepAgain = true;
      return;
    }
    this.sweeping = true;
    try {
      do {
        this.sweepAgain = false;
        const free = Math.min(sweepSize, limits.activeExecutions - this.live.size);
        if (free <= 0 || this.closed) break;
        const rows = await this.deps.store.executions.runnable(this.deps.clock.now(), free, [
          ...this.full.keys(),
        ]);
        const open = rows.filter((row) => !this.live.has(row.id) && !this.claiming.has(row.id));
        const byWorkflow = Map.groupBy(open, (row) => row.workflowId);
        const taken = await Promise.all([...byWorkflow.values()].map((each) => this.takeInTurn(each)));
        if (taken.includes(true)) this.sweepAgain = true;
      } while (this.sweepAgain);
    } catch (error) {
      this.deps.report('the queue could not be read', error);
    } finally {
      this.sweeping = false;
    }
  }

  /** One after the other, until the workflow is at its limit. True: at least one was taken. */
  private async takeInTurn(rows: readonly { id: string; workflowId: string }[]): Promise<boolean> {
    let taken = false;
    for (const row of rows) {
      if (this.full.has(row.workflowId)) break;
      if ((await this.take(row.id)) !== null) taken = true;
    }
    return taken;
  }

  /**
   * Claims an execution and brings it to life, with what is due of it, and with the timer `path` in any case; null when it is not
   * to be had (now).
   */
  async take(id: string, path: string | null = null): Promise<LiveExecution | null> {
    // A list of what is free may be older than what lives here by now.
    if (this.claiming.has(id) || this.live.has(id) || this.closed) return null;
    this.claiming.add(id);
    try {
      const claimed = await this.deps.store.executions.claim(id, this.deps.worker, this.deps.clock.now());
      if (claimed === null || claimed === 'full') return null;
      const graph = await this.deps.graphs.load(claimed.ownerId, claimed.workflowId, claimed.workflowVersion);
      if (claimed.status === 'queued' && this.queued > 0) this.queued--;
      if (graph === null) {
        await this.giveUp(claimed);
        return null;
      }
      const { settings } = claimed;
      const execution = new LiveExecution(this.liveDeps(), graph, claimed.ownerId, claimed, {
        fence: claimed.fence,
        seq: claimed.nextSeq,
        create: null,
      });
      await foldJournal(this.deps, claimed, 0, (event) => execution.replay(event));
      // What was claimed while it closed is given back with the rest.
      if (this.closed) return null;
      this.enter(execution);
      const most = settings.max_concurrency;
      if (most !== undefined && this.liveByWorkflow.get(claimed.workflowId)! >= most)
        this.full.set(claimed.workflowId, most);
      const expires = durationOf(settings.timeout);
      execution.resume(claimed.status === 'running', expires === null ? null : claimed.createdAt + expires);
      for (const due of new Set(path === null ? claimed.due : [...claimed.due, path])) execution.fire(due);
      execution.drive();
      return execution;
    } finally {
      this.claiming.delete(id);
    }
  }

  /** An execution whose workflow version cannot run any more ends, and says why. */
  private async giveUp(claimed: ClaimedExecution): Promise<void> {
    const at = this.deps.clock.now();
    const error = {
      type: 'internal' as const,
      message: 'This version of the workflow can no longer be run: a node type that it uses is gone.',
      node_id: '',
      attempt: 0,
    };
    const wake = waitingParent(claimed.trigger);
    const { events, watchers, followers } = this.liveDeps();
    const { id, ownerId, workflowId, progress, trigger } = claimed;
    const follow = followers.of({ ownerId, workflowId, status: 'failed', trigger });
    const [result] = await this.deps.store.executions.commit([
      {
        executionId: claimed.id,
        create: null,
        worker: this.deps.worker,
        fence: claimed.fence,
        seq: claimed.nextSeq,
        events: JSON.stringify([{ e: 'done', at, status: 'failed' } satisfies JournalEvent]),
        status: 'failed',
        error,
        progress: claimed.progress,
        currentNode: null,
        startTime: claimed.startTime,
        endTime: at,
        setTimers: [],
        clearTimers: [''],
        blobs: [],
        ...(wake !== null && { wake }),
        ...(follow !== null && { follow }),
      },
    ]);
    if (result?.kind !== 'written') return;
    if (follow !== null) followers.written();
    watchers.ended(id, { status: 'failed', output: null, error });
    if (!events.wanted(ownerId)) return;
    events.publish({
      kind: 'execution_update',
      ownerId,
      executionId: id,
      workflowId,
      status: 'failed',
      progress,
      currentNode: '',
      timestamp: at,
    });
  }
}

export function durationOf(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text);
}
