import type { Json, JsonObject } from '../lib/json.ts';
import { bytesOf } from '../lib/value-bounds.ts';
import { waitingParent, type LogLevel, type SettledStatus } from '../contract/execution.ts';
import type { Outcome } from '../contract/node-type.ts';
import type { Followers } from '../ports/followers.ts';
import { limits } from '../ports/limits.ts';
import type { AttemptResult } from '../ports/runner.ts';
import type { Checkpoint, CheckpointResult } from '../ports/store/checkpoint.ts';
import { EventBuffer } from './event-buffer.ts';
import {
  CheckpointWriter,
  type CheckpointContent,
  type CheckpointOwner,
  type Position,
} from './checkpoint-writer.ts';
import type { NodeRun } from './frame.ts';
import type { Graph } from './graph.ts';
import { COUNTED_FROM, retainedBytes } from './memory-usage.ts';
import type { BeginEvent, EndEvent, JournalEvent, JournaledFailure } from './journal.ts';
import { deferralDelay } from './deferral.ts';
import { NodeAttempt, type AttemptOwner } from './node-attempt.ts';
import type { WorkerContext } from './worker-context.ts';
import type { Probation } from './quarantine.ts';
import { decideRetry } from './error-handler-retry.ts';
import type { ExecutionIdentity, StateObserver } from './execution-data.ts';
import { ExecutionState } from './execution-state.ts';
import { EventEncoder } from './event-encoder.ts';
import { gravestAfterCrash, type Suspicion } from './suspicion.ts';
import { TimerChanges } from './timer-changes.ts';
import { transitionNodeRun } from './transitions.ts';

/** Uncommitted events or bytes from which a long turn writes in between. */
const flushEvents = 2_000;
const flushBytes = 1024 * 1024;
const none: never[] = [];
/** Nothing is put into this one: most executions need no list of their own. */
const nobody = new Map<NodeRun, NodeAttempt>();

/**
 * One execution at work in this process. It applies the rules of ExecutionState, hands attempts to the runner, and keeps
 * both rules of the disk: a node with external effects starts, and anything leaves, only after the checkpoint that holds
 * all it depends on; nodes without effects run ahead.
 */
export class ExecutionRunner implements AttemptOwner, StateObserver, CheckpointOwner {
  readonly id: string;
  readonly ownerId: string;
  readonly workflowId: string;
  readonly state: ExecutionState;
  /** Set while someone listens to this owner's events. */
  logged: StateObserver['logged'];
  private readonly deps: WorkerContext<ExecutionRunner>;
  private readonly writer: CheckpointWriter;
  private texts = new EventEncoder();
  private readonly timers = new TimerChanges();
  private readonly announcer: EventBuffer;
  /** Attempts with effects whose start is recorded but not yet on disk. */
  private starting: NodeAttempt[] = [];
  /** Attempts whose start is on its way to the disk. */
  private launching = 0;
  private atWork = nobody;
  /** Node runs among those at work whose attempt is to be made again. */
  private readonly deferred = new WeakSet<NodeRun>();
  /** Node runs whose wait for an event is on its way to the disk: once it is there, what came before is looked for. */
  private looks: NodeRun[] = [];
  /** Timers that were due while it was suspended; null: it is not suspended. */
  private suspended: Set<string> | null = null;
  /** Node runs that have to prove themselves after a crash; null: there is none. */
  private probation: readonly NodeRun[] | null = null;
  private cancelProbation = (): void => {};
  private isCleared = false;
  /** Paths of stopped node runs that may have started other executions. */
  private orphans: string[] = [];
  /** Paths of waits for an event whose row was due. */
  private fired: Set<string> | null = null;
  /** The status that the last checkpoint stored. */
  private stored: Checkpoint['status'] | null = null;
  private currentNode: string | null = null;
  /** The clock when it was last read: to read it takes longer than most steps. */
  private read = 0;
  private driving = false;
  private yielded = false;
  /** Its nodes without effects wait until the disk has what came before. */
  private behind = false;
  /** What its values take in memory at most, in bytes as JSON, where they are large: counted up, and anew when that is too much. */
  weight = 0;
  isOver = false;
  private releasing = false;
  private answerTold = false;
  private closed = false;

