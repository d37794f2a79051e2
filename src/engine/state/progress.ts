import type { Graph, GraphNode } from '../graph/graph.ts';

export type SavedProgress = { outside: number; inBodies: string[] };

/**
 * Counts the nodes of the graph that ended. A node in a body ends with its first run, or with the owner of
 * the body.
 */
export class Progress {
  private readonly total: number;
  /** Each node outside of bodies ends once. */
  private outside = 0;
  private inBodies: Set<GraphNode> | null = null;

  constructor(graph: Graph) {
    this.total = graph.nodes.size;
  }

  /** The fraction that ended, 0 to 1, rounded to four decimal places. */
  get fraction(): number {
    const ended = this.outside + (this.inBodies?.size ?? 0);
    return this.total === 0 ? 1 : Math.round((ended / this.total) * 10_000) / 10_000;
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

  /** The count, and the ids of the nodes in bodies. */
  save(): SavedProgress {
    return { outside: this.outside, inBodies: [...(this.inBodies ?? [])].map((node) => node.id) };
  }

  restore({ outside, inBodies }: SavedProgress, graph: Graph): void {
    this.outside = outside;
    for (const id of inBodies) {
      const node = graph.nodes.get(id);
      if (node !== undefined) this.addInBody(node);
    }
  }

  private addInBody(node: GraphNode): void {
    (this.inBodies ??= new Set()).add(node);
  }
}
