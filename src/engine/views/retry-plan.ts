import type { Json } from '../../lib/json/json.ts';
import { createConflictError, createValidationError, type WeftError } from '../../contract/errors.ts';
import type { NodeError } from '../../contract/execution.ts';
import { limits } from '../../ports/limits.ts';
import type { ExecutionView, NodeRunView, RetryPlan } from '../engine-api.ts';
import { errorPort, findRootNode, listDescendants, type Graph, type GraphNode } from '../graph/graph.ts';
import type { Outputs } from '../journal/journal.ts';

/**
 * `node`: undefined when the version of the retry does not have it there. `bodies`: in the order of their
 * start.
 */
type Run = {
  readonly view: NodeRunView;
  readonly node: GraphNode | undefined;
  readonly within: BodyRun | null;
  readonly bodies: BodyRun[];
};

/** One run of a region of a body, such as an iteration. */
type BodyRun = { readonly path: string; readonly key: string; readonly owner: Run; readonly members: Run[] };

/**
 * Decides what a retry of an ended execution keeps. `graph` is the graph of the version that it runs; for
 * `from` and the errors see `Engine.planRetry`.
 */
export function planRetry(graph: Graph, version: number, view: ExecutionView, from: string): RetryPlan {
  const plan = new RetryPlanner(graph, version, view);
  const again = from === 'failed' ? plan.startFromFailures() : [plan.startFrom(from)];
  return { ...plan.select(), again };
}

class RetryPlanner {
  private readonly graph: Graph;
  private readonly version: number;
  private readonly view: ExecutionView;
  private readonly runs = new Map<string, Run>();
  private readonly bodyRuns = new Map<string, BodyRun>();
  private readonly roots: Run[] = [];
  /** They run again, with everything in their bodies. */
  private readonly again = new Set<Run>();
  private readonly droppedBodies = new Set<BodyRun>();
  /** Their owners run again, but parts of their bodies are kept. */
  private readonly left = new Set<BodyRun>();
  private readonly reopened = new Set<Run>();

  constructor(graph: Graph, version: number, view: ExecutionView) {
    this.graph = graph;
    this.version = version;
    this.view = view;
    for (const each of view.nodes) this.addRun(each);
  }

  /** Starts from what `from` names. Returns the path of the node run, or of the run of a body. */
  startFrom(from: string): string {
    const node = this.graph.nodes.get(from);
    if (node !== undefined) {
      const root = findRootNode(node);
      this.runAgain(this.roots, root, true);
      return root === node ? node.id : from;
    }
    const body = this.bodyRuns.get(from);
    const run = this.runs.get(from);
    if (body !== undefined) this.startFromBody(body);
    else if (run === undefined) throw this.unknown(from);
    else if (run.node === undefined)
      throw invalid(`is not a node of version ${this.version} at this place: "${run.view.nodeId}"`);
    else this.startFromRun(run);
    return from;
  }

  /** Starts from the failures that ended a body or the execution. */
  startFromFailures(): string[] {
    const again: string[] = [];
    for (const run of this.runs.values()) {
      if (run.view.status !== 'failed' || isHandled(run) || this.isOver(run.within)) continue;
      const last = run.bodies.at(-1);
      if (run.node === undefined)
        throw invalid(`is not a node of version ${this.version}: "${run.view.nodeId}"`);
      if (last === undefined) {
        this.startFromRun(run);
        again.push(run.view.path);
      } else if (!run.bodies.some(isUnfinished)) {
        // Nothing in the body failed: the last run of the body led to the failure.
        this.startFromBody(last);
        again.push(last.path);
      }
    }
    return again;
  }

  /** The results that the retry keeps, by path. */
  select(): Omit<RetryPlan, 'again'> {
    const given = new Map<string, Outputs>();
    const failures = new Map<string, NodeError>();
    const loaded = new Map<string, Json>();
    const open = new Set<BodyRun>();
    for (const run of this.runs.values()) {
      if (run.node === undefined || this.again.has(run)) continue;
      if (run.within !== null && !open.has(run.within)) continue;
      const { path, status, error } = run.view;
      const isReopened = this.reopened.has(run);
      if (!isReopened && Object.hasOwn(this.view.completed, path))
        given.set(path, this.view.completed[path]!);
      else if (!isReopened && status === 'failed' && error !== null && isUsedLater(run.within))
        failures.set(path, error);
      else if (run.node.regions !== null && run.bodies.length > 0) {
        if (Object.hasOwn(this.view.loaded, path)) loaded.set(path, this.view.loaded[path]!);
        for (const body of run.bodies) if (!this.droppedBodies.has(body)) open.add(body);
      }
      if (given.size + failures.size > limits.keptNodeRuns)
        throw createConflictError(
          `A retry keeps at most ${limits.keptNodeRuns} node runs, and more completed. Name a node in from that is not in a body, or "start".`,
          { field: 'from' },
        );
    }
    return {
      given: Object.fromEntries(given),
      failures: Object.fromEntries(failures),
      loaded: Object.fromEntries(loaded),
    };
  }

