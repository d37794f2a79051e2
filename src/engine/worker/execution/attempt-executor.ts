import type { JsonObject } from '../../../lib/json/json.ts';
import { countBytes } from '../../../lib/limits/value-limits.ts';
import { groupCallSums, type ModelCallSum } from '../../../contract/ai/usage.ts';
import type { Outcome } from '../../../contract/node-type.ts';
import { limits } from '../../../ports/limits.ts';
import type { AttemptResult } from '../../../ports/runner.ts';
import { computeDeferralDelay } from './deferral.ts';
import type { DeferredEffects } from './deferred-effects.ts';
import { decideRetry } from '../../state/retry-decision.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { NodeRun } from '../../state/frame.ts';
import {
  toUsageEntries,
  type EndEvent,
  type JournaledFailure,
  type UsageEntry,
} from '../../journal/journal.ts';
import { MIN_COUNTED_BYTES } from './memory-usage.ts';
import { NodeAttempt, type AttemptOwner } from './node-attempt.ts';
import { RunningAttempts } from './running-attempts.ts';
import type { TimerChanges } from '../timer-changes.ts';
import { transitionNodeRun } from '../../../contract/transitions.ts';
import type { WorkerContext } from '../worker-context.ts';

export type AttemptExecutorOwner = AttemptOwner & {
  /** Whether events may still be recorded. */
  readonly isOpen: boolean;
  /** An attempt that took time has ended, and its event is recorded. */
  attemptEnded(): void;
  /** An attempt could not be served and will be repeated. */
  attemptDeferred(): void;
};

type AttemptExecutorDeps = {
  readonly context: Pick<WorkerContext<never>, 'clock' | 'random' | 'runner'>;
  readonly recorder: EventRecorder;
  readonly timers: TimerChanges;
  readonly effects: DeferredEffects;
};

/** Starts the attempts of one execution and records their outcomes. */
export class AttemptExecutor {
  readonly running = new RunningAttempts();
  /** The node that was started last. */
  currentNode: string | null = null;
  private readonly owner: AttemptExecutorOwner;
  private readonly deps: AttemptExecutorDeps;
  /** Paths of waits for an event whose timer row was due. */
  private firedWaits: Set<string> | null = null;

  constructor(owner: AttemptExecutorOwner, deps: AttemptExecutorDeps) {
    this.owner = owner;
    this.deps = deps;
  }

  start(run: NodeRun, now = this.deps.recorder.now()): void {
    const { recorder, timers, effects } = this.deps;
    const resumed =
      run.wait !== null && !run.wait.retry ? { since: run.wait.since, due: run.wait.due } : null;
    const n = resumed === null ? run.attempt + 1 : run.attempt;
    this.currentNode = run.node.id;
    if (run.suspicion !== null && run.suspicion.loneCrashes >= limits.crashesAsOnlySuspect)
      return this.fail(run, run.attempt, undefined, {
        type: 'interrupted',
        message: `The service process crashed ${run.suspicion.loneCrashes} times while it ran this node in isolation.`,
      });
    if (this.owner.state.steps >= limits.steps)
      return this.fail(run, n, undefined, {
        type: 'limit',
        message: `An execution may run at most ${limits.steps} nodes.`,
      });
    if (recorder.memory.isOverLimit) return this.fail(run, n, undefined, this.memoryFailure());
    const attempt = new NodeAttempt(this.owner, run, n, now, resumed);
    // The attempt only looks for the event. Its timer row stays, so that an event that arrives meanwhile
    // finds it.
    if (run.wait?.event === true) return this.execute(attempt);
    timers.drop(run.path);
    if (run.node.type.effects === 'external') {
      recorder.record({ e: 'start', p: run.path, n, at: now });
      effects.startAttempt(attempt);
      recorder.now();
    } else this.execute(attempt, now);
  }

  /** Takes over the timers of a replayed execution. `isInterrupted`: it was running when its worker left. */
  restoreTimers(isInterrupted: boolean): void {
    const { timers, effects } = this.deps;
    for (const run of this.owner.state.runs.all()) {
      if (run.wait?.event === true) {
        // Its row exists and may have come due since it was read: it must not be overwritten. The worker that
        // was interrupted may not have looked for an event that arrived before the wait was on disk.
        timers.known(run.path);
        if (isInterrupted) effects.checkForEvent(run);
      }
      // Set again: an attempt that started, and was lost, has cleared its row.
      else if (run.wait !== null && run.body === null) timers.set(run.path, run.wait.due);
      else if (run.body !== null && run.node.timeout !== null) timers.known(run.path);
    }
  }

  /** The timer row of a wait for an event is due: looks for the event. */
  startEventCheck(run: NodeRun): void {
    // If an attempt is already looking, it may have missed the event: it looks again.
    (this.firedWaits ??= new Set()).add(run.path);
    if (!this.running.has(run)) this.start(run);
  }

  /** `s` is the start of an attempt that has no start event. */
  execute(attempt: NodeAttempt, s?: number): void {
    const { context, recorder } = this.deps;
    const result = context.runner.run(attempt);
    if (!(result instanceof Promise)) return this.conclude(attempt, s, result);
    recorder.now();
    const { run } = attempt;
    // An asynchronous attempt is visible and counts its interruptions, with or without effects.
    if (s !== undefined) recorder.record({ e: 'start', p: run.path, n: attempt.attempt, at: s });
    transitionNodeRun(run, 'start');
    this.awaitResult(attempt, result);
  }

