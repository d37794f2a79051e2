import type { Json } from '../lib/json.ts';
import type { ValueRoom } from '../lib/value-room.ts';
import { validationError, WeftError } from '../contract/errors.ts';
import { waitingParent } from '../contract/execution.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { FileStore } from '../ports/files.ts';
import type { Followers } from '../ports/followers.ts';
import type { Ids } from '../ports/ids.ts';
import { limits } from '../ports/limits.ts';
import type { OwnNodeTypes } from '../ports/node-types.ts';
import type { NodeRunner } from '../ports/runner.ts';
import type { Store } from '../ports/store.ts';
import type { CheckpointResult, NewExecution } from '../ports/store/checkpoint.ts';
import type { ExecutionRow } from '../ports/store/execution-row.ts';
import type { DueTimer } from '../ports/store/timers.ts';
import { beginEvent, entryOf } from './begin-event.ts';
import { isReachedFrom } from './beginning.ts';
import { isWorker, Leadership, type Cluster } from './cluster.ts';
import { Committer } from './committer.ts';
import { QueueFullError } from './engine-port.ts';
import type {
  Engine,
  EngineHealth,
  ExecutionView,
  LogSource,
  StartRequest,
  StartResult,
  Viewpoint,
  Watch,
} from './engine-port.ts';
import { Dispatcher, durationOf } from './dispatcher.ts';
import { Ends, lookAlone } from './ends.ts';
import { ExecutionReader } from './execution-reader.ts';
import { GraphCache } from './graph-cache.ts';
import { stopEvents } from './journal.ts';
import { Lease } from './lease.ts';
import type { LiveDeps } from './live-deps.ts';
import { LiveExecution } from './live-execution.ts';
import { TimerLoop } from './timer-loop.ts';
import type { TemplateScope } from './template/scope.ts';

export type EngineDeps = {
  store: Pick<Store, 'executions' | 'workflows'>;
  files: FileStore;
  nodeTypes: OwnNodeTypes;
  runner: NodeRunner;
  events: Events;
  clock: Clock;
  ids: Ids;
  /** In [0, 1). */
  random: () => number;
  /** What starts when an execution ends. */
  followers: Followers;
  /** Where to post to whichever node of an execution waits. */
  readonly resumeUrl: (ownerId: string, executionId: string) => string;
  /** How long (ms) an ended execution stays when its workflow does not say. */
  retention: number;
  /** The processes that share the store; null: there is no other. */
  cluster: Cluster | null;
  /** Executions that run here at once. */
  atOnce: number;
  held: ValueRoom;
  /** Something failed that no caller waits for. */
  report: (message: string, error: unknown) => void;
};

export function createEngine(deps: EngineDeps): Engine {
  return new WeftEngine(deps);
}

/** ms that what was put down, or has just ended, has to reach the disk. */
const lastWrites = 2_000;
/** Children of one execution that are stopped with it. */
const childrenAtOnce = 10_000;
/** ms after which a timer that nobody fired is fired by whoever finds it. */
const timerLate = 5_000;

class WeftEngine implements Engine {
  private readonly deps: EngineDeps;
  private readonly worker: string;
  private readonly works: boolean;
  private readonly leadership: Leadership | null;
  /** The earliest timer that others shall look for. */
  private toldTimer = Infinity;
  private readonly committer: Committer;
  private readonly graphs: GraphCache;
  private readonly reader: ExecutionReader;
  private readonly ends: Ends;
  private readonly lease: Lease;
  private readonly timers: TimerLoop;
  private readonly liveDeps: LiveDeps<LiveExecution>;
  private readonly dispatcher: Dispatcher;
  private draining = false;
  private cancels: (() => void)[] = [];