  /** Runs of the root come first, and each run comes before those of its body. */
  private addRun(view: NodeRunView): void {
    const found = this.graph.nodes.get(view.nodeId);
    const within = view.path === view.nodeId ? null : this.findBodyRun(view);
    const node = found?.region.owner === (within === null ? null : within.owner.node) ? found : undefined;
    const run: Run = { view, node, within, bodies: [] };
    this.runs.set(view.path, run);
    (within?.members ?? this.roots).push(run);
  }

  private findBodyRun({ path, nodeId }: NodeRunView): BodyRun {
    const bodyPath = path.slice(0, -nodeId.length - 1);
    const known = this.bodyRuns.get(bodyPath);
    if (known !== undefined) return known;
    // A key may contain brackets, so the owner is the longest path that is a node run.
    let at = bodyPath.lastIndexOf('[');
    while (at > 0 && !this.runs.has(bodyPath.slice(0, at))) at = bodyPath.lastIndexOf('[', at - 1);
    const owner = this.runs.get(bodyPath.slice(0, at));
    if (owner === undefined) throw new Error(`The node run ${path} has no owner.`);
    const body: BodyRun = { path: bodyPath, key: bodyPath.slice(at + 1, -1), owner, members: [] };
    owner.bodies.push(body);
    this.bodyRuns.set(bodyPath, body);
    return body;
  }

  private startFromRun(run: Run): void {
    this.runAgain(run.within?.members ?? this.roots, run.node!, true);
    if (run.within !== null) this.leave(run.within);
  }

  private startFromBody(body: BodyRun): void {
    this.droppedBodies.add(body);
    this.leave(body);
  }

  /** Runs again what depends on the result of this run of a body. */
  private leave(body: BodyRun): void {
    if (this.left.has(body)) return;
    this.left.add(body);
    const { owner } = body;
    this.reopened.add(owner);
    const dependsOn = readDependence(owner);
    if (dependsOn !== null)
      for (const other of owner.bodies)
        if (other !== body && dependsOn(other.key, body.key)) this.droppedBodies.add(other);
    if (owner.node !== undefined) this.runAgain(owner.within?.members ?? this.roots, owner.node, false);
    if (owner.within !== null) this.leave(owner.within);
  }

  private runAgain(siblings: readonly Run[], node: GraphNode, isIncluded: boolean): void {
    const after = listDescendants(node);
    for (const run of siblings)
      if (run.node !== undefined && after.has(run.node) && (isIncluded || run.node !== node))
        this.again.add(run);
  }

  /** Whether an owner of this run of a body started later runs that use it, or completed. */
  private isOver(body: BodyRun | null): boolean {
    for (let at = body; at !== null; at = at.owner.within)
      if (isUsedLater(at) || at.owner.view.status === 'completed') return true;
    return false;
  }

  private unknown(from: string): WeftError {
    const at = from.lastIndexOf('[');
    if (at < 0) return invalid(`is not a node of version ${this.version}: "${from}"`);
    const end = from.indexOf(']', at);
    const path = end < 0 ? from : from.slice(0, end + 1);
    const body = this.bodyRuns.get(path);
    if (body !== undefined) {
      const ids = body.members.map(({ view }) => view.nodeId).slice(0, 10);
      return invalid(`names no node in ${path}; its nodes are: ${ids.join(', ')}`);
    }
    const owner = this.runs.get(from.slice(0, at));
    if (owner === undefined) return invalid(`names no node run of the execution: "${from.slice(0, at)}"`);
    const { bodies } = owner;
    if (bodies.length === 0) return invalid(`names a body of ${owner.view.path} that did not run: "${from}"`);
    return invalid(
      `names a run that does not exist: "${path}"; the body of ${owner.view.path} ran ${bodies.length} times, from [${bodies[0]!.key}] to [${bodies.at(-1)!.key}]`,
    );
  }
}

function invalid(issue: string): WeftError {
  return createValidationError([{ field: 'from', issue }]);
}

const always = (): boolean => true;

function readDependence({ node }: Run): ((key: string, on: string) => boolean) | null {
  const { dependence } = node?.type ?? {};
  return node === undefined || dependence === undefined ? always : dependence(node.config);
}

/** Whether its owner has started another run of the body that depends on it: the last one, if any. */
function isUsedLater(body: BodyRun | null): boolean {
  const last = body?.owner.bodies.at(-1);
  if (body === null || last === undefined || last === body) return false;
  return readDependence(body.owner)?.(last.key, body.key) ?? false;
}

const isHandled = ({ node }: Run): boolean => node?.out.some(({ port }) => port === errorPort) ?? false;

/** Whether a run in it ended without a result, which ended its owner. */
function isUnfinished(body: BodyRun): boolean {
  return (
    !isUsedLater(body) &&
    body.members.some(
      (run) =>
        run.view.status === 'stopped' ||
        (run.view.status === 'failed' && !isHandled(run)) ||
        (run.view.status !== 'completed' && run.bodies.some(isUnfinished)),
    )
  );
}
