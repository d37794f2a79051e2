import type { Json } from '../lib/json.ts';
import { validationError, WeftError } from '../contract/errors.ts';
import { isSettled, waitingParent } from '../contract/execution.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { FileStore } from '../ports/files.ts';
import type { Followers } from '../ports/followers.ts';
import type { Ids } from '../ports/ids.ts';
import { limits } from '../ports/limits.ts';
import type { OwnNodeTypes } from '../ports/node-types.ts';
import type { NodeRunner } from '../ports/runner.ts';
import type { CheckpointResult, ExecutionRow, Store } from '../ports/store.ts';
import { Committer } from './committer.ts';
import type {
  Engine,
  EngineHealth,
  ExecutionEnd,
  ExecutionView,
  LogSource,
  StartRequest,
  StartResult,
  Viewpoint,
  Watch,
} from './engine-port.ts';
import { Dispatcher, durationOf } from './dispatcher.ts';
import { GraphCache } from './graph-cache.ts';
import { descendants, outermost, type Graph } from './graph.ts';
import { stopEvents, type BeginEvent } from './journal.ts';
import { foldJournal } from './fold.ts';
import { readJournal, readJournals } from './journal-reader.ts';
import { createLogSource } from './log-source.ts';
import { LiveExecution, type LiveDeps } from './live-execution.ts';
import { TimerLoop } from './timer-loop.ts';
import type { TemplateScope } from './template/scope.ts';
import { keptOutputs, scopeAt, startView, viewExecution } from './view.ts';
import { ViewCache } from './view-cache.ts';
import { Watchers } from './watchers.ts';

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

class WeftEngine implements Engine {
  private readonly deps: EngineDeps;
  private readonly worker: string;
  private readonly committer: Committer;
  private readonly graphs: GraphCache;
  private readonly views = new ViewCache();
  private readonly watchers = new Watchers();
  private readonly timers: TimerLoop;
  private readonly liveDeps: LiveDeps;
  private readonly dispatcher: Dispatcher;
  private draining = false;
  private cancels: (() => void)[] = [];

  constructor(deps: EngineDeps) {
    this.deps = deps;
    this.worker = deps.ids.next('worker');
    this.committer = new Committer(deps.store.executions, deps.clock);
    this.graphs = new GraphCache(deps.store.workflows, deps.nodeTypes);
    this.timers = new TimerLoop(
      deps.store.executions,
      deps.clock,
      (timer) => this.fire(timer.executionId, timer.path),
      (error) => deps.report('timers could not be read', error),
    );
    const { store, files, clock, report } = deps;
    const { graphs, worker } = this;
    this.dispatcher = new Dispatcher({ store, files, clock, graphs, worker, report }, () => this.liveDeps);
    this.liveDeps = {
      worker: this.worker,
      clock: deps.clock,
      runner: deps.runner,
      committer: this.committer,
      files: deps.files,
      events: deps.events,
      watchers: this.watchers,
      followers: deps.followers,
      random: deps.random,
      resumeUrl: deps.resumeUrl,
      timerSet: (dueAt) => this.timers.lookAt(dueAt),
      left: (execution) => this.dispatcher.leave(execution),
      orphaned: ({ ownerId, id }, paths) => void this.stopChildren(ownerId, id, new Set(paths)),
      stale: (execution) => void this.tellEnd(execution.ownerId, execution.id, true),
    };
  }

