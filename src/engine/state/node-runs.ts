import type { Frame, NodeRun } from './frame.ts';
import type { Graph } from '../graph/graph.ts';

/**
 * The node runs of one execution by path. Runs of the root are found by their frame; only runs in bodies need
 * a map.
 */
export class NodeRuns {
  private readonly graph: Graph;
  private readonly root: Frame;
  private inBodies: Map<string, NodeRun> | null = null;
  /** Node runs of bodies that were added so far. */
  countInBodies = 0;

  constructor(graph: Graph, root: Frame) {
    this.graph = graph;
    this.root = root;
  }

  get(path: string): NodeRun | undefined {
    const node = this.graph.nodes.get(path);
    return node?.region === this.graph.root ? this.root.runs[node.index] : this.inBodies?.get(path);
  }

  /** Adds the runs of a frame of a body. */
  add(frame: Frame): void {
    this.inBodies ??= new Map();
    frame.number = this.countInBodies;
    this.countInBodies += frame.runs.length;
    for (const run of frame.runs) this.inBodies.set(run.path, run);
  }

  /** Removes the runs of a frame of a body. */
  delete(frame: Frame): void {
    for (const run of frame.runs) this.inBodies?.delete(run.path);
  }

  /** Runs of the root first, then those of bodies in the order in which their frames started. */
  all(): readonly NodeRun[] {
    return this.inBodies === null ? this.root.runs : [...this.root.runs, ...this.inBodies.values()];
  }
}
