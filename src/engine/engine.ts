import type { MemoryBudget } from '../lib/limits/memory-budget.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { FileStore } from '../ports/files.ts';
import type { CompletionTriggers } from '../ports/completion-triggers.ts';
import type { Ids } from '../ports/ids.ts';
import type { UserNodeTypes } from '../ports/node-types.ts';
import type { NodeRunner } from '../ports/runner.ts';
import type { Store } from '../ports/store.ts';
import type { ExecutionRow } from '../ports/store/execution-row.ts';
import { CompletionNotifier } from './worker/completion-notifier.ts';
import { Dispatcher } from './worker/dispatcher.ts';
import type {
  CompletionHandle,
  Engine,
  EngineHealth,
  ExecutionLog,
  ExecutionPage,
  ExecutionStream,
  ExecutionView,
  ListRange,
  StartRequest,
  StartResult,
  ScopePosition,
  WaitingNodeRun,
} from './engine-api.ts';
import { ExecutionReader } from './views/execution-reader.ts';
import type { RunningExecution } from './worker/execution/running-execution.ts';
import { ExecutionStarter } from './worker/execution-starter.ts';
import { ExecutionStopper } from './worker/execution-stopper.ts';
import { GraphCache } from './graph/graph-cache.ts';
import { GroupCommitter } from './worker/group-commit.ts';
import { isWorker, LeaderElection, type Cluster } from './worker/leader-election.ts';
import { Lease } from './worker/lease.ts';
import { Maintenance } from './worker/maintenance.ts';
import { TimerRouter } from './worker/timer-router.ts';
import type { WorkerContext } from './worker/worker-context.ts';

export type EngineDeps = {
  store: Pick<Store, 'executions' | 'workflows'>;
  files: FileStore;
  nodeTypes: UserNodeTypes;
  runner: NodeRunner;
  events: Events;
  clock: Clock;
  ids: Ids;
  /** In [0, 1). */
  random: () => number;
  /** Starts executions when an execution ends. */
  completionTriggers: CompletionTriggers;
  /** The URL that resumes any waiting node of an execution. */
  readonly resumeUrl: (ownerId: string, executionId: string) => string;
  /** Events of a journal after which the state is stored as a snapshot. */
  snapshotEvents: number;
  /** How long (ms) an ended execution is retained unless its workflow sets it. */
  retention: number;
  /** The processes that share the store; null: this process is alone. */
  cluster: Cluster | null;
  /** Executions that run in this process at once. */
  concurrency: number;
  memory: MemoryBudget;
  /** Reports a failure that no caller waits for. */
  report: (message: string, error: unknown) => void;
};

export function createEngine(deps: EngineDeps): Engine {
  return new DefaultEngine(deps);
}

/** Time for the last writes of released and ended executions at the end of a drain. */
const LAST_WRITES_TIMEOUT_MS = 2_000;

/** The facade of the engine: wires its parts, and hands each call to one of them. */
class DefaultEngine implements Engine {
  private readonly deps: EngineDeps;
  private readonly worker: string;
  private readonly election: LeaderElection | null;
  private readonly committer: GroupCommitter;
  private readonly reader: ExecutionReader;
  private readonly notifier: CompletionNotifier;
  private readonly lease: Lease;
  private readonly dispatcher: Dispatcher;
  private readonly timers: TimerRouter;
  private readonly starter: ExecutionStarter;
  private readonly stopper: ExecutionStopper;
  private readonly maintenance: Maintenance;
  private isDraining = false;