  constructor(
    deps: WorkerContext<ExecutionRunner>,
    graph: Graph,
    ownerId: string,
    identity: ExecutionIdentity,
    position: Position,
  ) {
    this.deps = deps;
    this.id = identity.id;
    this.ownerId = ownerId;
    this.workflowId = identity.workflowId;
    this.writer = new CheckpointWriter(deps, this, position);
    this.state = new ExecutionState(graph, identity, null);
    this.state.observer = this;
    this.state.resumeUrl = () => deps.resumeUrl(ownerId, identity.id);
    this.announcer = new EventBuffer(deps.events, this);
  }

  stopped(run: NodeRun): void {
    if (run.wait?.event === true || (run.node.type.effects === 'external' && this.atWork.has(run)))
      this.orphans.push(run.path);
    this.atWork.get(run)?.abort();
    this.atWork.delete(run);
    this.timers.drop(run.path);
  }

  bodyStarted(run: NodeRun, at: number): void {
    if (run.node.timeout !== null) this.timers.set(run.path, at + run.node.timeout);
  }

  private now(): number {
    return (this.read = this.deps.clock.now());
  }

  /** A new execution. Resolves with what the store said of its creation; rejects when it could not be written. */
  begin(event: BeginEvent, expiresAt: number | null, queued: boolean): Promise<CheckpointResult> {
    this.add(event);
    const accepted = this.writer.accepted();
    if (expiresAt !== null) this.timers.set('', expiresAt);
    if (queued) this.write('queued');
    else {
      this.state.apply(event);
      this.record({ e: 'run', at: event.at });
      this.drive(event.at);
    }
    return accepted;
  }

  /** An event of its journal, in order, before it goes on. */
  replay(event: JournalEvent): void {
    this.state.apply(event);
  }

  /** What crashes say against it, which was replayed and was at work in one; null: nothing. */
  suspicion(): Pick<Suspicion, 'crashes' | 'loneCrashes'> | null {
    return gravestAfterCrash(this.state.suspects());
  }

  /** It goes on when it is resumed; these timers of it are due. */
  suspend(due: readonly string[]): void {
    this.suspended = new Set(due);
    this.countBytes();
  }

  /**
   * Goes on from its journal, which was replayed; `interrupted` says that it was at work when its worker went away. On
   * probation nothing of it runs before the disk has that it was taken over.
   */
  resume(interrupted: boolean, expiresAt: number | null, probation: Probation | null): void {
    if (this.isOver) return;
    const due = this.suspended;
    this.suspended = null;
    if (expiresAt !== null) this.timers.known('');
    for (const run of this.state.runs.all()) {
      if (run.wait?.event === true) {
        // Its row stands as long as it waits, and may have been made due since it was read: it is not written over. Whoever
        // was at work when it went away may not have looked for what came before the wait was on disk.
        this.timers.known(run.path);
        if (interrupted) this.looks.push(run);
      }
      // Written anew: the row of an attempt that had started, and was lost, went with its start.
      else if (run.wait !== null) this.timers.set(run.path, run.wait.due);
      else if (run.body !== null && run.node.timeout !== null) this.timers.known(run.path);
    }
    this.announcer.take();
    if (probation !== null) this.putOnProbation(probation);
    else this.record({ e: interrupted ? 'take' : 'run', at: this.now() });
    if (due !== null) for (const path of due) this.fire(path);
    this.drive();
  }

  private putOnProbation({ isAlone, durationMs }: Probation): void {
    this.probation = this.state.suspects();
    this.record({ e: 'take', at: this.now(), ...(isAlone && { alone: true }) });
    this.behind = true;
    this.write();
    this.cancelProbation = this.deps.clock.after(durationMs, () => {
      if (this.probation === null || this.isOver || this.releasing || this.state.settled !== null) return;
      this.isCleared = true;
      this.record({ e: 'clear', at: this.now() });
      this.write();
    });
  }

  private get isProven(): boolean {
    if (this.isCleared || this.state.settled !== null) return true;
    return this.probation?.every((run) => run.suspicion === null || !run.frame.alive) === true;
  }

