import { isObject, type Json, type JsonObject } from '../lib/json.ts';
import type {
  ExecutionTrigger,
  HttpAnswer,
  LogLevel,
  NodeError,
  SettledStatus,
} from '../contract/execution.ts';
import type { BodyStep } from '../contract/node-type.ts';
import { beginning } from './initial-nodes.ts';
import { Progress } from './progress.ts';
import {
  arrived,
  asValue,
  createFrame,
  deliver,
  forget,
  frameOutput,
  letGo,
  outputOn,
  type Frame,
  type NodeRun,
} from './frame.ts';
import type { ValueRetention } from './value-retention.ts';
import { carried, errorPort, firstOutput, type Graph } from './graph.ts';
import type { BeginEvent, EndEvent, JournalEvent, Outputs } from './journal.ts';
import { toNodeError, toFailureLogData, toNodeFailure } from './node-error.ts';
import { countHandlerRetry } from './error-handler-retry.ts';
import { createNodeRunScope } from './expression-scope.ts';
import { NodeRuns } from './node-runs.ts';
import { checkSize } from './size-check.ts';
import { clearSuspicion, endIsolation, suspicionAfterCrash } from './suspicion.ts';
import { transitionNodeRun } from './transitions.ts';

/** What an execution is, apart from its graph. */
export type ExecutionIdentity = {
  id: string;
  workflowId: string;
  workflowVersion: number;
  trigger: ExecutionTrigger;
};

/** Told of what happens while events are applied: to log it, and to let go of what was stopped. */
export type StateObserver = {
  logged?:
    | ((at: number, level: LogLevel, nodeId: string | null, message: string, data: JsonObject) => void)
    | undefined;
  stopped?(run: NodeRun): void;
  bodyStarted?(run: NodeRun, at: number): void;
};

/** What an execution ends with that Weft itself could not go on with. */
const ownFault = {
  type: 'internal',
  message: "The execution met a fault of Weft; the server's log has it.",
} as const;

type Settlement =
  | { kind: 'completed'; run: NodeRun; outputs: Outputs }
  | { kind: 'failed'; run: NodeRun; error: NodeError }
  | { kind: 'skipped'; run: NodeRun }
  | { kind: 'body'; run: NodeRun; step: BodyStep }
  | { kind: 'ready'; run: NodeRun };

/**
 * The state of one execution: a pure function of its graph and its events. A worker applies each event as it makes it,
 * recovery and the doors apply them as they read them: the same rules for all.
 *
 * The rules:
 * 1. A node starts when each of its incoming edges has delivered or died, and one has delivered.
 * 2. An edge dies when its source was skipped or ended on another port. A node whose edges all died is skipped.
 * 3. A failure goes out by the `error` port where that is connected; else it fails the frame, and that its owner or, at
 *    the root, the execution.
 * 4. A frame ends when all of its nodes are settled. Its output is what was delivered to nobody.
 * 5. Nothing that happens in a frame that is not alive changes anything.
 */
export class ExecutionState {
  readonly graph: Graph;
  readonly identity: ExecutionIdentity;
  /** What is kept for showing it; null: only what later nodes can still reach. */
  readonly keep: ValueRetention | null;
  observer: StateObserver = {};
  /** Where to post to whichever node of it waits; null where nothing runs. */
  resumeUrl: (() => string) | null = null;
  /** Nodes that may start now, in order; whoever runs them takes them from here. */
  ready: NodeRun[] = [];
  readonly runs: NodeRuns;
  readonly root: Frame;
  input: Json = null;
  answer: HttpAnswer | null = null;
  startTime: number | null = null;
  settled: { status: SettledStatus; error: NodeError | null; output: Json; at: number } | null = null;
  private begun: BeginEvent | null = null;
  /** What templates see as `trigger`: what it delivered, and what kind it is. */
  triggerScope: Json = null;
  private readonly ended: Progress;
  /** Node runs that came to an end by themselves: what the bound on steps counts. */
  steps = 0;
  /** It was put down on purpose and nobody has worked on it since. */
  private isPutDown = false;
  private pending: Settlement[] = [];
  private at = 0;

