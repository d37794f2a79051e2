import type { Catalog } from './catalog.ts';
import type { Doc, Entry } from './document.ts';
import { getPorts } from './ports.ts';
import { getBodies, listNamedConnections } from './structure.ts';

/**
 * An edge of the graph. `connection`: an entry of the definition's `connections`; `named`: a connection in a
 * field of the source node's configuration; `order`: two successive nodes of a sequential body.
 */
export type Edge = {
  readonly id: string;
  readonly kind: 'connection' | 'named' | 'order';
  readonly from: string;
  readonly port: string;
  readonly to: string;
  readonly toPort: string;
};

/** The position of a node: the container, the name of its body, and the index in the body's node list. */
export type BodyPosition = { readonly container: string; readonly body: string; readonly index: number };

/** The index of the graph, built in one pass and cached per document. */
export type GraphIndex = {
  readonly edges: readonly Edge[];
  readonly byId: ReadonlyMap<string, Edge>;
  readonly out: ReadonlyMap<string, readonly Edge[]>;
  readonly in: ReadonlyMap<string, readonly Edge[]>;
  /** By node id. Top-level nodes are absent. */
  readonly bodyPositions: ReadonlyMap<string, BodyPosition>;
  /** The ids of a body's nodes in order, by container, then by body. */
  readonly bodyNodes: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Containers, inner ones first. */
  readonly containers: readonly string[];
};

const cache = new WeakMap<Doc, { catalog: Catalog; index: GraphIndex }>();

export function getGraphIndex(doc: Doc, catalog: Catalog): GraphIndex {
  const cached = cache.get(doc);
  if (cached?.catalog === catalog) return cached.index;
  const index = new Builder(doc, catalog).build();
  cache.set(doc, { catalog, index });
  return index;
}

export function formatEdgeId(from: string, port: string, to: string, toPort: string): string {
  // Ports may hold any character.
  return JSON.stringify([from, port, to, toPort]);
}

/** The key of a node's region: the whole graph or one body. Only nodes with the same key can be connected. */
export function getRegionKey(index: GraphIndex, id: string): string {
  const bodyPosition = index.bodyPositions.get(id);
  return bodyPosition === undefined ? '' : `${bodyPosition.container}/${bodyPosition.body}`;
}

/** The ids of the nodes in the bodies of these nodes, at any depth, without these nodes. */
export function listDescendants(index: GraphIndex, ids: Iterable<string>): Set<string> {
  const given = new Set(ids);
  const found = new Set<string>();
  const work = [...given];
  for (let id = work.pop(); id !== undefined; id = work.pop())
    for (const nodes of index.bodyNodes.get(id)?.values() ?? [])
      for (const node of nodes)
        if (!given.has(node) && !found.has(node)) {
          found.add(node);
          work.push(node);
        }
  return found;
}

class Builder {
  readonly doc: Doc;
  readonly catalog: Catalog;
  readonly edges: Edge[] = [];
  readonly byId = new Map<string, Edge>();
  readonly out = new Map<string, Edge[]>();
  readonly in = new Map<string, Edge[]>();
  readonly bodyPositions = new Map<string, BodyPosition>();
  readonly bodyNodes = new Map<string, Map<string, string[]>>();

  constructor(doc: Doc, catalog: Catalog) {
    this.doc = doc;
    this.catalog = catalog;
  }

  build(): GraphIndex {
    const { nodes, connections } = this.doc;
    for (const entry of nodes.values()) this.addBodies(entry);
    for (const connection of connections) {
      const from = nodes.get(connection.from);
      const to = nodes.get(connection.to);
      if (from === undefined || to === undefined) continue;
      const port = connection.sourcePort ?? getPorts(from, this.catalog).outputs[0]?.name ?? 'out';
      const toPort = connection.targetPort ?? getPorts(to, this.catalog).inputs[0]?.name ?? 'in';
      this.addEdge('connection', connection.from, port, connection.to, toPort);
    }
    for (const entry of nodes.values())
      for (const { port, to } of listNamedConnections(entry)) {
        const target = nodes.get(to);
        if (target === undefined || to === entry.id) continue;
        this.addEdge('named', entry.id, port, to, getPorts(target, this.catalog).inputs[0]?.name ?? 'in');
      }
    this.addOrderEdges();
    const { edges, byId, out, in: into, bodyPositions, bodyNodes } = this;
    return { edges, byId, out, in: into, bodyPositions, bodyNodes, containers: this.listInnerFirst() };
  }

  private addBodies(entry: Entry): void {
    const bodies = getBodies(entry);
    if (bodies.length === 0) return;
    const of = new Map<string, string[]>();
    this.bodyNodes.set(entry.id, of);
    for (const { name, nodes } of bodies) {
      const inside: string[] = [];
      of.set(name, inside);
      for (const id of nodes) {
        if (!this.doc.nodes.has(id) || this.bodyPositions.has(id) || this.isInside(entry.id, id)) continue;
        this.bodyPositions.set(id, { container: entry.id, body: name, index: inside.push(id) - 1 });
      }
    }
  }

  /** Whether `id` is `other` or in one of its bodies. Guards against containers that contain themselves. */
  private isInside(id: string, other: string): boolean {
    for (
      let ancestor: string | undefined = id;
      ancestor !== undefined;
      ancestor = this.bodyPositions.get(ancestor)?.container
    )
      if (ancestor === other) return true;
    return false;
  }

  private addEdge(kind: Edge['kind'], from: string, port: string, to: string, toPort: string): void {
    const id = formatEdgeId(from, port, to, toPort);
    if (this.byId.has(id)) return;
    const edge: Edge = { id, kind, from, port, to, toPort };
    this.byId.set(id, edge);
    this.edges.push(edge);
    push(this.out, from, edge);
    push(this.in, to, edge);
  }

  /** The same rule as in the service: a body is sequential if no connection leads to any of its nodes. */
  private addOrderEdges(): void {
    for (const bodies of this.bodyNodes.values())
      for (const nodes of bodies.values()) {
        if (nodes.some((id) => (this.in.get(id)?.length ?? 0) > 0)) continue;
        for (let i = 1; i < nodes.length; i++) {
          const from = this.doc.nodes.get(nodes[i - 1]!)!;
          const to = this.doc.nodes.get(nodes[i]!)!;
          const port = getPorts(from, this.catalog).outputs[0]?.name ?? 'out';
          const toPort = getPorts(to, this.catalog).inputs[0]?.name ?? 'in';
          this.addEdge('order', from.id, port, to.id, toPort);
        }
      }
  }

  private listInnerFirst(): string[] {
    const outerFirst: string[] = [];
    for (const id of this.bodyNodes.keys()) if (!this.bodyPositions.has(id)) outerFirst.push(id);
    for (const id of outerFirst)
      for (const nodes of this.bodyNodes.get(id)!.values())
        for (const node of nodes) if (this.bodyNodes.has(node)) outerFirst.push(node);
    return outerFirst.toReversed();
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
