import { parseOptionalDuration } from '../../lib/time/duration.ts';
import { createValidationError, WeftError } from '../../contract/errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import { limits } from '../../ports/limits.ts';
import type { Queue } from '../../ports/queue.ts';
import type { CheckpointResult, NewExecution } from '../../ports/store/checkpoint.ts';
import type { CompletionNotifier } from './completion-notifier.ts';
import type { Dispatcher } from './dispatcher.ts';
import { QueueFullError, type StartRequest, type StartResult } from '../engine-api.ts';
import { RunningExecution } from './execution/running-execution.ts';
import type { GraphCache } from '../graph/graph-cache.ts';
import type { Graph } from '../graph/graph.ts';
import type { GroupCommitter } from './group-commit.ts';
import { isReachedFrom } from '../state/initial-nodes.ts';
import { createBeginEvent, findEntryTrigger } from '../journal/start-event.ts';
import type { WorkerContext } from './worker-context.ts';

type ExecutionStarterDeps = {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly graphs: GraphCache;
  readonly dispatcher: Dispatcher;
  readonly committer: GroupCommitter;
  readonly notifier: CompletionNotifier;
  readonly workerContext: WorkerContext<RunningExecution>;
  /** Null: this process is alone on its store. */
  readonly queue: Queue | null;
  /** How long (ms) an ended execution is retained unless its workflow sets it. */
  readonly retentionMs: number;
};

/** Starts new executions in this process, or queues them. */
export class ExecutionStarter {
  private readonly deps: ExecutionStarterDeps;

  constructor(deps: ExecutionStarterDeps) {
    this.deps = deps;
  }

  async start(request: StartRequest): Promise<StartResult> {
    const { clock, ids, dispatcher, notifier, queue } = this.deps;
    const { ownerId, workflowId, workflowVersion, settings } = request;
    const graph = await this.loadGraph(request);
    // No await from here until the execution is added to the dispatcher, so that a drain cannot miss it.
    this.refuseOverload();
    const now = clock.now();
    const id = ids.next('execution');
    const entry = request.entry ?? findEntryTrigger(graph, request.trigger.type);
    if (request.until !== null && entry !== null && !isReachedFrom(graph, entry, request.until))
      throw createValidationError([
        { field: 'until', issue: `must be reachable from the entry node ${entry}` },
      ]);
    const isQueued = dispatcher.mustQueue(workflowId, settings);
    if (isQueued && dispatcher.queued >= limits.queuedExecutions) throw new QueueFullError();
    const namesEntry = entry === null || request.trigger.node_id === entry;
    const trigger = namesEntry ? request.trigger : { ...request.trigger, node_id: entry };
    const create: NewExecution = {
      id,
      ownerId,
      workflowId,
      workflowVersion,
      trigger,
      createdAt: now,
      parentId: request.parentId,
      retryOf: request.retryOf,
      retention: parseOptionalDuration(settings.retention) ?? this.deps.retentionMs,
      dedupe: request.dedupe,
      tick: request.tick,
    };
    if (request.files !== undefined) create.files = request.files;
    if (request.polled !== undefined) create.polled = request.polled;
    const execution = new RunningExecution(
      this.deps.workerContext,
      graph,
      ownerId,
      { id, workflowId, workflowVersion, trigger },
      { fence: 1, seq: 0, create },
    );
    const watch = notifier.add(id, ownerId, now);
    const timeoutMs = parseOptionalDuration(settings.timeout);
    dispatcher.add(execution);
    if (isQueued) dispatcher.queued++;
    let result: CheckpointResult;
    try {
      const expiresAt = timeoutMs === null ? null : now + timeoutMs;
      // Nodes find files by the rows that the first checkpoint writes.
      const start = isQueued ? 'queued' : request.files === undefined ? 'now' : 'afterCheckpoint';
      result = await execution.begin(createBeginEvent(request, entry, now), expiresAt, start);
    } catch (error) {
      execution.abandon();
      watch.cancel();
      if (isQueued) dispatcher.queued--;
      throw error;
    }
    if (result.kind === 'written') {
      if (isQueued) queue?.announce([id]);
      return { kind: 'accepted', id, watch };
    }
    watch.cancel();
    if (isQueued) dispatcher.queued--;
    if (result.kind === 'stale') throw new Error('The store reported a new execution as stale.');
    return result;
  }

  private async loadGraph({ ownerId, workflowId, workflowVersion }: StartRequest): Promise<Graph> {
    const { graphs } = this.deps;
    const graph =
      graphs.getCached(ownerId, workflowId, workflowVersion) ??
      (await graphs.load(ownerId, workflowId, workflowVersion));
    if (graph !== null) return graph;
    throw createValidationError([
      { field: 'definition', issue: 'cannot run: the version does not exist or uses an unknown node type' },
    ]);
  }

  private refuseOverload(): void {
    const { committer, workerContext } = this.deps;
    if (workerContext.isDraining()) throw createCapacityError('The service is stopping.');
    if (committer.pendingBytes > limits.pendingBytes)
      throw createCapacityError('Too many writes are waiting for the disk.');
  }
}

function createCapacityError(message: string): WeftError {
  return new WeftError('RATE_LIMITED', message, { reason: 'capacity' });
}
