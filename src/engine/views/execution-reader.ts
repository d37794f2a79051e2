import type { MemoryBudget } from '../../lib/limits/memory-budget.ts';
import { createConflictError, createValidationError } from '../../contract/errors.ts';
import { isSettled } from '../../contract/execution.ts';
import { limits } from '../../ports/limits.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FileStore } from '../../ports/files.ts';
import type { Store } from '../../ports/store.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';
import type {
  Engine,
  ExecutionView,
  ExecutionLog,
  ExecutionPage,
  ListRange,
  ExecutionStream,
  RetryPlan,
  ScopePosition,
  WaitingNodeRun,
} from '../engine-api.ts';
import { replayJournal } from '../journal/replay.ts';
import type { GraphCache } from '../graph/graph-cache.ts';
import { readJournal, readJournals } from '../journal/journal-reader.ts';
import { findSnapshot } from '../state/load-state.ts';
import { ValueRetention } from '../state/value-retention.ts';
import { createExecutionLog } from './execution-log.ts';
import { readExecutionPage, readLogRange } from './long-execution.ts';
import { createExecutionStream } from './execution-stream.ts';
import type { TemplateScope } from '../../expressions/scope.ts';
import { ExecutionViewCache } from './execution-view-cache.ts';
import { buildScopeAt, createExecutionViewBuilder, buildExecutionView } from './execution-view.ts';
import { planRetry } from './retry-plan.ts';

export type ExecutionReaderDeps = {
  store: Pick<Store, 'executions'>;
  files: FileStore;
  clock: Clock;
  graphs: GraphCache;
  memory: Pick<MemoryBudget, 'mostOfOne'>;
};

/** Reads executions from their journals: the queries of the engine's API. */
export class ExecutionReader {
  private readonly deps: ExecutionReaderDeps;
  private readonly views = new ExecutionViewCache();

  constructor(deps: ExecutionReaderDeps) {
    this.deps = deps;
  }

  async inspect(row: ExecutionRow, wanted?: ReadonlySet<string>): Promise<ExecutionView> {
    if (await this.isLong(row)) {
      const { total } = await this.page(row, { offset: 0, limit: 0 });
      if (total > limits.inspectedNodeRuns)
        throw createConflictError(
          `The execution has ${total} node runs, and at most ${limits.inspectedNodeRuns} can be read at once: retry from start.`,
          { field: 'from' },
        );
    }
    return this.readWhole(row, wanted);
  }

  private async readWhole(row: ExecutionRow, wanted?: ReadonlySet<string>): Promise<ExecutionView> {
    // An ended execution no longer changes.
    const isFinal = isSettled(row.status);
    const known = isFinal ? this.views.get(row.id) : undefined;
    if (known !== undefined) return known;
    const graph = await this.loadGraph(row);
    if (graph === null) return createEmptyView();
    const retention = new ValueRetention(this.deps.memory.mostOfOne, wanted ?? null);
    const builder = createExecutionViewBuilder(graph, row, retention);
    const { size } = await replayJournal(this.deps, row, 0, builder.apply);
    const view = builder.end();
    if (isFinal && view.leftOut.size === 0) this.views.keep(row.id, view, size + retention.retainedBytes);
    return view;
  }

  async page(row: ExecutionRow, range: ListRange, wanted?: ReadonlySet<string>): Promise<ExecutionPage> {
    const isCached = isSettled(row.status) && this.views.get(row.id) !== undefined;
    const graph = isCached ? null : await this.loadGraph(row);
    const snapshot = graph === null ? null : await findSnapshot(this.deps, row);
    if (graph !== null && snapshot !== null)
      return readExecutionPage(this.deps, graph, row, snapshot, range, wanted ?? null);
    const view = await this.readWhole(row, wanted);
    const { offset, limit } = range;
    const total = view.nodes.length;
    const nodes = offset === 0 && total <= limit ? view.nodes : view.nodes.slice(offset, offset + limit);
    return { ...view, nodes, total };
  }

  async isLong(row: ExecutionRow): Promise<boolean> {
    return (await findSnapshot(this.deps, row)) !== null;
  }

