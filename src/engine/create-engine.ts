import type { Json } from '../lib/json.ts';
import { parseDuration } from '../lib/duration.ts';
import { validationError, WeftError } from '../contract/errors.ts';
import { isSettled } from '../contract/execution.ts';
import type { WorkflowSettings } from '../contract/definition.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { FileStore } from '../ports/files.ts';
import type { Ids } from '../ports/ids.ts';
import { limits } from '../ports/limits.ts';
import type { NodeTypes } from '../ports/node-types.ts';
import type { NodeRunner } from '../ports/runner.ts';
import type { CheckpointResult, ClaimedExecution, ExecutionRow, JournalRow, Store } from '../ports/store.ts';
import { Committer } from './committer.ts';
import type {
  Engine,
  EngineHealth,
  ExecutionEnd,
  ExecutionView,
  StartRequest,
  StartResult,
  Watch,
} from './engine-port.ts';
import { GraphCache } from './graph-cache.ts';
import { descendants, outermost, type Graph } from './graph.ts';
import { stopEvents, type BeginEvent, type JournalEvent } from './journal.ts';
import { LiveExecution, type LiveDeps } from './live-execution.ts';
import { readEvents } from './stored-values.ts';
import { TimerLoop } from './timer-loop.ts';
import { keptOutputs, viewExecution } from './view.ts';
import { Watchers } from './watchers.ts';

export type EngineDeps = {
  store: Pick<Store, 'executions' | 'workflows'>;
  files: FileStore;
  nodeTypes: NodeTypes;
  runner: NodeRunner;
  events: Events;
  clock: Clock;
  ids: Ids;
  /** In [0, 1). */
  random: () => number;
  /** How long (ms) an ended execution stays when its workflow does not say. */
  retention: number;
  /** Something failed that no caller waits for. */
  report: (message: string, error: unknown) => void;
};

const journalPage = 1_000;

export function createEngine(deps: EngineDeps): Engine {
  return new WeftEngine(deps);
}

