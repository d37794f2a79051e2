import type { Json } from '../../../lib/json/json.ts';
import type { LogLevel } from '../../../contract/execution.ts';
import { limits } from '../../../ports/limits.ts';
import type { Checkpoint, CheckpointResult } from '../../../ports/store/checkpoint.ts';
import { AttemptExecutor, type AttemptExecutorOwner } from './attempt-executor.ts';
import { CheckpointWriter, type CheckpointOwner, type JournalPosition } from './checkpoint-writer.ts';
import { DeferredEffects } from './deferred-effects.ts';
import { createDelayedWrite } from './delayed-write.ts';
import { EventRecorder } from './event-recorder.ts';
import type { ExecutionIdentity, StateObserver } from '../../state/execution-data.ts';
import { ExecutionPhase, type StartTime } from './execution-phase.ts';
import { ExecutionState } from '../../state/execution-state.ts';
import type { NodeRun } from '../../state/frame.ts';
import type { Graph } from '../../graph/graph.ts';
import type { BeginEvent, LogEvent } from '../../journal/journal.ts';
import { buildCheckpointContent, wakeDependents, type PendingCheckpoint } from './pending-checkpoint.ts';
import { Probation, type ProbationTerms } from './probation.ts';
import { Snapshots } from './snapshots.ts';
import { findWorstAfterCrash, type Suspicion } from '../../state/suspicion.ts';
import { TimerChanges } from '../timer-changes.ts';
import type { WorkerContext } from '../worker-context.ts';

/** Unwritten events or bytes from which an execution that yields writes a checkpoint. */
const FLUSH_EVENT_COUNT = 2_000;
const FLUSH_BYTES = 1024 * 1024;

/**
 * Runs one execution in this process: applies the rules of ExecutionState, hands attempts to the node runner,
 * and writes checkpoints. It keeps both durability rules: nodes with external effects start, and responses
 * and events leave, only after the checkpoint with everything they depend on is on disk; nodes without
 * effects run ahead. Its phases: execution-phase.ts.
 */
export class RunningExecution implements AttemptExecutorOwner, StateObserver, CheckpointOwner {
  readonly id: string;
  readonly ownerId: string;
  readonly workflowId: string;
  readonly state: ExecutionState;
  readonly snapshots: Snapshots;
  /** Set while an event with subscribers is applied. */
  logged: StateObserver['logged'];
  readonly turnEnded: NonNullable<StateObserver['turnEnded']> = (...of) => this.recorder.addTurn(...of);
  private readonly context: WorkerContext<RunningExecution>;
  private readonly phase: ExecutionPhase;
  private readonly writer: CheckpointWriter;
  private readonly timers = new TimerChanges();
  private readonly effects = new DeferredEffects();
  private readonly recorder: EventRecorder;
  private readonly executor: AttemptExecutor;
  /** Null until the first log entry of a node. */
  private writeLogSoon: (() => void) | null = null;
  /** Null: the execution is not a suspect of a crash, or its probation has passed. */
  private probation: Probation | null = null;
  /** Timers that came due while the execution was suspended. */
  private dueTimers: Set<string> | null = null;
  private lastStatus: Checkpoint['status'] | null = null;
  private isResponseSent = false;

  constructor(
    context: WorkerContext<RunningExecution>,
    graph: Graph,
    ownerId: string,
    identity: ExecutionIdentity,
    position: JournalPosition,
  ) {
    this.context = context;
    this.id = identity.id;
    this.ownerId = ownerId;
    this.workflowId = identity.workflowId;
    this.phase = new ExecutionPhase((error) => context.report(`execution ${identity.id}`, error));
    this.state = new ExecutionState(graph, identity, null);
    this.snapshots = new Snapshots(this.state, this.effects, context);
    this.writer = new CheckpointWriter(context, this, position);
    this.state.observer = this;
    this.state.resumeUrl = () => context.resumeUrl(ownerId, identity.id);
    this.recorder = new EventRecorder(this, context);
    const { recorder, timers, effects } = this;
    this.executor = new AttemptExecutor(this, { context, recorder, timers, effects });
  }