  /** A timer of this execution is due. Unknown or early ones change nothing but that their row goes. */
  fire(path: string): void {
    if (this.suspended !== null) return void this.suspended.add(path);
    if (this.isOver || this.releasing || this.state.settled !== null) return;
    const run = this.state.runs.get(path);
    const now = this.now();
    if (path === '') this.record({ e: 'expire', at: now });
    else if (run === undefined || !run.frame.alive) this.timers.drop(path, true);
    else if (run.body !== null && run.status === 'running')
      this.fail(run, run.attempt, undefined, {
        type: 'timeout',
        message: `The node ran out of its time of ${run.node.timeout} ms.`,
      });
    else if (run.wait?.event === true) {
      // While it looks, something may have come that it has not seen: it looks again.
      (this.fired ??= new Set()).add(path);
      if (!this.atWork.has(run)) this.startAttempt(run);
    } else if (run.status !== 'waiting') this.timers.drop(path, true);
    else if (run.wait !== null && run.wait.due > now) return;
    else if (!this.atWork.has(run)) this.startAttempt(run);
    this.drive();
  }

  stale(): void {
    this.deps.stale(this);
  }

  /** Puts it down without a trace in memory: someone else holds or ended it. */
  abandon(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const attempt of this.atWork.values()) attempt.abort();
    this.atWork.clear();
    this.deps.left(this);
  }

  /**
   * Puts it down on purpose, so that the next worker does not count it as a crash. What is on its way to the disk comes
   * first; it has left when the last of it is there.
   */
  release(): void {
    if (this.isOver || this.releasing || this.state.settled !== null) return;
    if (this.suspended !== null) {
      // Nothing was recorded: the journal says that it was at work in the crash.
      this.isOver = true;
      return this.deps.left(this);
    }
    this.releasing = true;
    for (const attempt of this.atWork.values()) attempt.abort();
    this.atWork.clear();
    this.starting = [];
    this.record({ e: 'release', at: this.now() });
    this.write();
  }

  log(run: NodeRun, level: LogLevel, message: string, data: Json): void {
    if (this.isOver || this.releasing || this.state.settled !== null) return;
    this.record({
      e: 'log',
      p: run.path,
      at: this.now(),
      l: level,
      m: message,
      ...(data !== null && { d: data }),
    });
  }

  /** Starts what is ready, for as long as a turn may take; then writes. */
  drive(now = this.now()): void {
    if (this.isOver || this.releasing || this.driving || this.yielded || this.behind) return;
    if (this.suspended !== null) return;
    this.driving = true;
    const { state } = this;
    this.read = now;
    const until = now + limits.turn;
    let next = 0;
    while (state.settled === null && next < state.ready.length) {
      const run = state.ready[next++]!;
      if (run.status !== 'pending' || !run.frame.alive) continue;
      this.startAttempt(run, this.read);
      if (this.texts.size >= limits.aheadBytes && this.writer.isBusy) {
        this.behind = true;
        break;
      }
      if (this.read >= until) {
        this.yielded = true;
        break;
      }
    }
    if (next > 0) state.ready = state.ready.slice(next);
    this.driving = false;
    if (this.yielded) this.yieldTurn();
    else if (!this.behind) {
      this.closeIfSettled();
      this.write();
    }
  }

  private yieldTurn(): void {
    if (this.texts.count >= flushEvents || this.texts.size >= flushBytes) this.write();
    this.deps.clock.soon(() => {
      this.yielded = false;
      this.drive();
    });
  }

  private closeIfSettled(): void {
    const { settled } = this.state;
    if (settled !== null) {
      if (!this.closed) {
        this.closed = true;
        this.timers.dropAll();
        this.record({ e: 'done', at: settled.at, status: settled.status });
      }
    } else if (this.atWork.size === 0 && this.starting.length + this.launching === 0 && this.timers.none) {
      // Nothing at work, nothing due, and not at its end: no rule leads here. Better an end that says so than none.
      this.record({ e: 'expire', at: this.now() });
      this.closeIfSettled();
    }
  }

  private startAttempt(run: NodeRun, now = this.now()): void {
    const resumed =
      run.wait !== null && !run.wait.retry ? { since: run.wait.since, due: run.wait.due } : null;
    const n = resumed === null ? run.attempt + 1 : run.attempt;
    this.currentNode = run.node.id;
    if (run.suspicion !== null && run.suspicion.loneCrashes >= limits.loneCrashes)
      return this.fail(run, run.attempt, undefined, {
        type: 'interrupted',
        message: `The service process crashed ${run.suspicion.loneCrashes} times while it ran this node in isolation.`,
      });
    if (this.state.steps >= limits.steps)
      return this.fail(run, n, undefined, {
        type: 'limit',
        message: `An execution may run at most ${limits.steps} nodes.`,
      });
    if (this.keepsTooMuch()) return this.fail(run, n, undefined, this.tooMuchKept());
    const attempt = new NodeAttempt(this, run, n, now, resumed);
    // What it does now is look; its row stays, so that whatever comes meanwhile finds it.
    if (run.wait?.event === true) return this.execute(attempt);
    this.timers.drop(run.path);
    if (run.node.type.effects === 'external') {
      this.record({ e: 'start', p: run.path, n, at: now });
      this.starting.push(attempt);
      this.now();
    } else this.execute(attempt, now);
  }

  /** `s` is the start of an attempt that has no start event. */
  private execute(attempt: NodeAttempt, s?: number): void {
    const outcome = this.deps.runner.run(attempt);
    if (!(outcome instanceof Promise)) return this.conclude(attempt, s, outcome);
    this.now();
    const { run } = attempt;
    // What takes time shows that it has begun, and its interruptions count, with effects or without.
    if (s !== undefined) this.record({ e: 'start', p: run.path, n: attempt.attempt, at: s });
    transitionNodeRun(run, 'start');
    if (this.atWork === nobody) this.atWork = new Map();
    this.follow(attempt, outcome);
  }

  private follow(attempt: NodeAttempt, outcome: Promise<AttemptResult>): void {
    const { run } = attempt;
    this.atWork.set(run, attempt);
    void outcome.then((result) => {
      if (this.atWork.get(run) !== attempt) return;
      if (result.kind === 'deferred') return this.defer(attempt);
      this.atWork.delete(run);
      this.conclude(attempt, undefined, result);
      this.drive();
      this.rest();
      if (this.deps.isDraining()) this.releaseIfDeferred();
    });
  }

  /**
   * Makes the same attempt again later. Nothing is recorded: the journal has its start, so that another process goes on
   * with it when this one ends first.
   */
  private defer(attempt: NodeAttempt): void {
    const { run, attempt: n, resumed, deferrals } = attempt;
    this.deferred.add(run);
    this.deps.clock.after(deferralDelay(deferrals, this.deps.random()), () => {
      if (this.atWork.get(run) !== attempt) return;
      this.deferred.delete(run);
      const next = new NodeAttempt(this, run, n, this.now(), resumed);
      next.deferrals = deferrals + 1;
      this.follow(next, Promise.resolve(this.deps.runner.run(next)));
    });
    if (this.deps.isDraining()) this.releaseIfDeferred();
  }

  /** For a process that stops: nothing of what is left can go on here. */
  releaseIfDeferred(): void {
    if (this.suspended !== null) return this.release();
    if (this.starting.length + this.launching > 0 || this.atWork.size === 0) return;
    for (const run of this.atWork.keys()) if (!this.deferred.has(run)) return;
    this.release();
  }

  private conclude(attempt: NodeAttempt, s: number | undefined, outcome: Outcome): void {
    const { run, attempt: n } = attempt;
    if (this.isOver || this.state.settled !== null || !run.frame.alive) return;
    const at = this.now();
    if (outcome.kind === 'failed') {
      const { failure, delay, by } = decideRetry(run, n, outcome.error, this.deps.random());
      if (delay === null) return this.fail(run, n, s, failure);
      const start = s === undefined ? {} : { s };
      const handler = by === null ? {} : { by };
      this.record({ e: 'retry', p: run.path, n, at, ...start, due: at + delay, err: failure, ...handler });
      return this.timers.set(run.path, at + delay);
    }
    if (outcome.kind === 'wait') {
      if (run.wait?.event === true && run.wait.due === outcome.until) return this.waitOn(run);
      this.record({
        e: 'wait',
        p: run.path,
        n,
        at,
        ...(s !== undefined && { s }),
        due: outcome.until,
        ...(outcome.event === true && { ev: true as const }),
      });
      if (outcome.event === true) this.looks.push(run);
      return this.timers.set(run.path, outcome.until);
    }
    const ports = Object.keys(outcome.outputs);
    const isPassedOn = ports.length === 1 && outcome.outputs[ports[0]!] === run.input;
    // Many may have been under way when there was room for them all.
    if (!isPassedOn && this.keepsTooMuch() && bytesOf(outcome.outputs) >= COUNTED_FROM)
      return this.fail(run, n, s, this.tooMuchKept());
    this.timers.drop(run.path);
    const event: EndEvent = { e: 'end', p: run.path, n, at };
    if (s !== undefined) event.s = s;
    if (outcome.respond !== undefined) event.respond = outcome.respond;
    if (outcome.end !== undefined) event.stop = outcome.end;
    if (isPassedOn) event.same = ports[0]!;
    else event.o = { v: outcome.outputs as JsonObject };
    this.record(event);
  }

  /** Nothing has come yet: it waits on, as the journal has it. */
  private waitOn(run: NodeRun): void {
    transitionNodeRun(run, 'wait');
    // A row that was due, and brought nothing, is due again at the end of the wait. What comes before that is on disk is
    // looked for behind it.
    if (run.wait === null || this.fired?.delete(run.path) !== true) return;
    this.timers.set(run.path, run.wait.due);
    this.looks.push(run);
  }

  private fail(run: NodeRun, n: number, s: number | undefined, err: JournaledFailure): void {
    this.timers.drop(run.path);
    this.record({ e: 'fail', p: run.path, n, at: this.now(), ...(s !== undefined && { s }), err });
  }

  private add(event: JournalEvent): void {
    const before = this.texts.size;
    this.texts.add(event);
    const bytes = this.texts.size - before;
    if (bytes >= COUNTED_FROM) this.weighs(this.weight + bytes);
  }

  private weighs(bytes: number): void {
    if (this.isOver) return;
    this.deps.held.add(bytes - this.weight);
    this.weight = bytes;
  }

  private countBytes(): void {
    this.weighs(retainedBytes(this.state));
  }

  private keepsTooMuch(): boolean {
    const { mostOfOne } = this.deps.held;
    if (this.weight <= mostOfOne) return false;
    this.countBytes();
    return this.weight > mostOfOne;
  }

  private tooMuchKept(): JournaledFailure {
    return {
      type: 'limit',
      message: `What this execution keeps in memory for its next nodes is larger than ${this.deps.held.mostOfOne} bytes.`,
    };
  }

  private record(event: JournalEvent): void {
    try {
      this.state.keepInOrder(event);
      this.add(event);
      this.applied(event);
    } catch (error) {
      this.broke(error);
    }
  }

  /** A fault of Weft ends the execution that met it, and nothing else: not the process, and not what others wait for. */
  private broke(error: unknown): void {
    this.deps.report(`execution ${this.id} met a fault`, error);
    if (this.state.settled !== null || this.isOver) return;
    const event: JournalEvent = { e: 'fault', at: this.now() };
    this.state.keepInOrder(event);
    this.texts.add(event);
    this.applied(event);
  }

  private applied(event: JournalEvent): void {
    this.logged = this.announcer.log;
    this.state.apply(event);
    this.announcer.happened(event, this.state.progress);
  }

  private get status(): Checkpoint['status'] {
    if (this.state.settled !== null && this.closed) return this.state.settled.status;
    // Put down, it shall be found by whoever looks for work.
    if (this.releasing) return 'running';
    // What has to look first is at work: whoever takes over from it looks.
    return this.atWork.size > 0 ||
      this.starting.length + this.launching + this.looks.length > 0 ||
      this.yielded ||
      this.behind
      ? 'running'
      : 'waiting';
  }

  /** Hands what is recorded to the committer; one checkpoint at a time, what comes meanwhile goes with the next. */
  private write(as?: 'queued' | 'anyway'): void {
    if (this.writer.isBusy || this.isOver) return;
    if (this.texts.empty && this.timers.unchanged && as !== 'anyway') return;
    const { texts, starting } = this;
    const proves = this.probation !== null && this.isProven;
    const news = this.announcer.take();
    const answer = this.answerTold ? null : this.state.answer;
    const status = as === 'queued' ? as : this.status;
    const settled = this.closed ? this.state.settled : null;
    const checkpoint: CheckpointContent = {
      executionId: this.id,
      worker: this.deps.worker,
      status,
      error: settled?.error ?? null,
      progress: this.state.progress,
      currentNode: settled === null ? this.currentNode : null,
      startTime: this.state.startTime,
      endTime: settled?.at ?? null,
      ...this.timers.take(),
    };
    const wake = settled === null ? null : waitingParent(this.state.identity.trigger);
    if (wake !== null) checkpoint.wake = wake;
    const follow = settled === null ? null : this.followers(settled.status);
    if (follow !== null) checkpoint.follow = follow;
    // What is added from now on belongs to the next checkpoint, and must not be seen when this one is there.
    const looks = this.looks.length > 0 ? this.looks : none;
    const orphans = this.orphans.length > 0 ? this.orphans : none;
    if (looks !== none) this.looks = [];
    if (orphans !== none) this.orphans = [];
    this.texts = new EventEncoder();
    this.starting = [];
    this.launching += starting.length;
    const release = () => {
      if (answer !== null) {
        this.answerTold = true;
        this.deps.watchers.answered(this.id, answer);
      }
      this.announcer.publish(news, status);
      this.stored = status;
      if (proves) {
        this.probation = null;
        this.cancelProbation();
        this.deps.proved(this);
      }
      for (const { dueAt } of checkpoint.setTimers) this.deps.timerSet(dueAt);
      if (wake !== null) this.deps.timerSet(0);
      if (follow !== null) this.deps.followers.written();
      if (orphans.length > 0) this.deps.orphaned(this, orphans);
      this.launching -= starting.length;
      for (const attempt of starting)
        if (attempt.run.status === 'running' && attempt.run.frame.alive && !this.isOver)
          this.execute(attempt);
      for (const run of looks)
        if (
          run.wait?.event === true &&
          run.frame.alive &&
          !this.isOver &&
          !this.releasing &&
          !this.atWork.has(run)
        )
          this.startAttempt(run);
      // An attempt that answered at once has left something to go on with.
      if (starting.length + looks.length > 0) this.drive();
      if (looks.length > 0) this.rest();
      // Before anything else is written: what has come to its end meanwhile is written with its end.
      if (this.behind) {
        this.behind = false;
        this.drive();
      }
      if (!this.writer.isBusy) this.afterWrite(status);
    };
    this.writer.write(checkpoint, texts, release);
  }

  private followers(status: SettledStatus): ReturnType<Followers['of']> {
    const { ownerId, workflowId } = this;
    return this.deps.followers.of({ ownerId, workflowId, status, trigger: this.state.identity.trigger });
  }

  /** After a look that found nothing: if it waits on disk, it needs no memory. */
  private rest(): void {
    const idle =
      this.atWork.size === 0 && this.starting.length + this.launching === 0 && !this.yielded && !this.behind;
    if (!idle || this.writer.isBusy || this.isOver || this.releasing || this.state.settled !== null) return;
    if (!this.texts.empty || !this.timers.unchanged) return;
    if (this.stored !== 'waiting') return this.write('anyway');
    this.isOver = true;
    this.deps.left(this);
  }

  private afterWrite(status: Checkpoint['status']): void {
    if (!this.texts.empty || !this.timers.unchanged) return this.write();
    const { settled } = this.state;
    if (this.releasing) {
      this.isOver = true;
      this.deps.left(this);
    } else if (settled !== null && this.closed) {
      this.isOver = true;
      this.deps.left(this);
      this.deps.watchers.ended(this.id, {
        status: settled.status,
        output: settled.output,
        error: settled.error,
      });
    } else if (
      status === 'queued' ||
      (status === 'waiting' &&
        this.atWork.size === 0 &&
        this.starting.length === 0 &&
        !this.yielded &&
        !this.behind)
    ) {
      this.isOver = true;
      this.deps.left(this);
    }
  }
}