  constructor(graph: Graph, identity: ExecutionIdentity, keep: ValueRetention | null) {
    this.graph = graph;
    this.identity = identity;
    this.keep = keep;
    this.ended = new Progress(graph);
    this.root = createFrame(graph.root, null, '');
    this.runs = new NodeRuns(graph, this.root);
  }

  /** Outputs of nodes that do not run, by path. */
  get given(): Readonly<Record<string, Outputs>> {
    return this.begun?.given ?? {};
  }

  /** Fraction of the graph's nodes that ended, 0 to 1. */
  get progress(): number {
    return this.settled?.status === 'completed' ? 1 : this.ended.share;
  }

  /** Applies one event and everything that follows from it. Events that no longer fit change nothing. */
  apply(event: JournalEvent): void {
    this.putInOrder(event);
    this.at = event.at;
    switch (event.e) {
      case 'begin':
        this.begin(event);
        break;
      case 'run':
        this.isPutDown = false;
        if (this.startTime === null) this.log('info', null, 'Execution started', {});
        this.startTime ??= event.at;
        break;
      case 'take':
        this.suspect(event.alone === true);
        this.interrupt();
        this.isPutDown = false;
        break;
      case 'release':
        for (const run of this.runs.all()) endIsolation(run);
        this.interrupt();
        this.isPutDown = true;
        break;
      case 'clear':
        for (const run of this.runs.all()) clearSuspicion(run);
        break;
      case 'stop':
        this.settle('stopped', null, null);
        break;
      case 'expire':
        this.settle(
          'failed',
          { type: 'timeout', message: 'The execution ran out of its time.', node_id: '', attempt: 0 },
          null,
        );
        break;
      case 'fault':
        this.settle('failed', { ...ownFault, node_id: '', attempt: 0 }, null);
        break;
      case 'done':
        break;
      default:
        this.applyToRun(event);
    }
    this.work();
  }

  /** Clocks of workers differ and may be set back: within one execution time never runs backwards. */
  putInOrder(event: JournalEvent): void {
    let earliest = this.at;
    if ('s' in event && event.s !== undefined) earliest = event.s = Math.max(earliest, event.s);
    if (event.at < earliest) event.at = earliest;
  }

  private applyToRun(
    event: Exclude<
      JournalEvent,
      { e: 'begin' | 'run' | 'take' | 'clear' | 'release' | 'stop' | 'expire' | 'fault' | 'done' }
    >,
  ): void {
    const run = this.runs.get(event.p);
    if (run === undefined || !run.frame.alive || this.settled !== null) return;
    if (event.e === 'log')
      return this.log(
        event.l,
        run.node.id,
        event.m,
        isObject(event.d ?? null) ? (event.d as JsonObject) : { data: event.d ?? null, path: run.path },
      );
    // A node that goes on after a wait is on the attempt that it was on: that start is told already.
    const isNew = event.n !== run.attempt;
    run.attempt = event.n;
    if (isNew && 's' in event && event.s !== undefined) this.noteStart(run, event.s);
    if (event.e !== 'start') run.suspicion = null;
    switch (event.e) {
      case 'start':
        if (transitionNodeRun(run, 'start') && isNew) this.noteStart(run, event.at);
        break;
      case 'wait':
        if (transitionNodeRun(run, 'wait'))
          run.wait = { since: event.at, due: event.due, retry: false, event: event.ev === true };
        break;
      case 'retry':
        if (!transitionNodeRun(run, 'wait')) break;
        run.wait = { since: event.at, due: event.due, retry: true, event: false };
        if (event.by !== undefined) countHandlerRetry(run, event.by);
        this.log('warning', run.node.id, `Attempt ${event.n} failed: ${event.err.message}`, {
          path: run.path,
          ...(event.by !== undefined && { retried_by: event.by }),
          error: toFailureLogData(event.err),
          next_attempt_at: new Date(event.due).toISOString(),
        });
        break;
      case 'fail':
        this.follow({ kind: 'failed', run, error: toNodeError(run, event.err, event.err.origin) });
        break;
      case 'end':
        this.end(run, event);
    }
  }