  constructor(deps: EngineDeps) {
    this.deps = deps;
    const { cluster } = deps;
    this.worker = cluster?.process ?? deps.ids.next('worker');
    this.works = isWorker(this.worker);
    this.leadership = cluster === null ? null : new Leadership(deps.store.executions, deps.clock, cluster);
    this.committer = new Committer(deps.store.executions, deps.clock);
    this.graphs = new GraphCache(deps.store.workflows, deps.nodeTypes, deps.clock);
    this.reader = new ExecutionReader({ ...deps, graphs: this.graphs });
    this.lease = new Lease(deps.store.executions, deps.clock, this.worker, () => this.loseLease());
    this.ends = new Ends({
      executions: deps.store.executions,
      reader: this.reader,
      clock: deps.clock,
      cluster,
      leadership: this.leadership,
      report: deps.report,
    });
    this.timers = new TimerLoop(
      deps.store.executions,
      deps.clock,
      cluster === null ? null : this.worker,
      (timer) => this.fire(timer),
      (error) => deps.report('timers could not be read', error),
    );
    const { store, files, clock, report } = deps;
    const { graphs, worker } = this;
    this.dispatcher = new Dispatcher(
      { store, files, clock, graphs, worker, report, cluster, held: deps.held, atOnce: deps.atOnce },
      () => this.liveDeps,
    );
    this.liveDeps = {
      worker: this.worker,
      clock: deps.clock,
      runner: deps.runner,
      committer: this.committer,
      files: deps.files,
      held: deps.held,
      events: deps.events,
      watchers: this.ends.told,
      followers: deps.followers,
      random: deps.random,
      isDraining: () => this.draining,
      report: deps.report,
      resumeUrl: deps.resumeUrl,
      timerSet: (dueAt) => this.timerSet(dueAt),
      left: (execution) => this.dispatcher.leave(execution),
      proved: ({ id }) => this.dispatcher.quarantine.leave(id),
      orphaned: ({ ownerId, id }, paths) => void this.stopChildren(ownerId, id, new Set(paths)),
      stale: (execution) => void this.ends.read(execution.ownerId, execution.id, { isGone: true }),
    };
  }

  async open(): Promise<void> {
    const { store } = this.deps;
    await this.heartbeat();
    this.dispatcher.quarantine.open();
    this.dispatcher.queued = (await store.executions.statusCounts()).queued;
    this.every(limits.heartbeat, () => this.heartbeat());
    const { cluster } = this.deps;
    if (cluster !== null) return this.openAmongOthers(cluster);
    this.every(limits.sweep, async () => {
      await this.dispatcher.finishTaking();
      await this.dispatcher.sweep();
    });
    this.timers.start();
    void this.dispatcher.sweep();
  }

  private async heartbeat(): Promise<void> {
    if (!(await this.lease.renew())) return;
    this.dispatcher.renewedLease();
    if (this.works && !this.draining) this.deps.cluster?.queue.resume();
  }

  private loseLease(): void {
    this.dispatcher.lostLease();
    this.deps.cluster?.queue.rest();
  }

  private async openAmongOthers(cluster: Cluster): Promise<void> {
    const { bus, queue } = cluster;
    this.ends.hear(cluster);
    this.every(limits.sweep, () => this.round());
    this.every(lookAlone, () => this.ends.lookForLost(bus.isUp()));
    if (!this.works) return this.round();
    bus.hear('stopped', ({ executionId }) => this.dispatcher.live.get(executionId)?.abandon());
    bus.hear('timer', ({ dueAt }) => this.timers.lookAt(dueAt));
    bus.hear('workflow_full', ({ workflowId, isFull }) => this.dispatcher.heardOfLimit(workflowId, isFull));
    bus.hear(
      'left',
      () => void this.round().catch((error: unknown) => this.deps.report('periodic work failed', error)),
    );
    this.timers.start();
    await this.round();
    queue.work((id) => this.dispatcher.serve(id), this.deps.atOnce);
  }

  /** What is looked at again and again among others: who leads, what waits, and what nobody works on. */
  private async round(): Promise<void> {
    const { leadership, dispatcher } = this;
    await leadership?.look();
    dispatcher.queued = (await this.deps.store.executions.statusCounts()).queued;
    if (!this.works || this.draining) return;
    // Without the queue nobody hands out what waits: each takes for himself.
    await dispatcher.finishTaking();
    if (leadership?.leads === true || this.deps.cluster?.queue.isUp() !== true) await dispatcher.sweep();
  }

