import { getOwn, isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { addAmounts, addCallSums, NO_CALLS } from '../../contract/ai/usage.ts';
import { countHandlerRetry } from './retry-decision.ts';
import { ExecutionData } from './execution-data.ts';
import { createOutput, type NodeRun } from './frame.ts';
import { getFirstOutput } from '../graph/graph.ts';
import { listInitialNodes } from './initial-nodes.ts';
import {
  readUsageEntry,
  type BeginEvent,
  type EndEvent,
  type JournalEvent,
  type NodeEvent,
  type Outputs,
  type UsageEntry,
} from '../journal/journal.ts';
import { toFailureLogData, toNodeError } from './node-error.ts';
import { Propagation } from './propagation.ts';
import { restoreData, saveData, type SavedData } from './saved-state.ts';
import { clearSuspicion, endIsolation, addCrash } from './suspicion.ts';
import { transitionNodeRun } from '../../contract/transitions.ts';

/** The error of an execution that an unexpected error in Weft ended. */
const INTERNAL_ERROR = {
  type: 'internal',
  message: 'Internal error. See the server log for details.',
} as const;

export type SavedState = SavedData & { isReleased: boolean };

/** What a snapshot contains. `orphanedPaths`: paths of all node runs that were stopped so far. */
export type SavedExecution = { state: SavedState; orphanedPaths: readonly string[] };

/**
 * The state of one execution: a pure function of its graph and its events. A worker applies each event as it
 * creates it; recovery and the APIs apply events as they read them. The same rules hold for all.
 *
 * The rules:
 * 1. A node starts when each of its incoming edges has delivered or died, and one has delivered.
 * 2. An edge dies when its source was skipped or ended on another port. A node whose edges all died is
 *    skipped.
 * 3. A failure leaves by the `error` port where that is connected. Otherwise it fails the frame, and with it
 *    the frame's owner or, at the root, the execution.
 * 4. A frame ends when all of its nodes are settled. Its output consists of the outputs that no edge
 *    delivered.
 * 5. Events in a frame that is not alive change nothing.
 */
export class ExecutionState extends ExecutionData {
  private readonly propagation = new Propagation(this);
  /** A worker released it on purpose, and no worker has run it since. */
  private isReleased = false;

  /** Applies one event and everything that follows from it. Events that no longer fit change nothing. */
  apply(event: JournalEvent): void {
    this.keepInOrder(event);
    this.at = event.at;
    if ('u' in event && event.u !== undefined) this.addUsage(event.p, event.u);
    switch (event.e) {
      case 'begin':
        this.begin(event);
        break;
      case 'run':
        this.isReleased = false;
        if (this.startTime === null) this.log('info', null, 'Execution started', {});
        this.startTime ??= event.at;
        break;
      case 'take':
        for (const run of this.suspects()) run.suspicion = addCrash(run.suspicion, event.alone === true);
        this.interrupt();
        this.isReleased = false;
        break;
      case 'release':
        for (const run of this.runs.all()) endIsolation(run);
        this.interrupt();
        this.isReleased = true;
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
          { type: 'timeout', message: 'The execution exceeded its timeout.', node_id: '', attempt: 0 },
          null,
        );
        break;
      case 'fault':
        this.settle('failed', { ...INTERNAL_ERROR, node_id: '', attempt: 0 }, null);
        break;
      case 'done':
        break;
      default:
        this.applyToRun(event);
    }
    this.propagation.run();
  }

  /** Clocks of workers differ and may be set back. Within one execution, time never decreases. */
  keepInOrder(event: JournalEvent): void {
    let earliest = this.at;
    if ('s' in event && event.s !== undefined) earliest = event.s = Math.max(earliest, event.s);
    if (event.at < earliest) event.at = earliest;
  }

  private applyToRun(event: NodeEvent): void {
    const run = this.runs.get(event.p);
    if (run === undefined || !run.frame.alive || this.settled !== null) return;
    if (event.e === 'log')
      return this.log(
        event.l,
        run.node.id,
        event.m,
        isObject(event.d ?? null) ? (event.d as JsonObject) : { data: event.d ?? null, path: run.path },
      );
    // A node that resumes after a wait is still in the same attempt, whose start is recorded already.
    const isNew = event.n !== run.attempt;
    run.attempt = event.n;
    if (isNew && 's' in event && event.s !== undefined) this.recordStart(run, event.s);
    if (event.e !== 'start') run.suspicion = null;
    if (event.e === 'start' || event.e === 'fail' || event.e === 'retry')
      this.observer.attempted?.(run, event.e);
    switch (event.e) {
      case 'start':
        if (transitionNodeRun(run, 'start') && isNew) this.recordStart(run, event.at);
        break;
      case 'wait':
        if (!transitionNodeRun(run, 'wait')) break;
        run.wait = { since: event.at, due: event.due, retry: false, event: event.ev === true };
        if (event.ev === true) this.observer.eventAwaited?.(run);
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
        this.propagation.enqueue({
          kind: 'failed',
          run,
          error: toNodeError(run, event.err, event.err.origin),
        });
        break;
      case 'load':
        this.propagation.beginBody(run, (event.o as { v: Json }).v);
        break;
      case 'end':
        this.end(run, event);
    }
  }

  private addUsage(path: string, entries: readonly UsageEntry[]): void {
    for (const entry of entries) {
      const known = this.usage.get(entry.m);
      const sum = readUsageEntry(entry);
      this.usage.set(entry.m, known === undefined ? sum : addCallSums(known, sum));
      let frame = this.runs.get(path)?.frame;
      for (; frame !== undefined && frame.parent !== null; frame = frame.parent.frame)
        frame.used = addAmounts(frame.used ?? NO_CALLS, sum);
    }
  }

  private end(run: NodeRun, event: EndEvent): void {
    const outputs =
      event.same !== undefined
        ? createOutput(event.same, run.input)
        : ((event.o as { v: Outputs } | undefined)?.v ?? {});
    if (event.respond !== undefined && this.response === null) this.response = event.respond;
    this.propagation.enqueue({ kind: 'completed', run, outputs });
    if (event.stop === undefined) return;
    this.propagation.run(true);
    if (event.stop.status === 'completed') this.settle('completed', null, event.stop.output, run.path);
    else
      this.settle(
        'failed',
        { type: 'stopped', message: event.stop.message, node_id: run.node.id, attempt: run.attempt },
        null,
        run.path,
      );
  }

  private begin(event: BeginEvent): void {
    const { propagation } = this;
    this.setBeginEvent(event);
    for (const { kind, run } of listInitialNodes(this.graph, this.root.runs, event)) {
      if (kind === 'entry') {
        run.input = this.input;
        this.recordStart(run, event.at);
        const outputs = getOwn(event.given, run.path) ?? createOutput(getFirstOutput(run.node), this.input);
        propagation.enqueue({ kind: 'completed', run, outputs });
      } else if (kind === 'ready') propagation.enter(run, '', this.input);
      else propagation.enqueue({ kind, run });
    }
    if (this.root.runs.length === 0) this.settle('completed', null, null);
  }

  private setBeginEvent(event: BeginEvent): void {
    this.beginEvent = event;
    this.input = (event.input as Extract<BeginEvent['input'], { v: unknown }>).v;
    const { trigger } = this.identity;
    this.triggerScope = {
      ...(isObject(this.input) ? this.input : {}),
      input: this.input,
      type: trigger.type,
      node_id: event.entry,
    };
  }

  /** The state as data that a structured clone can copy. It is not changed by later events only if copied. */
  save(): SavedState {
    return { ...saveData(this), isReleased: this.isReleased };
  }

  /**
   * Continues a new state from a saved one, as if all earlier events had been applied.
   * @throws {Error} when it does not fit the graph.
   */
  restore(saved: SavedState): void {
    if (saved.beginEvent !== null) this.setBeginEvent(saved.beginEvent);
    this.isReleased = saved.isReleased;
    restoreData(this, saved);
  }

  /** Node runs that may have caused a crash: those that were running, and those that were about to start. */
  suspects(): NodeRun[] {
    if (this.isReleased || this.settled !== null) return [];
    const runs = new Set(this.ready.filter((run) => run.status === 'pending' && run.frame.alive));
    for (const run of this.runs.all())
      if (run.status === 'running' && run.body === null && run.frame.alive) runs.add(run);
    return [...runs];
  }

  /** Node runs that were running when their worker left may start again. */
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
}
