import type { Frame, NodeRun } from './frame.ts';
import type { Graph } from './graph.ts';

/** The node runs of one execution by path. Those of the whole graph stand in their frame already; only bodies fill a map. */
export class NodeRuns {
  private readonly graph: Graph;
  private readonly root: Frame;
  private inBodies: Map<string, NodeRun> | null = null;

  constructor(graph: Graph, root: Frame) {
    this.graph = graph;
    this.root = root;
  }

  get(path: string): NodeRun | undefined {
    const node = this.graph.nodes.get(path);
    return node?.region === this.graph.root ? this.root.runs[node.place] : this.inBodies?.get(path);
  }

  /** A frame of a body has begun. */
  add(frame: Frame): void {
    this.inBodies ??= new Map();
    for (const run of frame.runs) this.inBodies.set(run.path, run);
  }

  /** Nothing asks for what was in a body any more. */
  delete(frame: Frame): void {
    for (const run of frame.runs) this.inBodies?.delete(run.path);
  }

  /** Those of the whole graph first, then those of bodies in the order in which these began. */
  all(): readonly NodeRun[] {
    return this.inBodies === null ? this.root.runs : [...this.root.runs, ...this.inBodies.values()];
  }
}
