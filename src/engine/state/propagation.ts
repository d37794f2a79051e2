import { getOwn, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { NodeError } from '../../contract/execution.ts';
import type { BodyResult, BodyStep } from '../../contract/node-type.ts';
import type { ExecutionData } from './execution-data.ts';
import { createNodeRunScope } from './expression-scope.ts';
import {
  buildInput,
  toSingleValue,
  createBody,
  createFrame,
  deliver,
  dropData,
  buildFrameOutput,
  dropValues,
  createOutput,
  type Frame,
  type NodeRun,
} from './frame.ts';
import { readEdgeValue, errorPort, getFirstOutput } from '../graph/graph.ts';
import type { Outputs } from '../journal/journal.ts';
import { toNodeError, toNodeFailure } from './node-error.ts';
import { findSingleIteration } from './single-iteration.ts';
import { checkSize } from './size-check.ts';
import { transitionNodeRun } from '../../contract/transitions.ts';

/** A change of a node run. It may in turn change the runs that follow. */
export type Consequence =
  | { kind: 'completed'; run: NodeRun; outputs: Outputs }
  | { kind: 'failed'; run: NodeRun; error: NodeError }
  | { kind: 'skipped'; run: NodeRun }
  | { kind: 'body'; run: NodeRun; step: BodyStep }
  | { kind: 'ready'; run: NodeRun };

/** The second half of the reducer: applies the consequences of an event until none remain. */
export class Propagation {
  private readonly data: ExecutionData;
  private pending: Consequence[] = [];

  constructor(data: ExecutionData) {
    this.data = data;
  }

  enqueue(consequence: Consequence): void {
    // Usually there is one: pushing to an empty array would allocate space for 17.
    if (this.pending.length === 0) this.pending = [consequence];
    else this.pending.push(consequence);
  }

  /**
   * Applies the pending consequences one after the other, so that a chain of any length needs no deep stack.
   * With `onlySettle`, node runs end but deliver nothing.
   */
  run(onlySettle = false): void {
    for (let i = 0; i < this.pending.length; i++) {
      const consequence = this.pending[i]!;
      if (this.data.settled !== null) break;
      if (!consequence.run.frame.alive) continue;
      if (consequence.kind === 'ready') this.makeReady(consequence.run);
      else if (consequence.kind === 'body') this.applyBodyStep(consequence.run, consequence.step);
      else this.settleRun(consequence, onlySettle);
    }
    // A new array: V8 creates one faster than it truncates one.
    if (this.pending.length > 0) this.pending = [];
  }

  /** Makes a node run ready that has no incoming edge in its frame. */
  enter(run: NodeRun, from: string, value: NodeRun['input']): void {
    deliver(run, { from, port: run.node.type.inputs[0]?.name ?? '', value, inputIndex: 0 });
    this.enqueue({ kind: 'ready', run });
  }

  private settleRun(
    consequence: Extract<Consequence, { kind: 'completed' | 'failed' | 'skipped' }>,
    onlySettle: boolean,
  ): void {
    const { data } = this;
    const { run } = consequence;
    const transition =
      consequence.kind === 'completed' ? 'complete' : consequence.kind === 'failed' ? 'fail' : 'skip';
    if (!transitionNodeRun(run, transition)) return;
    run.wait = null;
    if (consequence.kind !== 'skipped') run.endTime = data.at;
    if (consequence.kind !== 'skipped') data.steps++;
    data.endedNodes.add(run.node);
    if (consequence.kind === 'failed') {
      run.error = consequence.error;
      // A node that timed out fails while its body runs.
      this.stopBody(run);
      data.log('error', run.node.id, `Failed: ${consequence.error.message}`, {
        path: run.path,
        error: consequence.error as unknown as JsonObject,
      });
      if (!run.node.out.some((edge) => edge.port === errorPort))
        return this.failFrame(run.frame, consequence.error);
      run.outputs = { [errorPort]: consequence.error as unknown as JsonObject };
    } else if (consequence.kind === 'completed') {
      run.outputs = consequence.outputs;
      if (data.observer.logged !== undefined)
        data.log('info', run.node.id, 'Completed', {
          path: run.path,
          duration: data.at - (run.startTime ?? data.at),
        });
      else data.logCount++;
      // A run whose output was given did not start.
      if (data.observer.reported !== undefined && run.startTime !== null)
        for (const event of run.node.type.streamEvents?.(run.outputs) ?? [])
          data.observer.reported(run, event);
    }
    if (!onlySettle) this.propagate(run);
  }

  /** Delivers the outputs of a settled run along its edges; edges without a value die. */
  private propagate(run: NodeRun): void {
    const { retention } = this.data;
    const { frame, outputs } = run;
    let delivered = 0;
    for (const edge of run.node.out) {
      const target = frame.runs[edge.to.index]!;
      const value = outputs === null ? undefined : readEdgeValue(edge, outputs);
      if (value !== undefined && target.status === 'pending') {
        delivered++;
        deliver(target, { from: run.node.id, port: edge.toPort, value, inputIndex: edge.inputIndex });
      }
      target.unresolved--;
      if (target.unresolved === 0 && target.status === 'pending')
        this.enqueue({ kind: target.deliveries.length > 0 ? 'ready' : 'skipped', run: target });
    }
    if (outputs !== null && delivered === 0 && Object.keys(outputs).length > 0)
      frame.ends.push({ id: run.node.id, value: toSingleValue(outputs) });
    if (retention?.shows(frame) !== true) dropData(run);
    else if (!retention.retains(run)) dropValues(run);
    frame.open--;
    if (frame.open === 0) this.endFrame(frame);
  }

  private endFrame(frame: Frame): void {
    const output = buildFrameOutput(frame);
    const failure = frame.ends.length > 1 ? checkSize('The combined output of the end nodes', output) : null;
    if (frame.parent === null) {
      if (failure === null) return this.data.settle('completed', null, output);
      return this.data.settle('failed', { ...failure, node_id: '', attempt: 0 }, null);
    }
    this.data.closeFrame(frame);
    this.notifyBody(
      frame.parent,
      frame,
      failure === null ? { status: 'completed', output } : { status: 'failed', error: failure },
    );
  }

  private failFrame(frame: Frame, error: NodeError): void {
    if (frame.parent === null) return this.data.settle('failed', error, null);
    this.data.stopFrame(frame);
    this.data.closeFrame(frame);
    this.notifyBody(frame.parent, frame, { status: 'failed', error: toNodeFailure(error) });
  }

  private notifyBody(owner: NodeRun, { key, used }: Frame, result: BodyResult): void {
    if (owner.body === null) return;
    const step = owner.body.control.settled(key, result, this.data.at, used);
    this.enqueue({ kind: 'body', run: owner, step });
  }

  private makeReady(run: NodeRun): void {
    const { data } = this;
    if (run.deliveries.length > 1) run.deliveries.sort((a, b) => a.inputIndex - b.inputIndex);
    const { inputOf: edited, given: outputs, failures, loaded } = data.beginEvent ?? {};
    const isEdited = edited !== undefined && (edited.nodeId === run.node.id || edited.nodeId === run.path);
    run.input = isEdited ? edited.input : buildInput(run);
    const given = getOwn(outputs, run.path) ?? getOwn(outputs, run.node.id);
    const kept = getOwn(failures, run.path);
    const begun = getOwn(loaded, run.path);
    const failure = run.deliveries.length > 1 ? checkSize('The combined input', run.input) : null;
    if (failure !== null) {
      run.input = null;
      this.enqueue({ kind: 'failed', run, error: toNodeError(run, failure) });
    } else if (given !== undefined) {
      data.log('info', run.node.id, 'Output given, not run', { path: run.path });
      this.enqueue({ kind: 'completed', run, outputs: given });
    } else if (kept !== undefined) {
      data.log('info', run.node.id, 'Failure kept, not run', { path: run.path });
      this.enqueue({ kind: 'failed', run, error: kept });
    } else if (run.node.entry.disabled === true) {
      data.log('info', run.node.id, 'Disabled, passed through', { path: run.path });
      this.enqueue({ kind: 'completed', run, outputs: createOutput(getFirstOutput(run.node), run.input) });
    } else if (run.node.regions !== null && (begun !== undefined || !this.mustLoad(run)))
      this.startBody(run, begun ?? null);
    else data.ready.push(run);
  }

  /** An iteration that is given needs nothing that the node loads. */
  private mustLoad(run: NodeRun): boolean {
    return run.node.type.loads?.(run.node.config) === true && findSingleIteration(this.data, run) === null;
  }

  /** The node has loaded the value with which its body begins. */
  beginBody(run: NodeRun, loaded: Json): void {
    if (run.body !== null || run.node.regions === null) return;
    // The wait for the next attempt to load is over. A worker that resumes would take it for a time-out.
    run.wait = null;
    this.startBody(run, loaded);
  }

  /** A body's control decides from the state alone, so it needs no events of its own. */
  private startBody(run: NodeRun, loaded: Json | null): void {
    const { data } = this;
    transitionNodeRun(run, 'start');
    if (run.attempt === 0) {
      run.attempt = 1;
      data.recordStart(run, data.at);
    }
    try {
      const single = findSingleIteration(data, run);
      const config =
        single === null ? run.node.compiled.evaluate(createNodeRunScope(data, run, data.at, null)) : null;
      run.body = createBody(run, config, loaded, single?.control ?? null);
      data.observer.bodyStarted?.(run, data.at);
      this.enqueue({ kind: 'body', run, step: run.body.control.begin(data.at) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.enqueue({ kind: 'failed', run, error: toNodeError(run, { type: 'template', message }) });
    }
  }

  private applyBodyStep(run: NodeRun, step: BodyStep): void {
    const { data } = this;
    const { body } = run;
    if (body === null || run.status !== 'running') return;
    if (step.events !== undefined) for (const event of step.events) data.observer.reported?.(run, event);
    for (const key of step.stop ?? []) {
      const frame = body.frames.get(key);
      if (frame === undefined || !frame.alive) continue;
      data.stopFrame(frame);
      data.closeFrame(frame);
    }
    for (const start of step.start ?? []) this.startFrame(run, body.frames, start);
    const { outcome } = step;
    if (outcome === undefined || outcome.kind === 'wait' || outcome.kind === 'begin') return;
    this.stopBody(run);
    const failure = outcome.kind === 'done' ? checkSize("The node's output", outcome.outputs) : outcome.error;
    if (outcome.kind === 'done' && failure === null) {
      if (outcome.turn !== undefined) data.observer.turnEnded?.(run, outcome.turn);
      this.enqueue({ kind: 'completed', run, outputs: outcome.outputs });
    } else if (failure !== null)
      this.enqueue({ kind: 'failed', run, error: toNodeError(run, failure, failure.origin) });
  }

  private stopBody({ body }: NodeRun): void {
    if (body === null) return;
    for (const frame of body.frames.values()) if (frame.alive) this.data.stopFrame(frame);
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
    this.data.runs.add(frame);
    const single = findSingleIteration(this.data, owner);
    if (single !== null)
      for (const run of frame.runs) if (single.skips(run.node)) this.enqueue({ kind: 'skipped', run });
    for (const run of frame.runs) {
      if (run.unresolved > 0 || single?.skips(run.node) === true) continue;
      this.enter(run, owner.node.id, start.input);
    }
    if (frame.open > 0) return;
    this.data.closeFrame(frame);
    this.notifyBody(owner, frame, { status: 'completed', output: start.input });
  }
}
