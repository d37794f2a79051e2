import type { Clock } from '../../ports/clock.ts';
import { runSliced } from '../../lib/async/time-slice.ts';
import { limits } from '../../ports/limits.ts';
import type { UserNodeTypes } from '../../ports/node-types.ts';
import type { VersionKey, WorkflowStore, WorkflowVersionRow } from '../../ports/store/workflows.ts';
import { buildGraph } from './graph-builder.ts';
import type { Graph } from './graph.ts';

/** Limit of the nodes in all cached graphs together. */
const MAX_CACHED_NODES = 100_000;

/** The cached graphs of one workflow by version. */
type CachedVersions = { readonly ownerId: string; readonly versions: Map<number, Graph> };

/** Caches graphs: a workflow version never changes. The least recently used workflows are evicted first. */
export class GraphCache {
  private readonly byWorkflow = new Map<string, CachedVersions>();
  private nodes = 0;
  private readonly workflows: Pick<WorkflowStore, 'version' | 'getManyVersions'>;
  private readonly types: UserNodeTypes;
  private readonly clock: Pick<Clock, 'now' | 'soon'>;

  constructor(
    workflows: Pick<WorkflowStore, 'version' | 'getManyVersions'>,
    types: UserNodeTypes,
    clock: Pick<Clock, 'now' | 'soon'>,
  ) {
    this.workflows = workflows;
    this.types = types;
    this.clock = clock;
  }

  /** Reads only the cache: undefined when the graph is not cached. */
  getCached(ownerId: string, workflowId: string, version: number): Graph | undefined {
    const kept = this.byWorkflow.get(workflowId);
    return kept?.ownerId === ownerId ? kept.versions.get(version) : undefined;
  }

  /** Null when the version does not exist or cannot run because a node type no longer exists. */
  async load(ownerId: string, workflowId: string, version: number): Promise<Graph | null> {
    const known = this.getCached(ownerId, workflowId, version);
    if (known !== undefined) {
      this.use(ownerId, workflowId);
      return known;
    }
    const row = await this.workflows.version(ownerId, workflowId, version);
    return row === null ? null : this.build(ownerId, row);
  }

  /** In the order of `wanted`; null for versions that do not exist or cannot run. Uses few statements. */
  async loadMany(ownerId: string, wanted: readonly VersionKey[]): Promise<(Graph | null)[]> {
    const graphs = new Map<string, Graph | null>();
    const missing = new Map<string, VersionKey>();
    for (const { workflowId, version } of wanted) {
      const key = `${workflowId}@${version}`;
      const known = this.getCached(ownerId, workflowId, version);
      if (known === undefined) missing.set(key, { workflowId, version });
      else graphs.set(key, known);
    }
    if (missing.size > 0)
      for (const row of await this.workflows.getManyVersions(ownerId, [...missing.values()]))
        graphs.set(`${row.workflowId}@${row.version}`, await this.build(ownerId, row));
    return wanted.map(({ workflowId, version }) => graphs.get(`${workflowId}@${version}`) ?? null);
  }

  private async build(ownerId: string, row: WorkflowVersionRow): Promise<Graph | null> {
    const work = buildGraph(row.definition, await this.types.of(ownerId));
    const { graph } = await runSliced(this.clock, limits.timeSliceMs, work);
    if (graph === null) return null;
    const { versions } = this.use(ownerId, row.workflowId);
    this.nodes += graph.nodes.size - (versions.get(row.version)?.nodes.size ?? 0);
    versions.delete(row.version);
    versions.set(row.version, graph);
    this.evictOldest(graph);
    return graph;
  }

  /** Marks a workflow as the most recently used. */
  private use(ownerId: string, workflowId: string): CachedVersions {
    let kept = this.byWorkflow.get(workflowId);
    if (kept?.ownerId !== ownerId) {
      for (const graph of kept?.versions.values() ?? []) this.nodes -= graph.nodes.size;
      kept = { ownerId, versions: new Map() };
    }
    this.byWorkflow.delete(workflowId);
    this.byWorkflow.set(workflowId, kept);
    return kept;
  }

  /** The newest graph stays, however large. */
  private evictOldest(newest: Graph): void {
    for (const [workflowId, { versions }] of this.byWorkflow) {
      for (const [version, graph] of versions) {
        if (this.nodes <= MAX_CACHED_NODES || graph === newest) return;
        versions.delete(version);
        this.nodes -= graph.nodes.size;
      }
      this.byWorkflow.delete(workflowId);
    }
  }
}