  constructor(deps: EngineDeps) {
    this.deps = deps;
    const { store, files, clock, cluster, events, memory, concurrency, report } = deps;
    const { executions } = store;
    const worker = cluster?.process ?? deps.ids.next('worker');
    const election = cluster === null ? null : new LeaderElection(executions, clock, cluster);
    const committer = new GroupCommitter(executions, clock);
    const graphs = new GraphCache(store.workflows, deps.nodeTypes, clock);
    const reader = new ExecutionReader({ ...deps, graphs });
    const notifier = new CompletionNotifier({ executions, reader, clock, cluster, election, report });
    const lease = new Lease(executions, clock, worker, () => {
      dispatcher.onLeaseLost();
      cluster?.queue.pause();
    });
    const dispatcher = new Dispatcher(
      { store, files, clock, graphs, worker, lease, cluster, memory, concurrency, report },
      () => workerContext,
    );
    const timers = new TimerRouter({ executions, clock, lease, cluster, election, dispatcher, report });
    const timerSet = (dueAt: number): void => timers.timerSet(dueAt);
    const isDraining = (): boolean => this.isDraining;
    const { completions } = notifier;
    const workerContext: WorkerContext<RunningExecution> = {
      worker,
      clock,
      runner: deps.runner,
      committer,
      files,
      events,
      memory,
      completions,
      completionTriggers: deps.completionTriggers,
      random: deps.random,
      snapshotEvents: deps.snapshotEvents,
      isDraining,
      report,
      resumeUrl: deps.resumeUrl,
      timerSet,
      evicted: (execution) => dispatcher.remove(execution),
      probationPassed: ({ id }) => dispatcher.quarantine.leave(id),
      stopChildren: ({ ownerId, id }, paths) => void stopper.stopChildren(ownerId, id, new Set(paths)),
      stale: ({ ownerId, id }) => void notifier.read(ownerId, id, { isGone: true }),
    };
    const bus = cluster?.bus ?? null;
    const stopper = new ExecutionStopper({
      executions,
      clock,
      events,
      dispatcher,
      completions,
      bus,
      timerSet,
      report,
    });
    this.worker = worker;
    this.election = election;
    this.committer = committer;
    this.reader = reader;
    this.notifier = notifier;
    this.lease = lease;
    this.dispatcher = dispatcher;
    this.timers = timers;
    this.stopper = stopper;
    this.starter = new ExecutionStarter({
      clock,
      ids: deps.ids,
      graphs,
      dispatcher,
      committer,
      notifier,
      workerContext,
      queue: cluster?.queue ?? null,
      retentionMs: deps.retention,
    });
    this.maintenance = new Maintenance({
      executions,
      clock,
      cluster,
      election,
      lease,
      dispatcher,
      notifier,
      timers: timers.loop,
      concurrency,
      isWorker: isWorker(worker),
      isDraining,
      report,
    });
  }

  open(): Promise<void> {
    return this.maintenance.start();
  }

  start(request: StartRequest): Promise<StartResult> {
    return this.starter.start(request);
  }

  checkTimers(): void {
    this.timers.timerSet(0);
  }

  stop(ownerId: string, id: string): ReturnType<Engine['stop']> {
    return this.stopper.stop(ownerId, id);
  }

  watch(ownerId: string, id: string, withResponse = false): CompletionHandle {
    return this.notifier.watch(ownerId, id, withResponse);
  }

  inspect(row: ExecutionRow, wanted?: ReadonlySet<string>): Promise<ExecutionView> {
    return this.reader.inspect(row, wanted);
  }

  page(row: ExecutionRow, range: ListRange, wanted?: ReadonlySet<string>): Promise<ExecutionPage> {
    return this.reader.page(row, range, wanted);
  }

  isLong(row: ExecutionRow): Promise<boolean> {
    return this.reader.isLong(row);
  }

  inspectMany(rows: readonly ExecutionRow[]): Promise<ExecutionView[]> {
    return this.reader.inspectMany(rows);
  }

  waiting(row: ExecutionRow): Promise<WaitingNodeRun[]> {
    return this.reader.waiting(row);
  }

  log(row: ExecutionRow): Promise<ExecutionLog> {
    return this.reader.log(row);
  }

  logRange(row: ExecutionRow, range: ListRange): ReturnType<Engine['logRange']> {
    return this.reader.logRange(row, range);
  }

  stream(row: ExecutionRow): Promise<ExecutionStream> {
    return this.reader.stream(row);
  }

  scopeAt(row: ExecutionRow, viewpoint: ScopePosition): ReturnType<Engine['scopeAt']> {
    return this.reader.scopeAt(row, viewpoint);
  }

  planRetry(row: ExecutionRow, version: number, from: string): ReturnType<Engine['planRetry']> {
    return this.reader.planRetry(row, version, from);
  }

  health(): EngineHealth {
    return {
      active: this.dispatcher.live.size,
      queued: this.dispatcher.queued,
      pendingWrites: this.committer.pendingCount,
      sweeps: this.dispatcher.sweeps,
      leasesLost: this.lease.lost,
      snapshotsUsed: this.dispatcher.snapshotsUsed,
      replayedEvents: this.dispatcher.replayedEvents,
      isLeader: this.election === null || this.election.isLeader,
    };
  }

  async drain(graceMs: number): Promise<void> {
    const { cluster, store } = this.deps;
    const { dispatcher } = this;
    if (!this.isDraining) {
      this.isDraining = true;
      cluster?.queue.pause();
      this.timers.loop.stop();
      this.maintenance.stop();
      this.lease.close();
      for (const execution of dispatcher.live.values()) execution.releaseIfDeferred();
    }
    await dispatcher.close(graceMs);
    const left = [...dispatcher.live.keys()];
    for (const execution of dispatcher.live.values()) execution.release();
    await dispatcher.close(LAST_WRITES_TIMEOUT_MS);
    await this.committer.flushed();
    dispatcher.live.clear();
    this.election?.resign();
    await store.executions.release(this.worker);
    cluster?.queue.announce(left);
    cluster?.bus.publish('left', { process: this.worker });
  }
}