  private awaitResult(attempt: NodeAttempt, result: Promise<AttemptResult>): void {
    this.running.set(attempt);
    void result.then((outcome) => {
      if (!this.running.isCurrent(attempt)) return;
      const usage = groupCallSums(attempt.deferredUsage.concat(outcome.usage ?? []));
      if (outcome.kind === 'deferred') return this.repeatLater(attempt, usage);
      this.running.remove(attempt.run);
      this.conclude(attempt, undefined, outcome, usage);
      this.owner.attemptEnded();
    });
  }

  /** Repeats the same attempt. Nothing is recorded: the journal has its start already. */
  private repeatLater(attempt: NodeAttempt, usage: readonly ModelCallSum[]): void {
    const { context, recorder } = this.deps;
    const { run, attempt: n, resumed, deferrals } = attempt;
    this.running.defer(attempt);
    context.clock.after(computeDeferralDelay(deferrals, context.random()), () => {
      if (!this.running.isCurrent(attempt)) return;
      const next = new NodeAttempt(this.owner, run, n, recorder.now(), resumed);
      next.deferrals = deferrals + 1;
      next.deferredUsage = usage;
      this.awaitResult(next, Promise.resolve(context.runner.run(next)));
    });
    this.owner.attemptDeferred();
  }

  private conclude(
    attempt: NodeAttempt,
    s: number | undefined,
    outcome: Outcome,
    calls: readonly ModelCallSum[] = [],
  ): void {
    const { context, recorder, timers, effects } = this.deps;
    const usage = calls.length === 0 ? {} : { u: toUsageEntries(calls) };
    const { run, attempt: n } = attempt;
    if (!this.owner.isOpen || !run.frame.alive) return;
    const at = recorder.now();
    if (outcome.kind === 'failed') {
      const { failure, delay, by } = decideRetry(run, n, outcome.error, context.random());
      if (delay === null) return this.fail(run, n, s, failure, usage);
      const start = s === undefined ? {} : { s };
      const handler = by === null ? {} : { by };
      recorder.record({
        e: 'retry',
        p: run.path,
        n,
        at,
        ...start,
        due: at + delay,
        err: failure,
        ...handler,
        ...usage,
      });
      return timers.set(run.path, at + delay);
    }
    if (outcome.kind === 'wait') {
      if (run.wait?.event === true && run.wait.due === outcome.until) return this.continueWait(run);
      recorder.record({
        e: 'wait',
        p: run.path,
        n,
        at,
        ...(s !== undefined && { s }),
        due: outcome.until,
        ...(outcome.event === true && { ev: true as const }),
        ...usage,
      });
      if (outcome.event === true) effects.checkForEvent(run);
      return timers.set(run.path, outcome.until);
    }
    if (outcome.kind === 'begin') {
      if (recorder.memory.isOverLimit) return this.fail(run, n, s, this.memoryFailure());
      timers.drop(run.path);
      return recorder.record({ e: 'load', p: run.path, n, at, o: { v: outcome.value } });
    }
    const ports = Object.keys(outcome.outputs);
    const isPassedOn = ports.length === 1 && outcome.outputs[ports[0]!] === run.input;
    // Many attempts may have started while memory was free for each.
    if (!isPassedOn && recorder.memory.isOverLimit && countBytes(outcome.outputs) >= MIN_COUNTED_BYTES)
      return this.fail(run, n, s, this.memoryFailure(), usage);
    timers.drop(run.path);
    const event: EndEvent = { e: 'end', p: run.path, n, at, ...usage };
    if (s !== undefined) event.s = s;
    if (outcome.respond !== undefined) event.respond = outcome.respond;
    if (outcome.end !== undefined) event.stop = outcome.end;
    if (isPassedOn) event.same = ports[0]!;
    else event.o = { v: outcome.outputs as JsonObject };
    if (outcome.turn !== undefined) recorder.addTurn(run, outcome.turn);
    recorder.record(event);
  }

  /** No event has arrived: the run continues to wait. */
  private continueWait(run: NodeRun): void {
    transitionNodeRun(run, 'wait');
    // A row that came due without an event is set to the end of the wait again. An event that arrives before
    // that is on disk is looked up afterwards.
    if (run.wait === null || this.firedWaits?.delete(run.path) !== true) return;
    this.deps.timers.set(run.path, run.wait.due);
    this.deps.effects.checkForEvent(run);
  }

  /** Fails a node whose body exceeded the node's timeout. */
  failTimedOut(run: NodeRun): void {
    const message = `The node exceeded its timeout of ${run.node.timeout} ms.`;
    this.fail(run, run.attempt, undefined, { type: 'timeout', message });
  }

  private fail(
    run: NodeRun,
    n: number,
    s: number | undefined,
    err: JournaledFailure,
    usage: { u?: UsageEntry[] } = {},
  ): void {
    const { recorder, timers } = this.deps;
    timers.drop(run.path);
    recorder.record({
      e: 'fail',
      p: run.path,
      n,
      at: recorder.now(),
      ...(s !== undefined && { s }),
      err,
      ...usage,
    });
  }

  private memoryFailure(): JournaledFailure {
    return {
      type: 'limit',
      message: `The values that this execution keeps in memory are larger than ${this.deps.recorder.memory.limit} bytes.`,
    };
  }
}
