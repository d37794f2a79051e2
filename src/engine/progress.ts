import type { Graph, GraphNode } from './graph.ts';

/** Nodes of the graph that ended: what progress counts. One in a body ends with its first run, or with its owner. */
export class Progress {
  private readonly all: number;
  /** Of those in no body each ends once. */
  private outside = 0;
  private inBodies: Set<GraphNode> | null = null;

  constructor(graph: Graph) {
    this.all = graph.nodes.size;
  }

  /** Fraction of all, 0 to 1, with four places. */
  get share(): number {
    const ended = this.outside + (this.inBodies?.size ?? 0);
    return this.all === 0 ? 1 : Math.round((ended / this.all) * 10_000) / 10_000;
  }

  add(node: GraphNode): void {
    if (node.region.owner === null) this.outside++;
    else this.addInBody(node);
    if (node.regions === null) return;
    const owners = [node];
    for (const owner of owners)
      for (const region of owner.regions?.values() ?? [])
        for (const member of region.nodes) {
          this.addInBody(member);
          if (member.regions !== null) owners.push(member);
        }
  }

  private addInBody(node: GraphNode): void {
    (this.inBodies ??= new Set()).add(node);
  }
}