  get isEvicted(): boolean {
    return this.phase.is('evicted');
  }

  get memoryBytes(): number {
    return this.recorder.memory.bytes;
  }

  // The start of a new execution.

  /** Resolves with the store's result for the first checkpoint; rejects when it could not be written. */
  begin(event: BeginEvent, expiresAt: number | null, start: StartTime): Promise<CheckpointResult> {
    this.recorder.encode(event);
    const accepted = this.writer.accepted();
    if (expiresAt !== null) this.timers.set('', expiresAt);
    this.phase.moveTo(start === 'queued' ? 'queued' : 'running');
    if (start !== 'queued') {
      this.state.apply(event);
      this.recorder.record({ e: 'run', at: event.at });
    }
    if (start === 'afterCheckpoint') this.phase.moveTo('throttled');
    if (start === 'now') this.advance(event.at);
    else this.write();
    return accepted;
  }

  // Takeover of an execution whose state was replayed: suspend, resume.

  /** The suspicion against a replayed execution that was running during a crash; null: none. */
  suspicion(): Pick<Suspicion, 'crashes' | 'loneCrashes'> | null {
    return findWorstAfterCrash(this.state.suspects());
  }

  /** Holds a replayed execution until it is resumed. */
  suspend(dueTimers: readonly string[]): void {
    this.phase.moveTo('suspended');
    this.dueTimers = new Set(dueTimers);
    this.recorder.memory.measure();
  }

  /**
   * Continues a suspended execution. `isInterrupted`: it was running when its worker left. On probation, none
   * of its nodes starts before the takeover is on disk.
   */
  resume(isInterrupted: boolean, expiresAt: number | null, probation: ProbationTerms | null): void {
    if (!this.phase.is('suspended')) return;
    this.phase.moveTo('running');
    const { dueTimers } = this;
    this.dueTimers = null;
    if (expiresAt !== null) this.timers.known('');
    this.executor.restoreTimers(isInterrupted);
    this.recorder.dropReplayed();
    if (probation !== null) this.startProbation(probation);
    else this.recorder.record({ e: isInterrupted ? 'take' : 'run', at: this.recorder.now() });
    if (dueTimers !== null) for (const path of dueTimers) this.fire(path);
    this.advance();
  }

  private startProbation({ isAlone, durationMs }: ProbationTerms): void {
    const probation = new Probation(this.state.suspects());
    this.probation = probation;
    this.recorder.record({ e: 'take', at: this.recorder.now(), ...(isAlone && { alone: true }) });
    this.phase.moveTo('throttled');
    this.write();
    probation.start(this.context.clock, durationMs, () => {
      if (this.probation !== probation || !this.isOpen) return;
      probation.clear();
      this.recorder.record({ e: 'clear', at: this.recorder.now() });
      this.write();
    });
  }

  // Eviction before the end.

  /**
   * Releases the execution, so that the next worker does not count a crash. It is evicted once the release is
   * on disk.
   */
  release(): void {
    // Nothing was recorded since the crash: the journal still says that the execution was running during it.
    if (this.phase.is('suspended')) return this.evict();
    if (!this.isOpen || !this.phase.moveTo('releasing')) return;
    this.executor.running.abortAll();
    this.effects.dropAttempts();
    this.recorder.record({ e: 'release', at: this.recorder.now() });
    this.write();
  }

  /** For a process that is stopping: releases an execution that only another process can continue. */
  releaseIfDeferred(): void {
    if (this.phase.is('suspended')) return this.release();
    if (!this.effects.hasAttempts && this.executor.running.areAllDeferred) this.release();
  }

  /** Evicts it without a write: another worker holds it, or it was stopped or deleted. */
  abandon(): void {
    if (!this.isEvicted) this.evict();
  }

  stale(): void {
    this.context.stale(this);
  }

  private evict(): void {
    this.phase.moveTo('evicted');
    this.executor.running.abortAll();
    this.probation?.end();
    this.context.evicted(this);
  }

  // External signals while it runs.

