import type { Graph, GraphNode } from './graph.ts';

/** Nodes of the graph that ended: what progress counts. One in a body ends with its first run, or with its owner. */
export class EndedNodes {
  private readonly all: number;
  private readonly ended = new Set<GraphNode>();

  constructor(graph: Graph) {
    this.all = graph.nodes.size;
  }

  /** Fraction of all, 0 to 1, with four places. */
  get share(): number {
    return this.all === 0 ? 1 : Math.round((this.ended.size / this.all) * 10_000) / 10_000;
  }

  add(node: GraphNode): void {
    this.ended.add(node);
    if (node.regions === null) return;
    const owners = [node];
    for (const owner of owners)
      for (const region of owner.regions?.values() ?? [])
        for (const member of region.nodes) {
          this.ended.add(member);
          if (member.regions !== null) owners.push(member);
        }
  }
}