  private noteStart(run: NodeRun, at: number): void {
    run.startTime ??= at;
    if (this.observer.logged === undefined) return;
    this.log('info', run.node.id, 'Started', { path: run.path, attempt: run.attempt || 1 }, at);
  }

  private end(run: NodeRun, event: EndEvent): void {
    const outputs =
      event.same !== undefined
        ? outputOn(event.same, run.input)
        : ((event.o as { v: Outputs } | undefined)?.v ?? {});
    if (event.respond !== undefined && this.answer === null) this.answer = event.respond;
    this.follow({ kind: 'completed', run, outputs });
    if (event.stop === undefined) return;
    this.work(true);
    if (event.stop.status === 'completed') this.settle('completed', null, event.stop.output);
    else
      this.settle(
        'failed',
        { type: 'stopped', message: event.stop.message, node_id: run.node.id, attempt: run.attempt },
        null,
      );
  }

  private begin(event: BeginEvent): void {
    this.begun = event;
    this.input = (event.input as { v: Json }).v;
    const { trigger } = this.identity;
    this.triggerScope = {
      ...(isObject(this.input) ? this.input : {}),
      input: this.input,
      type: trigger.type,
      node_id: event.entry,
    };
    for (const { kind, run } of beginning(this.graph, this.root.runs, event)) {
      if (kind === 'entry') {
        run.input = this.input;
        this.noteStart(run, event.at);
        const outputs = event.given?.[run.path] ?? outputOn(firstOutput(run.node), this.input);
        this.follow({ kind: 'completed', run, outputs });
      } else if (kind === 'ready') this.enter(run, '', this.input);
      else this.follow({ kind, run });
    }
    if (this.root.runs.length === 0) this.settle('completed', null, null);
  }

  /** It begins with this, for nothing in its frame leads to it. */
  private enter(run: NodeRun, from: string, value: Json): void {
    deliver(run, { from, port: run.node.type.inputs[0]?.name ?? '', value, place: 0 });
    this.follow({ kind: 'ready', run });
  }

  /** Node runs that a crash may be due to: those that were at work, and those that were about to begin. */
  suspects(): NodeRun[] {
    if (this.isPutDown || this.settled !== null) return [];
    const runs = new Set(this.ready.filter((run) => run.status === 'pending' && run.frame.alive));
    for (const run of this.runs.all())
      if (run.status === 'running' && run.body === null && run.frame.alive) runs.add(run);
    return [...runs];
  }

  private suspect(isAlone: boolean): void {
    for (const run of this.suspects()) run.suspicion = suspicionAfterCrash(run.suspicion, isAlone);
  }

  /** What was at work when its worker went away may start again. */
  private interrupt(): void {
    for (const run of this.runs.all()) {
      if (run.body !== null || !run.frame.alive || !transitionNodeRun(run, 'interrupt')) continue;
      run.cutOff++;
      this.log('warning', run.node.id, 'Interrupted: the process ended while the node ran', {
        path: run.path,
      });
      this.ready.push(run);
    }
  }

  private follow(settlement: Settlement): void {
    // Mostly there is one: pushing to an empty list would make room for 17.
    if (this.pending.length === 0) this.pending = [settlement];
    else this.pending.push(settlement);
  }

  /** Takes one consequence after the other, so that a chain of any length needs no deep stack. */
  private work(onlySettle = false): void {
    for (let i = 0; i < this.pending.length; i++) {
      const settlement = this.pending[i]!;
      if (this.settled !== null) break;
      if (!settlement.run.frame.alive) continue;
      if (settlement.kind === 'ready') this.makeReady(settlement.run);
      else if (settlement.kind === 'body') this.step(settlement.run, settlement.step);
      else this.settleRun(settlement, onlySettle);
    }
    // Anew: to set the length of a list to 0 takes V8 longer than to make one.
    if (this.pending.length > 0) this.pending = [];
  }