  async open(): Promise<void> {
    const { clock, store } = this.deps;
    await store.executions.heartbeat(this.worker, clock.now() + limits.lease);
    this.dispatcher.queued = (await store.executions.statusCounts()).queued;
    this.every(limits.heartbeat, () => store.executions.heartbeat(this.worker, clock.now() + limits.lease));
    this.every(limits.sweep, () => this.dispatcher.sweep());
    this.timers.start();
    void this.dispatcher.sweep();
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
    const queued = this.dispatcher.atLimit(workflowId, request.settings);
    if (queued && this.dispatcher.queued >= limits.queuedExecutions) throw capacity('The queue is full.');
    const trigger = entry === null ? request.trigger : { ...request.trigger, node_id: entry };
    const create = {
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
      ...(request.files === undefined ? {} : { files: request.files }),
      ...(request.polled === undefined ? {} : { polled: request.polled }),
    };
    const execution = new LiveExecution(
      this.liveDeps,
      graph,
      ownerId,
      { id, workflowId, workflowVersion, trigger },
      { fence: 1, seq: 0, create },
    );
    const watch = this.watchers.add(id);
    const expires = durationOf(request.settings.timeout);
    this.dispatcher.enter(execution);
    if (queued) this.dispatcher.queued++;
    let result: CheckpointResult;
    try {
      result = await execution.begin(
        beginEvent(request, entry, now),
        request.input,
        expires === null ? null : now + expires,
        queued,
      );
    } catch (error) {
      watch.cancel();
      if (queued) this.dispatcher.queued--;
      throw error;
    }
    if (result.kind === 'written') return { kind: 'accepted', id, watch };
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
    this.timers.lookAt(0);
  }

  private async fire(id: string, path: string): Promise<void> {
    const execution = this.dispatcher.live.get(id);
    if (execution === undefined) await this.dispatcher.take(id, path);
    else execution.fire(path);
  }

