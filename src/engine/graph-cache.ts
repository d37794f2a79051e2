import type { Clock } from '../ports/clock.ts';
import type { OwnNodeTypes } from '../ports/node-types.ts';
import type { VersionKey, WorkflowStore, WorkflowVersionRow } from '../ports/store/workflows.ts';
import { buildGraph } from './graph-builder.ts';
import type { Graph } from './graph.ts';
import { inTurns } from './turn.ts';

/** Nodes that the kept graphs may have together. */
const keptNodes = 100_000;

/** Graphs by workflow version, built once: a version never changes. The least recently used ones go first. */
export class GraphCache {
  private readonly graphs = new Map<string, Graph>();
  private nodes = 0;
  private readonly workflows: Pick<WorkflowStore, 'version' | 'manyVersions'>;
  private readonly types: OwnNodeTypes;
  private readonly clock: Pick<Clock, 'now' | 'soon'>;

  constructor(
    workflows: Pick<WorkflowStore, 'version' | 'manyVersions'>,
    types: OwnNodeTypes,
    clock: Pick<Clock, 'now' | 'soon'>,
  ) {
    this.workflows = workflows;
    this.types = types;
    this.clock = clock;
  }

  /** Without asking the store: undefined when it is not there. */
  known(ownerId: string, workflowId: string, version: number): Graph | undefined {
    return this.graphs.get(`${ownerId}/${workflowId}@${version}`);
  }

  /** Null when there is no such version, or it cannot run (a node type is gone). */
  async load(ownerId: string, workflowId: string, version: number): Promise<Graph | null> {
    const key = `${ownerId}/${workflowId}@${version}`;
    const known = this.graphs.get(key);
    if (known !== undefined) {
      this.graphs.delete(key);
      this.graphs.set(key, known);
      return known;
    }
    const row = await this.workflows.version(ownerId, workflowId, version);
    return row === null ? null : this.build(ownerId, row);
  }

  /** Those that are there and can run, in the order asked for; null for the others. In few statements. */
  async loadMany(ownerId: string, wanted: readonly VersionKey[]): Promise<(Graph | null)[]> {
    const graphs = new Map<string, Graph | null>();
    const missing = new Map<string, VersionKey>();
    for (const { workflowId, version } of wanted) {
      const key = `${workflowId}@${version}`;
      const known = this.known(ownerId, workflowId, version);
      if (known === undefined) missing.set(key, { workflowId, version });
      else graphs.set(key, known);
    }
    if (missing.size > 0)
      for (const row of await this.workflows.manyVersions(ownerId, [...missing.values()]))
        graphs.set(`${row.workflowId}@${row.version}`, await this.build(ownerId, row));
    return wanted.map(({ workflowId, version }) => graphs.get(`${workflowId}@${version}`) ?? null);
  }

  private async build(ownerId: string, row: WorkflowVersionRow): Promise<Graph | null> {
    const key = `${ownerId}/${row.workflowId}@${row.version}`;
    const work = buildGraph(row.definition, await this.types.of(ownerId));
    const { graph } = await inTurns(this.clock, work);
    if (graph === null) return null;
    if (!this.graphs.has(key)) this.nodes += graph.nodes.size;
    this.graphs.set(key, graph);
    for (const [oldest, old] of this.graphs) {
      if (this.nodes <= keptNodes || oldest === key) break;
      this.graphs.delete(oldest);
      this.nodes -= old.nodes.size;
    }
    return graph;
  }
}