  private settleRun(
    settlement: Extract<Settlement, { kind: 'completed' | 'failed' | 'skipped' }>,
    last: boolean,
  ): void {
    const { run } = settlement;
    const transition =
      settlement.kind === 'completed' ? 'complete' : settlement.kind === 'failed' ? 'fail' : 'skip';
    if (!transitionNodeRun(run, transition)) return;
    run.wait = null;
    if (settlement.kind !== 'skipped') run.endTime = this.at;
    if (settlement.kind !== 'skipped') this.steps++;
    this.ended.add(run.node);
    if (settlement.kind === 'failed') {
      run.error = settlement.error;
      this.log('error', run.node.id, `Failed: ${settlement.error.message}`, {
        path: run.path,
        error: settlement.error as unknown as JsonObject,
      });
      if (!run.node.out.some((edge) => edge.port === errorPort))
        return this.failFrame(run.frame, settlement.error);
      run.outputs = { [errorPort]: settlement.error as unknown as JsonObject };
    } else if (settlement.kind === 'completed') {
      run.outputs = settlement.outputs;
      if (this.observer.logged !== undefined)
        this.log('info', run.node.id, 'Completed', {
          path: run.path,
          duration: this.at - (run.startTime ?? this.at),
        });
    }
    if (!last) this.propagate(run);
  }

  private propagate(run: NodeRun): void {
    const { frame, outputs } = run;
    let delivered = 0;
    for (const edge of run.node.out) {
      const target = frame.runs[edge.to.place]!;
      const value = outputs === null ? undefined : carried(edge, outputs);
      if (value !== undefined && target.status === 'pending') {
        delivered++;
        deliver(target, { from: run.node.id, port: edge.toPort, value, place: edge.place });
      }
      target.unresolved--;
      if (target.unresolved === 0 && target.status === 'pending')
        this.follow({ kind: target.deliveries.length > 0 ? 'ready' : 'skipped', run: target });
    }
    if (outputs !== null && delivered === 0 && Object.keys(outputs).length > 0)
      frame.ends.push({ id: run.node.id, value: asValue(outputs) });
    if (this.keep === null) forget(run);
    else if (!this.keep.takes(run)) letGo(run);
    frame.open--;
    if (frame.open === 0) this.endFrame(frame);
  }

  private endFrame(frame: Frame): void {
    const output = frameOutput(frame);
    const fault = frame.ends.length > 1 ? checkSize('What its end nodes gave together', output) : null;
    if (frame.parent === null)
      return fault === null
        ? this.settle('completed', null, output)
        : this.settle('failed', { ...fault, node_id: '', attempt: 0 }, null);
    this.leave(frame);
    const owner = frame.parent;
    if (owner.body !== null)
      this.follow({
        kind: 'body',
        run: owner,
        step: owner.body.control.settled(
          frame.key,
          fault === null ? { status: 'completed', output } : { status: 'failed', error: fault },
        ),
      });
  }

  private failFrame(frame: Frame, error: NodeError): void {
    if (frame.parent === null) return this.settle('failed', error, null);
    this.stopFrame(frame);
    this.leave(frame);
    const owner = frame.parent;
    if (owner.body !== null)
      this.follow({
        kind: 'body',
        run: owner,
        step: owner.body.control.settled(frame.key, { status: 'failed', error: toNodeFailure(error) }),
      });
  }

  private leave(frame: Frame): void {
    frame.alive = false;
    if (this.keep !== null) return;
    frame.parent?.body?.frames.delete(frame.key);
    this.runs.delete(frame);
  }

  /** Stops everything at work in a frame and in the bodies inside it. */
  private stopFrame(frame: Frame): void {
    const frames = [frame];
    for (const each of frames) {
      each.alive = false;
      for (const run of each.runs) {
        const { body } = run;
        if (body !== null) frames.push(...body.frames.values());
        if (!transitionNodeRun(run, 'stop')) continue;
        this.observer.stopped?.(run);
        run.wait = null;
        run.endTime = this.at;
        this.log('info', run.node.id, 'Stopped', { path: run.path });
      }
    }
  }