  async inspectMany(rows: readonly ExecutionRow[]): Promise<ExecutionView[]> {
    const [first, second] = rows;
    if (first === undefined) return [];
    if (second === undefined) return [await this.readWhole(first)];
    const { ownerId } = first;
    if (rows.some((row) => row.ownerId !== ownerId))
      throw new Error('All executions must have the same owner.');
    const wanted = rows.map((row) => ({ workflowId: row.workflowId, version: row.workflowVersion }));
    const graphs = await this.deps.graphs.loadMany(ownerId, wanted);
    const ids = rows.map((row) => row.id);
    const journals = await readJournals(this.deps, ownerId, ids);
    return rows.map((row, i) => {
      const graph = graphs[i] ?? null;
      return graph === null ? createEmptyView() : buildExecutionView(graph, row, journals.get(row.id) ?? []);
    });
  }

  async waiting(row: ExecutionRow): Promise<WaitingNodeRun[]> {
    const graph = await this.loadGraph(row);
    if (graph === null) return [];
    const paths = await this.deps.store.executions.timerPaths(row.ownerId, row.id);
    return paths.flatMap((path) => {
      const node = graph.nodes.get(path.slice(path.lastIndexOf('/') + 1));
      // The timer of a node with a body is its time-out.
      return node === undefined || node.regions !== null
        ? []
        : [{ nodeId: node.id, path, type: node.type.type }];
    });
  }

  async log(row: ExecutionRow): Promise<ExecutionLog> {
    const graph = await this.loadGraph(row);
    if (graph === null) return { next: () => Promise.resolve({ entries: [], isWhole: true }) };
    return createExecutionLog(this.deps, graph, row);
  }

  async logRange(row: ExecutionRow, range: ListRange): ReturnType<Engine['logRange']> {
    const snapshot = await findSnapshot(this.deps, row);
    const graph = snapshot === null ? null : await this.loadGraph(row);
    if (snapshot === null || graph === null) return null;
    return readLogRange(this.deps, graph, row, snapshot, range);
  }

  async stream(row: ExecutionRow): Promise<ExecutionStream> {
    const graph = await this.loadGraph(row);
    if (graph === null) return { next: () => Promise.resolve({ entries: [], isWhole: true }) };
    return createExecutionStream(this.deps, graph, row);
  }

  async scopeAt(row: ExecutionRow, viewpoint: ScopePosition): Promise<TemplateScope | null> {
    const graph = await this.loadGraph(row);
    if (graph === null) return null;
    return buildScopeAt(
      graph,
      row,
      await readJournal(this.deps, row, this.deps.memory.mostOfOne),
      viewpoint,
      this.deps.clock.now(),
    );
  }

  async planRetry(row: ExecutionRow, version: number, from: string): Promise<RetryPlan> {
    const graph = await this.deps.graphs.load(row.ownerId, row.workflowId, version);
    if (graph === null)
      throw createValidationError([
        { field: 'version', issue: 'cannot run: the version does not exist or uses an unknown node type' },
      ]);
    const view = await this.inspect(row);
    const plan = planRetry(graph, version, view, from);
    const missing = Object.keys(plan.given).filter((path) => view.leftOut.has(path));
    if (missing.length === 0) return plan;
    // Values of other node runs used up the budget: read again and prefer the missing ones.
    const whole = await this.inspect(row, new Set(Object.keys(plan.given)));
    if (missing.some((path) => whole.leftOut.has(path)))
      throw createConflictError(
        `The outputs of the completed nodes exceed ${this.deps.memory.mostOfOne} bytes in total; retry from start.`,
        { field: 'from' },
      );
    return planRetry(graph, version, whole, from);
  }

  private loadGraph(row: ExecutionRow): ReturnType<GraphCache['load']> {
    return this.deps.graphs.load(row.ownerId, row.workflowId, row.workflowVersion);
  }
}

/** The view of an execution whose workflow no longer exists or can no longer be read. */
function createEmptyView(): ExecutionView {
  return {
    input: null,
    output: null,
    nodes: [],
    logs: [],
    usage: [],
    completed: {},
    loaded: {},
    response: null,
    leftOut: new Set(),
  };
}