  /** A timer is due. For an unknown or early timer, only the row is cleared. */
  fire(path: string): void {
    if (this.phase.is('suspended')) return void this.dueTimers?.add(path);
    if (!this.isOpen) return;
    const run = this.state.runs.get(path);
    const now = this.recorder.now();
    if (path === '') this.recorder.record({ e: 'expire', at: now });
    else if (run === undefined || !run.frame.alive) this.timers.drop(path, true);
    else if (run.body !== null && run.status === 'running') this.executor.failTimedOut(run);
    else if (run.wait?.event === true) this.executor.startEventCheck(run);
    else if (run.status !== 'waiting') this.timers.drop(path, true);
    else if (run.wait !== null && run.wait.due > now) return;
    else if (!this.executor.running.has(run)) this.executor.start(run);
    this.advance();
  }

  log(run: NodeRun, level: LogLevel, message: string, data: Json): void {
    if (!this.isOpen) return;
    const event: LogEvent = { e: 'log', p: run.path, at: this.recorder.now(), l: level, m: message };
    if (data !== null) event.d = data;
    this.recorder.record(event);
    this.writeLogSoon ??= createDelayedWrite(this.context.clock, () => {
      if (this.phase.is('running')) this.write();
    });
    this.writeLogSoon();
  }

  stopped(run: NodeRun): void {
    const attempt = this.executor.running.remove(run);
    if (run.wait?.event === true || (run.node.type.effects === 'external' && attempt !== undefined))
      this.effects.stopChildren(run.path);
    attempt?.abort();
    this.timers.drop(run.path);
  }

  bodyStarted(run: NodeRun, at: number): void {
    if (run.node.timeout !== null) this.timers.set(run.path, at + run.node.timeout);
  }

  // Steps.

  /** Starts ready nodes for one time slice, then writes a checkpoint. */
  private advance(now = this.recorder.now()): void {
    if (this.phase.is('ending')) return this.write();
    if (!this.phase.is('running')) return;
    this.phase.moveTo('advancing');
    const { state } = this;
    this.recorder.lastNow = now;
    const sliceEnd = now + limits.timeSliceMs;
    let nextPhase: 'running' | 'yielding' | 'throttled' = 'running';
    let started = 0;
    while (state.settled === null && started < state.ready.length) {
      const run = state.ready[started++]!;
      if (run.status !== 'pending' || !run.frame.alive) continue;
      this.executor.start(run, this.recorder.lastNow);
      if (this.recorder.bytes >= limits.speculativeBytes && this.writer.isBusy) {
        nextPhase = 'throttled';
        break;
      }
      if (this.recorder.lastNow >= sliceEnd) {
        nextPhase = 'yielding';
        break;
      }
    }
    if (started > 0) state.ready = state.ready.slice(started);
    this.phase.moveTo(nextPhase);
    if (nextPhase === 'yielding') this.yieldToEventLoop();
    else if (nextPhase === 'running') {
      this.endIfSettled();
      this.write();
    }
  }

  private yieldToEventLoop(): void {
    if (this.recorder.count >= FLUSH_EVENT_COUNT || this.recorder.bytes >= FLUSH_BYTES) this.write();
    this.context.clock.soon(() => {
      if (!this.phase.is('yielding')) return;
      this.phase.moveTo('running');
      this.advance();
      // Since the last slice, the wait may have been written, and the check for its event may have ended.
      this.evictIfWaiting();
    });
  }

  private endIfSettled(): void {
    const { settled } = this.state;
    if (settled !== null) {
      this.phase.moveTo('ending');
      this.timers.dropAll();
      this.recorder.record({ e: 'done', at: settled.at, status: settled.status });
    } else if (!this.hasAttempts && this.timers.isEmpty) {
      // No rule leads here. An execution that nothing can continue must not stay open.
      this.recorder.endWithInternalError(new Error('nothing can continue the execution'));
      this.endIfSettled();
    }
  }

  attemptEnded(): void {
    this.advance();
    this.evictIfWaiting();
    this.attemptDeferred();
  }

  attemptDeferred(): void {
    if (this.context.isDraining()) this.releaseIfDeferred();
  }