  private settle(status: SettledStatus, error: NodeError | null, output: Json): void {
    if (this.settled !== null) return;
    this.stopFrame(this.root);
    this.settled = { status, error, output, at: this.at };
    if (this.ready.length > 0) this.ready = [];
    if (status === 'failed') this.log('error', null, `Execution failed: ${error?.message ?? ''}`, {});
    else this.log('info', null, `Execution ${status}`, {});
  }

  private makeReady(run: NodeRun): void {
    if (run.deliveries.length > 1) run.deliveries.sort((a, b) => a.place - b.place);
    const edited = this.begun?.inputOf;
    run.input = edited !== undefined && edited.nodeId === run.node.id ? edited.input : arrived(run);
    const given = this.begun?.given?.[run.path] ?? this.begun?.given?.[run.node.id];
    const fault = run.deliveries.length > 1 ? checkSize('What arrives', run.input) : null;
    if (fault !== null) {
      run.input = null;
      this.follow({ kind: 'failed', run, error: toNodeError(run, fault) });
    } else if (given !== undefined) {
      this.log('info', run.node.id, 'Output given, not run', { path: run.path });
      this.follow({ kind: 'completed', run, outputs: given });
    } else if (run.node.entry.disabled === true) {
      this.log('info', run.node.id, 'Disabled, passed through', { path: run.path });
      this.follow({ kind: 'completed', run, outputs: outputOn(firstOutput(run.node), run.input) });
    } else if (run.node.regions !== null) this.startBody(run);
    else this.ready.push(run);
  }

  /** A body's control is decided from the state alone, so it needs no events of its own. */
  private startBody(run: NodeRun): void {
    run.attempt = 1;
    transitionNodeRun(run, 'start');
    this.noteStart(run, this.at);
    try {
      const config = run.node.compiled.evaluate(createNodeRunScope(this, run, this.at, null)) as never;
      const control = run.node.type.control!(config, run.input);
      run.body = { control, frames: new Map() };
      this.observer.bodyStarted?.(run, this.at);
      this.follow({ kind: 'body', run, step: control.begin() });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.follow({ kind: 'failed', run, error: toNodeError(run, { type: 'template', message }) });
    }
  }

  private step(run: NodeRun, step: BodyStep): void {
    const { body } = run;
    if (body === null || run.status !== 'running') return;
    for (const key of step.stop ?? []) {
      const frame = body.frames.get(key);
      if (frame === undefined || !frame.alive) continue;
      this.stopFrame(frame);
      this.leave(frame);
    }
    for (const start of step.start ?? []) this.startFrame(run, body.frames, start);
    const { outcome } = step;
    if (outcome === undefined || outcome.kind === 'wait') return;
    for (const frame of body.frames.values()) if (frame.alive) this.stopFrame(frame);
    const failure = outcome.kind === 'done' ? checkSize("The node's output", outcome.outputs) : outcome.error;
    if (outcome.kind === 'done' && failure === null)
      this.follow({ kind: 'completed', run, outputs: outcome.outputs });
    else if (failure !== null)
      this.follow({ kind: 'failed', run, error: toNodeError(run, failure, failure.origin) });
  }

  private startFrame(
    owner: NodeRun,
    frames: Map<string, Frame>,
    start: NonNullable<BodyStep['start']>[number],
  ): void {
    const region = owner.node.regions!.get(start.region);
    if (region === undefined) return;
    const frame = createFrame(region, owner, start.key, start);
    frames.set(start.key, frame);
    this.runs.add(frame);
    for (const run of frame.runs) {
      if (run.unresolved > 0) continue;
      this.enter(run, owner.node.id, start.input);
    }
    if (frame.open > 0) return;
    this.leave(frame);
    this.follow({
      kind: 'body',
      run: owner,
      step: owner.body!.control.settled(start.key, { status: 'completed', output: start.input }),
    });
  }

  private log(level: LogLevel, nodeId: string | null, message: string, data: JsonObject, at = this.at): void {
    this.observer.logged?.(at, level, nodeId, message, data);
  }
}
