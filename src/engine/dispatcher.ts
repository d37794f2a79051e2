import { parseDuration } from '../lib/duration.ts';
import { TransientMap } from '../lib/transient-map.ts';
import type { ValueRoom } from '../lib/value-room.ts';
import type { WorkflowSettings } from '../contract/definition.ts';
import { waitingParent } from '../contract/execution.ts';
import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import { limits } from '../ports/limits.ts';
import type { Store } from '../ports/store.ts';
import type { Claim, ClaimedExecution } from '../ports/store/claims.ts';
import { isWorker, type Cluster } from './cluster.ts';
import type { GraphCache } from './graph-cache.ts';
import type { JournalEvent } from './journal.ts';
import { foldJournal, foldRows } from './fold.ts';
import type { LiveDeps } from './live-deps.ts';
import { LiveExecution } from './live-execution.ts';
import { Quarantine } from './quarantine.ts';

export type DispatcherDeps = {
  store: Pick<Store, 'executions' | 'workflows'>;
  files: FileStore;
  clock: Clock;
  graphs: GraphCache;
  worker: string;
  /** Null: this process is alone on its store. */
  cluster: Cluster | null;
  /** What the values of those that live here take. */
  held: Pick<ValueRoom, 'isFull' | 'left'>;
  /** Executions that live here at most. */
  atOnce: number;
  report: (message: string, error: unknown) => void;
};

/** Executions that one look at the store takes at most, and that it announces. */
const sweepSize = 200;
const announceSize = 2_000;
/** The same, where one has made room for the next of its workflow. */
const roomSize = 50;
/** Claims under way at once of what one look found. */
const claimsAtOnce = 20;
/** Claims that share a transaction. */
const claimsTogether = 100;
/** Sweeps after which it is looked again whether workflows are still at their limit: who said so may have gone. */
const forgetFull = 5;

/**
 * Which executions live in this process, and which come next. The store is the truth: what is queued, or was left by a
 * worker that is gone, is found there by a sweep; forgetting everything here costs one sweep interval.
 */
export class Dispatcher {
  readonly live = new TransientMap<string, LiveExecution>();
  /** Executions that wait in the queue, as far as this process knows. */
  queued = 0;
  readonly quarantine: Quarantine;
  private readonly deps: DispatcherDeps;
  private readonly liveDeps: () => LiveDeps<LiveExecution>;
  private readonly liveByWorkflow = new Map<string, number>();
  /** Workflows at their `max_concurrency`, and how many that is. */
  private readonly full = new Map<string, number>();
  private readonly claiming = new Set<string>();
  private toClaim: {
    id: string;
    isGiven: boolean;
    resolve: (claim: Claim | null) => void;
    reject: (error: unknown) => void;
  }[] = [];
  private isClaiming = false;
  private sweeping = false;
  private sweepAgain = false;
  private closed = false;
  private isLeaseOver = false;
  /** Of executions that the queue gave: what to call when they leave. */
  private readonly leaving = new TransientMap<string, () => void>();
  /** Those that live here of workflows with a limit. */
  private readonly limited = new Set<string>();
  /** Claimed, and not brought to life because something failed: nobody else may take them as long as this process lives. */
  private readonly halfTaken = new Set<string>();
  /** Looks at the store so far. */
  sweeps = 0;
  private rested: (() => void)[] = [];
  /** Claimed ones with large values, which come to life one after the other, while there is room for what they bring. */
  private readonly waiting: (() => void)[] = [];
  private isLettingIn = false;

  constructor(deps: DispatcherDeps, liveDeps: () => LiveDeps<LiveExecution>) {
    this.deps = deps;
    this.liveDeps = liveDeps;
    this.quarantine = new Quarantine(deps.clock);
  }