class WeftEngine implements Engine {
  private readonly deps: EngineDeps;
  private readonly worker: string;
  private readonly committer: Committer;
  private readonly graphs: GraphCache;
  private readonly watchers = new Watchers();
  private readonly timers: TimerLoop;
  private readonly liveDeps: LiveDeps;
  private readonly live = new Map<string, LiveExecution>();
  private readonly liveByWorkflow = new Map<string, number>();
  private readonly full = new Set<string>();
  private readonly claiming = new Set<string>();
  private queued = 0;
  private sweeping = false;
  private sweepAgain = false;
  private draining = false;
  private cancels: (() => void)[] = [];
  private rested: (() => void)[] = [];

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
    this.liveDeps = {
      worker: this.worker,
      clock: deps.clock,
      runner: deps.runner,
      committer: this.committer,
      files: deps.files,
      events: deps.events,
      watchers: this.watchers,
      random: deps.random,
      timerSet: (dueAt) => this.timers.lookAt(dueAt),
      left: (execution) => this.leave(execution),
      stale: (execution) => void this.tellEnd(execution.ownerId, execution.id, true),
    };
  }

  async open(): Promise<void> {
    const { clock, store } = this.deps;
    await store.executions.heartbeat(this.worker, clock.now() + limits.lease);
    this.queued = (await store.executions.statusCounts()).queued;
    this.every(limits.heartbeat, () => store.executions.heartbeat(this.worker, clock.now() + limits.lease));
    this.every(limits.sweep, () => this.sweep());
    this.timers.start();
    void this.sweep().catch((error: unknown) => this.deps.report('recovery failed', error));
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
    this.refuseWithoutRoom();
    const { ownerId, workflowId, workflowVersion } = request;
    const graph =
      this.graphs.known(ownerId, workflowId, workflowVersion) ??
      (await this.graphs.load(ownerId, workflowId, workflowVersion));
    if (graph === null)
      throw validationError([
        { field: 'definition', issue: 'cannot run: it is gone, or holds a node type that is not known' },
      ]);
    const { clock, ids } = this.deps;
    const now = clock.now();
    const id = ids.next('execution');
    const entry = request.entry ?? entryOf(graph, request.trigger.type);
    const queued = this.atLimit(workflowId, request.settings);
    if (queued && this.queued >= limits.queuedExecutions) throw capacity('The queue is full.');
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
    this.enter(execution);
    if (queued) this.queued++;
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
      if (queued) this.queued--;
      throw error;
    }
    if (result.kind === 'written') return { kind: 'accepted', id, watch };
    watch.cancel();
    if (queued) this.queued--;
    if (result.kind === 'stale') throw new Error('The store called a new execution stale.');
    return result;
  }

  private refuseWithoutRoom(): void {
    if (this.draining) throw capacity('The service is stopping.');
    if (this.committer.pendingBytes > limits.pendingBytes)
      throw capacity('Too much is waiting for the disk.');
  }

  private atLimit(workflowId: string, settings: WorkflowSettings): boolean {
    if (this.live.size >= limits.activeExecutions) return true;
    const most = settings.max_concurrency;
    if (most === undefined || (this.liveByWorkflow.get(workflowId) ?? 0) < most) return false;
    this.full.add(workflowId);
    return true;
  }

  private enter(execution: LiveExecution): void {
    this.live.set(execution.id, execution);
    this.liveByWorkflow.set(execution.workflowId, (this.liveByWorkflow.get(execution.workflowId) ?? 0) + 1);
  }

  private leave(execution: LiveExecution): void {
    if (this.live.get(execution.id) !== execution) return;
    this.live.delete(execution.id);
    const left = this.liveByWorkflow.get(execution.workflowId)! - 1;
    if (left === 0) this.liveByWorkflow.delete(execution.workflowId);
    else this.liveByWorkflow.set(execution.workflowId, left);
    this.full.delete(execution.workflowId);
    if (this.queued > 0)
      this.deps.clock.soon(
        () => void this.sweep().catch((error: unknown) => this.deps.report('dispatch failed', error)),
      );
    if (this.live.size === 0) for (const rest of this.rested.splice(0)) rest();
  }

  /** Takes what can be claimed: queued executions, and those whose worker is gone. */
  private async sweep(): Promise<void> {
    if (this.sweeping) {
      this.sweepAgain = true;
      return;
    }
    this.sweeping = true;
    try {
      do {
        this.sweepAgain = false;
        const free = Math.min(200, limits.activeExecutions - this.live.size);
        if (free <= 0 || this.draining) break;
        const rows = await this.deps.store.executions.runnable(this.deps.clock.now(), free, [...this.full]);
        const open = rows.filter((row) => !this.live.has(row.id) && !this.claiming.has(row.id));
        await Promise.all(open.map((row) => this.take(row.id)));
        if (open.length > 0) this.sweepAgain = true;
      } while (this.sweepAgain);
    } finally {
      this.sweeping = false;
    }
  }

  private async fire(id: string, path: string): Promise<void> {
    const execution = this.live.get(id) ?? (await this.take(id));
    execution?.fire(path);
  }

  /** Claims an execution and brings it to life; null when it is not to be had (now). */
  private async take(id: string): Promise<LiveExecution | null> {
    if (this.claiming.has(id) || this.draining) return null;
    this.claiming.add(id);
    try {
      const { executions, workflows } = this.deps.store;
      const claimed = await executions.claim(id, this.worker, this.deps.clock.now());
      if (claimed === null) return null;
      const graph = await this.graphs.load(claimed.ownerId, claimed.workflowId, claimed.workflowVersion);
      if (claimed.status === 'queued' && this.queued > 0) this.queued--;
      if (graph === null) {
        await this.giveUp(claimed);
        return null;
      }
      const row = await workflows.get(claimed.ownerId, claimed.workflowId);
      const events = await this.events(claimed);
      const execution = new LiveExecution(this.liveDeps, graph, claimed.ownerId, claimed, {
        fence: claimed.fence,
        seq: claimed.nextSeq,
        create: null,
      });
      this.enter(execution);
      const most = row?.settings.max_concurrency;
      if (most !== undefined && this.liveByWorkflow.get(claimed.workflowId)! >= most)
        this.full.add(claimed.workflowId);
      const expires = durationOf(row?.settings.timeout);
      execution.resume(
        events,
        claimed.status === 'running',
        expires === null ? null : claimed.createdAt + expires,
      );
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
    await this.deps.store.executions.commit([
      {
        executionId: claimed.id,
        create: null,
        worker: this.worker,
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
      },
    ]);
    this.watchers.ended(claimed.id, { status: 'failed', output: null, error });
  }

  private async events(row: Pick<ExecutionRow, 'ownerId' | 'id'>): Promise<JournalEvent[]> {
    const rows: JournalRow[] = [];
    for (;;) {
      const page = await this.deps.store.executions.journal(
        row.ownerId,
        row.id,
        rows.length === 0 ? 0 : rows.at(-1)!.seq + 1,
        journalPage,
      );
      rows.push(...page);
      if (page.length < journalPage) return readEvents(rows, this.deps.files);
    }
  }

  async stop(ownerId: string, id: string): ReturnType<Engine['stop']> {
    const now = this.deps.clock.now();
    const result = await this.deps.store.executions.stop(ownerId, id, now, stopEvents(now));
    if (result.kind !== 'stopped') return result;
    if (result.row.startTime === null && this.queued > 0) this.queued--;
    this.live.get(id)?.abandon();
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
    const graph = await this.graphs.load(row.ownerId, row.workflowId, row.workflowVersion);
    if (graph === null)
      return {
        input: null,
        output: null,
        nodes: [],
        logs: [],
        completed: {},
        failedNodeIds: [],
        answer: null,
      };
    return viewExecution(graph, row, await this.events(row));
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
    return { active: this.live.size, queued: this.queued, pendingWrites: this.committer.pendingCount };
  }

  async drain(graceMs: number): Promise<void> {
    if (!this.draining) {
      this.draining = true;
      this.timers.stop();
      for (const cancel of this.cancels.splice(0)) cancel();
    }
    if (this.live.size > 0)
      await new Promise<void>((resolve) => {
        this.rested.push(resolve);
        this.deps.clock.after(graceMs, resolve);
      });
    for (const execution of this.live.values()) execution.release();
    await this.committer.flushed();
    this.live.clear();
    await this.deps.store.executions.release(this.worker);
  }
}

function capacity(message: string): WeftError {
  return new WeftError('RATE_LIMITED', message, { reason: 'capacity' });
}

function durationOf(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text);
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

/** The trigger of the kind that started it, else the first. Null when the graph has none. */
function entryOf(graph: Graph, kind: string): string | null {
  const triggers = graph.root.nodes.filter((node) => node.type.isTrigger);
  return (triggers.find((node) => node.config['triggerType'] === kind) ?? triggers[0])?.id ?? null;
}
