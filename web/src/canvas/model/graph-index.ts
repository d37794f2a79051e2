import type { Catalogue } from './catalogue.ts';
import type { Doc, Entry } from './document.ts';
import { getPorts } from './ports.ts';
import { getBodies, listNamedEdges } from './structure.ts';

/**
 * A line on the canvas. `link`: a connection; `named`: a field of the configuration names it; `order`: the nodes of a body run
 * in their order. `link` is the place of a connection in the list of the document.
 */
export type Edge = {
  readonly id: string;
  readonly kind: 'link' | 'named' | 'order';
  readonly from: string;
  readonly port: string;
  readonly to: string;
  readonly toPort: string;
  readonly link: number;
};

export type Place = { readonly container: string; readonly body: string; readonly at: number };

/** The index of the graph, built in one pass and cached per document. */
export type GraphIndex = {
  readonly edges: readonly Edge[];
  readonly byId: ReadonlyMap<string, Edge>;
  readonly out: ReadonlyMap<string, readonly Edge[]>;
  readonly in: ReadonlyMap<string, readonly Edge[]>;
  /** The position of a node in a body; top-level nodes are absent. */
  readonly places: ReadonlyMap<string, Place>;
  /** The nodes of each body in order, by container, then by body. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;
  /** Containers, inner ones first. */
  readonly containers: readonly string[];
};

const remembered = new WeakMap<Doc, { catalogue: Catalogue; index: GraphIndex }>();

export function getGraphIndex(doc: Doc, catalogue: Catalogue): GraphIndex {
  const known = remembered.get(doc);
  if (known?.catalogue === catalogue) return known.index;
  const index = new Builder(doc, catalogue).build();
  remembered.set(doc, { catalogue, index });
  return index;
}

export function edgeId(from: string, port: string, to: string, toPort: string): string {
  // Ports may hold any character.
  return JSON.stringify([from, port, to, toPort]);
}

/** The key of the region of a node. Only nodes with the same key can be connected. */
export function findRegion(index: GraphIndex, id: string): string {
  const location = index.places.get(id);
  return location === undefined ? '' : `${location.container}/${location.body}`;
}

/** The nodes in the bodies of these nodes, at any depth, without these nodes. */
export function within(index: GraphIndex, ids: Iterable<string>): Set<string> {
  const given = new Set(ids);
  const found = new Set<string>();
  const work = [...given];
  for (let id = work.pop(); id !== undefined; id = work.pop())
    for (const nodes of index.members.get(id)?.values() ?? [])
      for (const node of nodes)
        if (!given.has(node) && !found.has(node)) {
          found.add(node);
          work.push(node);
        }
  return found;
}

class Builder {
  readonly doc: Doc;
  readonly catalogue: Catalogue;
  readonly edges: Edge[] = [];
  readonly byId = new Map<string, Edge>();
  readonly out = new Map<string, Edge[]>();
  readonly in = new Map<string, Edge[]>();
  readonly places = new Map<string, Place>();
  readonly members = new Map<string, Map<string, string[]>>();

  constructor(doc: Doc, catalogue: Catalogue) {
    this.doc = doc;
    this.catalogue = catalogue;
  }

  build(): GraphIndex {
    const { nodes, links } = this.doc;
    for (const entry of nodes.values()) this.addBodies(entry);
    links.forEach((link, at) => {
      const from = nodes.get(link.from);
      const to = nodes.get(link.to);
      if (from === undefined || to === undefined) return;
      const port = link.sourcePort ?? getPorts(from, this.catalogue).outputs[0]?.name ?? 'out';
      const toPort = link.targetPort ?? getPorts(to, this.catalogue).inputs[0]?.name ?? 'in';
      this.join('link', link.from, port, link.to, toPort, at);
    });
    for (const entry of nodes.values())
      for (const { port, to } of listNamedEdges(entry)) {
        const target = nodes.get(to);
        if (target === undefined || to === entry.id) continue;
        this.join('named', entry.id, port, to, getPorts(target, this.catalogue).inputs[0]?.name ?? 'in', -1);
      }
    this.orderBodies();
    const { edges, byId, out, in: into, places, members } = this;
    return { edges, byId, out, in: into, places, members, containers: this.innerFirst() };
  }

  private addBodies(entry: Entry): void {
    const bodies = getBodies(entry);
    if (bodies.length === 0) return;
    const of = new Map<string, string[]>();
    this.members.set(entry.id, of);
    for (const { name, nodes } of bodies) {
      const inside: string[] = [];
      of.set(name, inside);
      for (const id of nodes) {
        if (!this.doc.nodes.has(id) || this.places.has(id) || this.standsIn(entry.id, id)) continue;
        this.places.set(id, { container: entry.id, body: name, at: inside.push(id) - 1 });
      }
    }
  }

  /** Whether `id` is `other` or inside of one of its bodies: then `other` cannot be moved into a body of `id`. */
  private standsIn(id: string, other: string): boolean {
    for (let at: string | undefined = id; at !== undefined; at = this.places.get(at)?.container)
      if (at === other) return true;
    return false;
  }

  private join(
    kind: Edge['kind'],
    from: string,
    port: string,
    to: string,
    toPort: string,
    link: number,
  ): void {
    const id = edgeId(from, port, to, toPort);
    if (this.byId.has(id)) return;
    const edge: Edge = { id, kind, from, port, to, toPort, link };
    this.byId.set(id, edge);
    this.edges.push(edge);
    push(this.out, from, edge);
    push(this.in, to, edge);
  }

  /** The same rule as in the service: a body is sequential if no connection leads to any of its nodes. */
  private orderBodies(): void {
    for (const bodies of this.members.values())
      for (const nodes of bodies.values()) {
        if (nodes.some((id) => (this.in.get(id)?.length ?? 0) > 0)) continue;
        for (let i = 1; i < nodes.length; i++) {
          const from = this.doc.nodes.get(nodes[i - 1]!)!;
          const to = this.doc.nodes.get(nodes[i]!)!;
          const port = getPorts(from, this.catalogue).outputs[0]?.name ?? 'out';
          const toPort = getPorts(to, this.catalogue).inputs[0]?.name ?? 'in';
          this.join('order', from.id, port, to.id, toPort, -1);
        }
      }
  }

  private innerFirst(): string[] {
    const outerFirst: string[] = [];
    for (const id of this.members.keys()) if (!this.places.has(id)) outerFirst.push(id);
    for (const id of outerFirst)
      for (const nodes of this.members.get(id)!.values())
        for (const node of nodes) if (this.members.has(node)) outerFirst.push(node);
    return outerFirst.toReversed();
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