  /** Whoever fires timers looks in time, in whatever process. */
  private timerSet(dueAt: number): void {
    this.timers.lookAt(dueAt);
    const { cluster, clock } = this.deps;
    if (cluster === null || this.leadership?.leads === true) return;
    const isArmed = this.toldTimer !== Infinity;
    this.toldTimer = Math.min(this.toldTimer, dueAt);
    if (isArmed) return;
    clock.soon(() => {
      cluster.bus.tell('timer', { dueAt: this.toldTimer });
      this.toldTimer = Infinity;
    });
  }

  private every(ms: number, run: () => Promise<void>): void {
    let cancel = () => {};
    let stopped = false;
    const again = () => {
      cancel = this.deps.clock.after(ms, () => {
        run()
          .catch((error: unknown) => this.deps.report('periodic work failed', error))
          .finally(() => {
            if (!stopped) again();
          });
      });
    };
    again();
    this.cancels.push(() => {
      stopped = true;
      cancel();
    });
  }

  async start(request: StartRequest): Promise<StartResult> {
    const { ownerId, workflowId, workflowVersion } = request;
    const graph =
      this.graphs.known(ownerId, workflowId, workflowVersion) ??
      (await this.graphs.load(ownerId, workflowId, workflowVersion));
    if (graph === null)
      throw validationError([
        { field: 'definition', issue: 'cannot run: it is gone, or holds a node type that is not known' },
      ]);
    // From here to its place among the live ones nothing else happens: none begins behind the back of a drain.
    this.refuseWithoutRoom();
    const { clock, ids } = this.deps;
    const now = clock.now();
    const id = ids.next('execution');
    const entry = request.entry ?? entryOf(graph, request.trigger.type);
    if (request.until !== null && entry !== null && !isReachedFrom(graph, entry, request.until))
      throw validationError([
        { field: 'until', issue: `is not reached by an execution that enters by ${entry}` },
      ]);
    const queued = this.dispatcher.atLimit(workflowId, request.settings);
    if (queued && this.dispatcher.queued >= limits.queuedExecutions) throw new QueueFullError();
    const names = entry === null || request.trigger.node_id === entry;
    const trigger = names ? request.trigger : { ...request.trigger, node_id: entry };
    const create: NewExecution = {
      id,
      ownerId,
      workflowId,
      workflowVersion,
      trigger,
      createdAt: now,
      parentId: request.parentId,
      retryOf: request.retryOf,
      retention: durationOf(request.settings.retention) ?? this.deps.retention,
      dedupe: request.dedupe,
      tick: request.tick,
    };
    if (request.files !== undefined) create.files = request.files;
    if (request.polled !== undefined) create.polled = request.polled;
    const execution = new LiveExecution(
      this.liveDeps,
      graph,
      ownerId,
      { id, workflowId, workflowVersion, trigger },
      { fence: 1, seq: 0, create },
    );
    const watch = this.ends.add(id, ownerId, now);
    const expires = durationOf(request.settings.timeout);
    this.dispatcher.enter(execution);
    if (queued) this.dispatcher.queued++;
    let result: CheckpointResult;
    try {
      result = await execution.begin(
        beginEvent(request, entry, now),
        expires === null ? null : now + expires,
        queued,
      );
    } catch (error) {
      // Where it could not even be written down, it takes no room.
      execution.abandon();
      watch.cancel();
      if (queued) this.dispatcher.queued--;
      throw error;
    }
    if (result.kind === 'written') {
      if (queued) this.deps.cluster?.queue.announce([id]);
      return { kind: 'accepted', id, watch };
    }
    watch.cancel();
    if (queued) this.dispatcher.queued--;
    if (result.kind === 'stale') throw new Error('The store called a new execution stale.');
    return result;
  }

  private refuseWithoutRoom(): void {
    if (this.draining) throw capacity('The service is stopping.');
    if (this.committer.pendingBytes > limits.pendingBytes)
      throw capacity('Too much is waiting for the disk.');
  }

  look(): void {
    this.timerSet(0);
  }

  private async fire({ executionId: id, path, dueAt }: DueTimer): Promise<void> {
    const execution = this.dispatcher.live.get(id);
    if (execution !== undefined) return execution.fire(path);
    const { cluster, clock } = this.deps;
    if (cluster === null) return void (await this.dispatcher.take(id, path));
    if (this.leadership?.leads !== true && clock.now() - dueAt < timerLate) return;
    // Whoever takes it finds what is due.
    if (cluster.queue.isUp()) cluster.queue.announce([id]);
    else await this.dispatcher.take(id, path);
  }