  /** Whether a new execution has to queue. */
  atLimit(workflowId: string, settings: WorkflowSettings): boolean {
    const { cluster } = this.deps;
    if (this.live.size >= this.mostLive || this.deps.held.isFull) return true;
    const most = settings.max_concurrency;
    // Among others only the store knows how many are at work.
    if (cluster !== null && (most !== undefined || !isWorker(cluster.process))) return true;
    if (most === undefined || (this.liveByWorkflow.get(workflowId) ?? 0) < most) return false;
    this.full.set(workflowId, most);
    return true;
  }

  private get mostLive(): number {
    return this.deps.atOnce;
  }

  enter(execution: LiveExecution): void {
    this.live.set(execution.id, execution);
    this.liveByWorkflow.set(execution.workflowId, (this.liveByWorkflow.get(execution.workflowId) ?? 0) + 1);
  }

  leave(execution: LiveExecution): void {
    if (this.live.get(execution.id) !== execution) return;
    this.live.delete(execution.id);
    this.quarantine.leave(execution.id);
    this.deps.held.left(execution.id, execution.weight);
    if (!this.isLettingIn) this.letIn();
    const left = this.liveByWorkflow.get(execution.workflowId)! - 1;
    if (left === 0) this.liveByWorkflow.delete(execution.workflowId);
    else this.liveByWorkflow.set(execution.workflowId, left);
    if (this.leaving.size > 0) this.leaving.take(execution.id)?.();
    if (this.deps.cluster !== null) return this.leftAmongOthers(this.deps.cluster, execution);
    // What was only on its way into the queue makes no room.
    const { full } = this;
    if (full.size > 0 && left < (full.get(execution.workflowId) ?? Infinity))
      full.delete(execution.workflowId);
    if (this.queued > 0) this.deps.clock.soon(() => void this.sweep());
    this.restIfEmpty();
  }

  private leftAmongOthers(cluster: Cluster, { id, workflowId }: LiveExecution): void {
    if (this.limited.delete(id)) {
      this.full.delete(workflowId);
      cluster.bus.tell('workflow_full', { workflowId, isFull: false });
      this.deps.clock.soon(() => void this.sweep(roomSize));
    }
    this.restIfEmpty();
  }