  // Events and checkpoints.

  /** Whether events may still be recorded. */
  get isOpen(): boolean {
    return this.phase.isActive && this.state.settled === null;
  }

  /** Whether an attempt is running, or starts after a checkpoint. */
  private get hasAttempts(): boolean {
    return this.executor.running.size > 0 || this.effects.hasAttempts;
  }

  /** Whether there is something to write. */
  private get hasChanges(): boolean {
    return this.recorder.count > 0 || !this.timers.unchanged;
  }

  /**
   * Passes recorded events to the writer. One checkpoint is in flight at a time; later events go into the
   * next one.
   */
  private write(isForced = false): void {
    if (this.writer.isBusy || this.isEvicted || (!this.hasChanges && !isForced)) return;
    const { ownerId, state, timers, probation } = this;
    const passesProbation = probation !== null && (state.settled !== null || probation.isPassed);
    const hasWork = this.executor.running.size > 0 || this.effects.hasWork;
    const status = this.phase.checkpointStatus(state.settled, hasWork);
    const { encoder, notifications, turns, usage } = this.recorder.take();
    const source = { ownerId, state, status, currentNode: this.executor.currentNode, timers, turns, usage };
    const content = buildCheckpointContent(source, this.context);
    const pending: PendingCheckpoint = {
      content,
      effects: this.effects.take(),
      notifications,
      response: this.isResponseSent ? null : state.response,
      passesProbation,
    };
    this.writer.write(content, encoder, () => this.committed(pending));
  }

  /** A checkpoint is on disk: runs the effects that waited for it. */
  private committed({ content, effects, notifications, response, passesProbation }: PendingCheckpoint): void {
    const { context } = this;
    if (response !== null) {
      this.isResponseSent = true;
      context.completions.responded(this.id, response);
    }
    this.recorder.publish(notifications, content.status);
    this.lastStatus = content.status;
    if (passesProbation) {
      this.probation?.end();
      this.probation = null;
      context.probationPassed(this);
    }
    wakeDependents(content, context);
    if (effects.orphanedPaths.length > 0) context.stopChildren(this, effects.orphanedPaths);
    this.effects.committed(effects);
    for (const attempt of effects.attempts)
      if (attempt.run.status === 'running' && attempt.run.frame.alive && !this.isEvicted)
        this.executor.execute(attempt);
    for (const run of effects.eventChecks)
      if (
        this.phase.isActive &&
        run.wait?.event === true &&
        run.frame.alive &&
        !this.executor.running.has(run)
      )
        this.executor.start(run);
    // Attempts that ended synchronously may have made nodes ready.
    if (effects.attempts.length + effects.eventChecks.length > 0) this.advance();
    if (effects.eventChecks.length > 0) this.evictIfWaiting();
    // Before the next checkpoint, so that an execution that ends now is written together with its end.
    if (this.phase.is('throttled')) {
      this.phase.moveTo('running');
      this.advance();
    }
    if (!this.writer.isBusy) this.writeRestOrEvict(content.status);
  }

  private writeRestOrEvict(status: Checkpoint['status']): void {
    if (this.hasChanges) return this.write();
    const { settled } = this.state;
    if (this.phase.is('ending') && settled !== null) {
      this.evict();
      const { status: endStatus, output, error } = settled;
      this.context.completions.ended(this.id, { status: endStatus, output, error });
    } else if (this.phase.is('releasing') || this.phase.is('queued')) this.evict();
    else if (this.phase.is('running') && !this.hasAttempts) {
      if (status === 'waiting') this.evict();
      // The last attempt ended without an event while this checkpoint was written.
      else if (!this.effects.hasWork) this.write(true);
    }
  }

  /** When nothing is left to do or to write: if the wait is on disk, the execution leaves memory. */
  private evictIfWaiting(): void {
    if (!this.phase.is('running') || this.hasAttempts) return;
    if (this.writer.isBusy || this.hasChanges) return;
    if (this.lastStatus === 'waiting') this.evict();
    else this.write(true);
  }
}