  async stop(ownerId: string, id: string): ReturnType<Engine['stop']> {
    const now = this.deps.clock.now();
    const result = await this.deps.store.executions.stop(ownerId, id, now, stopEvents(now));
    if (result.kind !== 'stopped') return result;
    if (waitingParent(result.row.trigger) !== null) this.timerSet(0);
    void this.stopChildren(ownerId, id, null);
    if (result.row.startTime === null && this.dispatcher.queued > 0) this.dispatcher.queued--;
    this.dispatcher.live.get(id)?.abandon();
    this.deps.cluster?.bus.tell('stopped', { executionId: id });
    this.liveDeps.watchers.ended(id, { status: 'stopped', output: null, error: null });
    if (this.deps.events.wanted(ownerId)) {
      const { workflowId, progress } = result.row;
      this.deps.events.publish({
        kind: 'execution_update',
        ownerId,
        executionId: id,
        workflowId,
        status: 'stopped',
        progress,
        currentNode: '',
        timestamp: now,
      });
    }
    return result;
  }

  /** What an execution, or these node runs of it, started and waited for ends with it. Never rejects. */
  private async stopChildren(ownerId: string, id: string, paths: ReadonlySet<string> | null): Promise<void> {
    const { executions } = this.deps.store;
    try {
      for (const child of await executions.childrenOf(ownerId, id, childrenAtOnce)) {
        const row = await executions.get(ownerId, child);
        const waiting = row === null ? null : waitingParent(row.trigger);
        if (waiting !== null && (paths === null || paths.has(waiting.path))) await this.stop(ownerId, child);
      }
    } catch (error) {
      this.deps.report('what an execution had started could not be stopped', error);
    }
  }

  watch(ownerId: string, id: string, andAnswer = false): Watch {
    return this.ends.watch(ownerId, id, andAnswer);
  }

  inspect(row: ExecutionRow, wanted?: ReadonlySet<string>): Promise<ExecutionView> {
    return this.reader.inspect(row, wanted);
  }

  inspectMany(rows: readonly ExecutionRow[]): Promise<ExecutionView[]> {
    return this.reader.inspectMany(rows);
  }

  log(row: ExecutionRow): Promise<LogSource> {
    return this.reader.log(row);
  }

  scopeAt(row: ExecutionRow, viewpoint: Viewpoint): Promise<TemplateScope | null> {
    return this.reader.scopeAt(row, viewpoint);
  }

  kept(
    row: ExecutionRow,
    version: number,
    from: readonly string[],
  ): Promise<Record<string, Record<string, Json>>> {
    return this.reader.kept(row, version, from);
  }

  health(): EngineHealth {
    return {
      active: this.dispatcher.live.size,
      queued: this.dispatcher.queued,
      pendingWrites: this.committer.pendingCount,
      sweeps: this.dispatcher.sweeps,
      leasesLost: this.lease.lost,
      leads: this.leadership === null || this.leadership.leads,
    };
  }

  async drain(graceMs: number): Promise<void> {
    if (!this.draining) {
      this.draining = true;
      this.deps.cluster?.queue.rest();
      this.timers.stop();
      for (const cancel of this.cancels.splice(0)) cancel();
      this.lease.close();
      for (const execution of this.dispatcher.live.values()) execution.releaseIfDeferred();
    }
    await this.dispatcher.close(graceMs);
    const left = [...this.dispatcher.live.keys()];
    for (const execution of this.dispatcher.live.values()) execution.release();
    await this.dispatcher.close(lastWrites);
    await this.committer.flushed();
    this.dispatcher.live.clear();
    this.leadership?.resign();
    await this.deps.store.executions.release(this.worker);
    const { cluster } = this.deps;
    cluster?.queue.announce(left);
    cluster?.bus.tell('left', { process: this.worker });
  }
}

function capacity(message: string): WeftError {
  return new WeftError('RATE_LIMITED', message, { reason: 'capacity' });
}