  /** Resolves when it is its turn; `letIn` has to follow. */
  private turn(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (!this.isLettingIn) this.letIn();
    });
  }

  private letIn(): void {
    const next = this.closed || !this.deps.held.isFull ? this.waiting.shift() : undefined;
    this.isLettingIn = next !== undefined;
    next?.();
  }

  private restIfEmpty(): void {
    if (this.live.size === 0) for (const rest of this.rested.splice(0)) rest();
  }

  /** Another process says that a workflow is at its limit, or no longer. */
  heardOfLimit(workflowId: string, isFull: boolean): void {
    if (isFull) this.full.set(workflowId, Infinity);
    else this.full.delete(workflowId);
  }

  /** For the queue: resolves when the execution cannot be claimed, has left again, or the lease is over. Never rejects. */
  serve(id: string): Promise<void> {
    // A sweep announces it again, so that another process gets it.
    if (this.isLeaseOver) return Promise.resolve();
    return new Promise((resolve) => {
      const leave = (): void => {
        if (this.leaving.get(id) === resolve) this.leaving.delete(id);
        resolve();
      };
      this.leaving.set(id, resolve);
      this.take(id, null, true).then(
        (execution) => {
          if (execution === null || this.live.get(id) !== execution) leave();
        },
        (error: unknown) => {
          // A sweep finds it again.
          this.deps.report('an execution could not be claimed', error);
          leave();
        },
      );
    });
  }

  /** Other processes may take over what lives here and what is being claimed: the queue gives it to them. The store refuses what is late. */
  lostLease(): void {
    this.isLeaseOver = true;
    for (const left of this.leaving.values()) left();
    this.leaving.clear();
  }

  renewedLease(): void {
    this.isLeaseOver = false;
  }

  /** Takes nothing from now on. Resolves when nothing lives here, or after `graceMs`. */
  close(graceMs: number): Promise<void> {
    this.closed = true;
    this.quarantine.close();
    if (!this.isLettingIn) this.letIn();
    if (this.live.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.rested.push(resolve);
      this.deps.clock.after(graceMs, resolve);
    });
  }

  /** Goes on with what was claimed when something failed. */
  async finishTaking(): Promise<void> {
    for (const id of this.halfTaken) await this.take(id);
  }

  /** Takes what can be claimed: queued executions, and those whose worker is gone. Never rejects. */
  async sweep(announced = announceSize): Promise<void> {
    if (!this.isLettingIn) this.letIn();
    if (this.sweeping) {
      this.sweepAgain = true;
      return;
    }
    this.sweeping = true;
    try {
      do {
        this.sweepAgain = false;
        if (this.closed) break;
        this.sweeps++;
        if (this.deps.cluster?.queue.isUp() === true) {
          await this.announceRunnable(this.deps.cluster, announced);
          break;
        }
        const free = Math.min(sweepSize, this.mostLive - this.live.size);
        if (free <= 0 || this.deps.held.isFull) break;
        const rows = await this.deps.store.executions.runnable(this.deps.clock.now(), free, [
          ...this.full.keys(),
        ]);
        const open = rows.filter((row) => !this.live.has(row.id) && !this.claiming.has(row.id));
        const taken =
          this.deps.cluster === null ? await this.takeByWorkflow(open) : await this.takeTogether(open);
        if (taken) this.sweepAgain = true;
      } while (this.sweepAgain);
    } catch (error) {
      this.deps.report('the queue could not be read', error);
    } finally {
      this.sweeping = false;
    }
  }

  /** What nobody works on is told of again; what waits there already is told once. */
  private async announceRunnable({ queue }: Cluster, most: number): Promise<void> {
    if (this.sweeps % forgetFull === 0) this.full.clear();
    const full = [...this.full.keys()];
    const rows = await this.deps.store.executions.runnable(this.deps.clock.now(), most, full);
    queue.announce(rows.map((row) => row.id));
  }

  /** The store itself keeps to the limits of workflows. */
  private async takeTogether(rows: readonly { id: string }[]): Promise<boolean> {
    let taken = false;
    for (let i = 0; i < rows.length; i += claimsAtOnce) {
      const some = await Promise.all(rows.slice(i, i + claimsAtOnce).map((row) => this.take(row.id)));
      taken ||= some.some((one) => one !== null);
    }
    return taken;
  }

  private async takeByWorkflow(rows: readonly { id: string; workflowId: string }[]): Promise<boolean> {
    const byWorkflow = Map.groupBy(rows, (row) => row.workflowId);
    return (await Promise.all([...byWorkflow.values()].map((each) => this.takeInTurn(each)))).includes(true);
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
   * to be had (now). `isGiven`: the queue gives it to nobody else meanwhile.
   */
  async take(id: string, path: string | null = null, isGiven = false): Promise<LiveExecution | null> {
    // A list of what is free may be older than what lives here by now.
    if (this.claiming.has(id) || this.live.has(id) || this.closed) return null;
    this.claiming.add(id);
    let isLarge = false;
    try {
      const claimed = await this.claim(id, isGiven);
      if (claimed?.kind !== 'claimed') {
        this.halfTaken.delete(id);
        if (claimed !== null) this.foundFull(claimed.workflowId);
        return null;
      }
      this.halfTaken.add(id);
      const graph = await this.deps.graphs.load(claimed.ownerId, claimed.workflowId, claimed.workflowVersion);
      if (claimed.status === 'queued' && this.queued > 0) this.queued--;
      if (graph === null) {
        await this.giveUp(claimed);
        this.halfTaken.delete(id);
        return null;
      }
      isLarge = hasLargeValues(claimed);
      if (isLarge) await this.turn();
      if (this.closed) return null;
      const { settings } = claimed;
      const execution = new LiveExecution(this.liveDeps(), graph, claimed.ownerId, claimed, {
        fence: claimed.fence,
        seq: claimed.nextSeq,
        create: null,
        ...(claimed.takes && { takes: claimed.takes }),
      });
      const replay = execution.replay.bind(execution);
      if (claimed.journal === null) await foldJournal(this.deps, claimed, 0, replay);
      else await foldRows(this.deps, claimed.journal, replay);
      // What was claimed while it closed is given back with the rest.
      if (this.closed) return null;
      this.halfTaken.delete(id);
      this.enter(execution);
      const most = settings.max_concurrency;
      if (most !== undefined && this.deps.cluster !== null) this.limited.add(id);
      else if (most !== undefined && this.liveByWorkflow.get(claimed.workflowId)! >= most)
        this.full.set(claimed.workflowId, most);
      const expires = durationOf(settings.timeout);
      const expiresAt = expires === null ? null : claimed.createdAt + expires;
      const interrupted = claimed.status === 'running';
      execution.suspend(path === null ? claimed.due : [...claimed.due, path]);
      const suspicion = interrupted ? execution.suspicion() : null;
      if (suspicion === null || suspicion.loneCrashes >= limits.loneCrashes)
        execution.resume(interrupted, expiresAt, null);
      else this.quarantine.enter(id, suspicion, (probation) => execution.resume(true, expiresAt, probation));
      return execution;
    } finally {
      this.claiming.delete(id);
      if (isLarge) this.letIn();
    }
  }

  /** Among others what comes together is claimed together: a transaction costs as much for many as for one. */
  private claim(id: string, isGiven: boolean): Promise<Claim | null> {
    const { clock, cluster, store, worker } = this.deps;
    if (cluster === null) return store.executions.claim(id, worker, clock.now());
    return new Promise((resolve, reject) => {
      this.toClaim.push({ id, isGiven, resolve, reject });
      if (!this.isClaiming) void this.claimTogether();
    });
  }

  private async claimTogether(): Promise<void> {
    const { clock } = this.deps;
    this.isClaiming = true;
    while (this.toClaim.length > 0) {
      await new Promise<void>((resolve) => clock.soon(resolve));
      const some = this.toClaim.splice(0, claimsTogether);
      try {
        const claims = await this.claimEach(some);
        for (const { id, resolve } of some) resolve(claims.get(id) ?? null);
      } catch (error) {
        for (const { reject } of some) reject(error);
      }
    }
    this.isClaiming = false;
  }

  /**
   * What the queue gave to this process alone is begun without a claim, where that can be: most of it ends with its first
   * checkpoint, which takes it.
   */
  private async claimEach(
    wanted: readonly { id: string; isGiven: boolean }[],
  ): Promise<Map<string, Claim | null>> {
    const { clock, store, worker } = this.deps;
    const claims = new Map<string, Claim | null>();
    const given = wanted.filter(({ isGiven }) => isGiven).map(({ id }) => id);
    const free = await store.executions.unclaimed(given, clock.now());
    free.forEach((found, i) => {
      if (found !== null) claims.set(given[i]!, { kind: 'claimed', ...found });
    });
    const ids = wanted.map(({ id }) => id).filter((id) => !claims.has(id));
    if (ids.length === 0) return claims;
    const claimed = await store.executions.claimMany(ids, worker, clock.now());
    ids.forEach((id, i) => claims.set(id, claimed[i] ?? null));
    return claims;
  }

  /** Alone, what lives here tells when there is room; and what a process before this one left at work is no reason to wait. */
  private foundFull(workflowId: string): void {
    const { cluster } = this.deps;
    if (cluster === null) return;
    this.full.set(workflowId, Infinity);
    cluster.bus.tell('workflow_full', { workflowId, isFull: true });
  }

  /** An execution whose workflow version cannot run any more ends, and says why. */
  private async giveUp(claimed: ClaimedExecution): Promise<void> {
    const at = Math.max(this.deps.clock.now(), claimed.startTime ?? claimed.createdAt);
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
        ...(claimed.takes && { takes: claimed.takes }),
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

/** Whether more than a little comes into memory with it. */
function hasLargeValues({ journal }: ClaimedExecution): boolean {
  return journal === null || journal.some(({ events }) => events.includes('{"blob":"'));
}

export function durationOf(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text);
}