  async stop(ownerId: string, id: string): ReturnType<Engine['stop']> {
    const now = this.deps.clock.now();
    const result = await this.deps.store.executions.stop(ownerId, id, now, stopEvents(now));
    if (result.kind !== 'stopped') return result;
    if (waitingParent(result.row.trigger) !== null) this.timers.lookAt(0);
    void this.stopChildren(ownerId, id, null);
    if (result.row.startTime === null && this.dispatcher.queued > 0) this.dispatcher.queued--;
    this.dispatcher.live.get(id)?.abandon();
    this.watchers.ended(id, { status: 'stopped', output: null, error: null });
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

  watch(ownerId: string, id: string): Watch {
    const watch = this.watchers.add(id);
    void this.tellEnd(ownerId, id, false);
    return watch;
  }

  /** Tells those who wait, when it has ended without this process (or, `gone`, is not there any more). */
  private async tellEnd(ownerId: string, id: string, gone: boolean): Promise<void> {
    try {
      if (!this.watchers.has(id)) return;
      const row = await this.deps.store.executions.get(ownerId, id);
      if (row === null)
        return gone ? this.watchers.ended(id, { status: 'stopped', output: null, error: null }) : undefined;
      if (!isSettled(row.status)) return;
      const view = await this.inspect(row);
      if (view.answer !== null) this.watchers.answered(id, view.answer);
      const end: ExecutionEnd = { status: row.status, output: view.output, error: row.error };
      this.watchers.ended(id, end);
    } catch (error) {
      this.deps.report('the end of an execution could not be read', error);
    }
  }

  async inspect(row: ExecutionRow): Promise<ExecutionView> {
    // What has ended stays as it is.
    const isFinal = isSettled(row.status);
    const known = isFinal ? this.views.get(row.id) : undefined;
    if (known !== undefined) return known;
    const graph = await this.graphs.load(row.ownerId, row.workflowId, row.workflowVersion);
    if (graph === null) return nothingToSee();
    const folding = startView(graph, row);
    await foldJournal(this.deps, row, 0, folding.apply);
    const view = folding.end();
    if (isFinal) this.views.keep(row.id, view);
    return view;
  }

  async log(row: ExecutionRow): Promise<LogSource> {
    const graph = await this.graphs.load(row.ownerId, row.workflowId, row.workflowVersion);
    if (graph === null) return { next: () => Promise.resolve({ entries: [], isWhole: true }) };
    return createLogSource(this.deps, graph, row);
  }

  async scopeAt(row: ExecutionRow, viewpoint: Viewpoint): Promise<TemplateScope | null> {
    const graph = await this.graphs.load(row.ownerId, row.workflowId, row.workflowVersion);
    if (graph === null) return null;
    return scopeAt(graph, row, await readJournal(this.deps, row), viewpoint, this.deps.clock.now());
  }

  async inspectMany(rows: readonly ExecutionRow[]): Promise<ExecutionView[]> {
    const ownerId = rows[0]?.ownerId;
    if (ownerId === undefined) return [];
    if (rows.some((row) => row.ownerId !== ownerId)) throw new Error('These executions have several owners.');
    const wanted = rows.map((row) => ({ workflowId: row.workflowId, version: row.workflowVersion }));
    const graphs = await this.graphs.loadMany(ownerId, wanted);
    const ids = rows.map((row) => row.id);
    const journals = await readJournals(this.deps, ownerId, ids);
    return rows.map((row, i) => {
      const graph = graphs[i] ?? null;
      return graph === null ? nothingToSee() : viewExecution(graph, row, journals.get(row.id) ?? []);
    });
  }

  async kept(
    row: ExecutionRow,
    version: number,
    from: readonly string[],
  ): Promise<Record<string, Record<string, Json>>> {
    const graph = await this.graphs.load(row.ownerId, row.workflowId, version);
    if (graph === null)
      throw validationError([
        { field: 'version', issue: 'cannot run: it is gone, or holds a node type that is not known' },
      ]);
    const again = new Set<string>();
    for (const id of from) {
      const node = graph.nodes.get(id);
      if (node === undefined)
        throw validationError([{ field: 'from', issue: `is not a node of version ${version}: "${id}"` }]);
      for (const each of descendants(outermost(node))) again.add(each.id);
    }
    const { completed } = await this.inspect(row);
    return keptOutputs(completed, graph, again);
  }

  health(): EngineHealth {
    return {
      active: this.dispatcher.live.size,
      queued: this.dispatcher.queued,
      pendingWrites: this.committer.pendingCount,
    };
  }

  async drain(graceMs: number): Promise<void> {
    if (!this.draining) {
      this.draining = true;
      this.timers.stop();
      for (const cancel of this.cancels.splice(0)) cancel();
    }
    await this.dispatcher.close(graceMs);
    for (const execution of this.dispatcher.live.values()) execution.release();
    await this.dispatcher.close(lastWrites);
    await this.committer.flushed();
    this.dispatcher.live.clear();
    await this.deps.store.executions.release(this.worker);
  }
}

/** Of an execution whose workflow is gone, or can no longer be understood. */
function nothingToSee(): ExecutionView {
  return {
    input: null,
    output: null,
    nodes: [],
    logs: [],
    completed: {},
    failedNodeIds: [],
    answer: null,
  };
}

function capacity(message: string): WeftError {
  return new WeftError('RATE_LIMITED', message, { reason: 'capacity' });
}

function beginEvent(request: StartRequest, entry: string | null, at: number): BeginEvent {
  const { given, inputOf, until, input } = request;
  return {
    e: 'begin',
    at,
    entry,
    input: { v: input },
    ...(Object.keys(given).length > 0 && { given }),
    ...(inputOf !== null && { inputOf }),
    ...(until !== null && { until }),
  };
}

/** The trigger of the kind that started it, else a manual one, else the first; disabled ones only when there is no other. Null when the graph has none. */
function entryOf(graph: Graph, kind: string): string | null {
  const all = graph.root.nodes.filter((node) => node.type.isTrigger);
  const enabled = all.filter((node) => node.entry.disabled !== true);
  const triggers = enabled.length > 0 ? enabled : all;
  const ofKind = (wanted: string) => triggers.find((node) => node.config['triggerType'] === wanted);
  return (ofKind(kind) ?? ofKind('manual') ?? triggers[0])?.id ?? null;
}
