import { isObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import type { NodeEntry } from '../../contract/definition.ts';
import type { NodeType } from '../../contract/node-type.ts';
import type { RetryPolicy } from './retry-policy.ts';
import type { CompiledConfig } from '../../expressions/compile-config.ts';

/** The output port that every node has. When it is connected, failures leave by it. */
export const errorPort = 'error';
/** The source port of an edge that the order of a body creates: any port except `error`. */
export const anyPort = '*';

/** `inputIndex`: the edge's index among those into `to`, in the order of the definition's connections. */
export type Edge = {
  readonly from: GraphNode;
  readonly port: string;
  readonly to: GraphNode;
  readonly toPort: string;
  readonly inputIndex: number;
};

export type GraphNode = {
  readonly id: string;
  readonly entry: NodeEntry;
  readonly type: NodeType;
  readonly config: JsonObject;
  readonly compiled: CompiledConfig;
  readonly retry: RetryPolicy | null;
  /** ms; null: no timeout. */
  readonly timeout: number | null;
  readonly out: Edge[];
  readonly in: Edge[];
  /** The region that contains the node, and the node's index in it. */
  region: Region;
  index: number;
  /** The regions of its body, by name; null when it has no body. */
  regions: Map<string, Region> | null;
  /** Whether a template reads its output by `nodes.<id>`. */
  isReferenced: boolean;
};

/** A part of the graph that runs as a unit: the whole graph (`owner` null), or one list of a body. */
export type Region = { readonly name: string; readonly owner: GraphNode | null; readonly nodes: GraphNode[] };

/** A definition compiled for the engine. Immutable once built; one per workflow version. */
export type Graph = {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly root: Region;
};

export function getFirstOutput(node: GraphNode): string {
  return node.type.outputs[0]?.name ?? 'out';
}

/**
 * The value that an edge carries, given the outputs of its source; undefined: none. The port may also name an
 * output field.
 */
export function readEdgeValue(edge: Edge, outputs: Readonly<Record<string, Json>>): Json | undefined {
  if (edge.port === anyPort) {
    const port = Object.keys(outputs).find((p) => p !== errorPort);
    return port === undefined ? undefined : outputs[port];
  }
  if (Object.hasOwn(outputs, edge.port)) return outputs[edge.port];
  const { fields } = edge.from.type;
  if (fields === undefined || !fields.outputs.some((field) => field.name === edge.port)) return undefined;
  const whole = outputs[getFirstOutput(edge.from)];
  return whole !== undefined && isObject(whole) && Object.hasOwn(whole, edge.port)
    ? whole[edge.port]
    : undefined;
}

/** The root-level node that contains the node in its body, or the node itself. */
export function findRootNode(node: GraphNode): GraphNode {
  let at = node;
  while (at.region.owner !== null) at = at.region.owner;
  return at;
}

/**
 * The containers around a node, outermost first, each with its child: the node itself or the next container.
 * Empty for a node of the root.
 */
export function listContainers(node: GraphNode): { owner: GraphNode; node: GraphNode }[] {
  const containers: { owner: GraphNode; node: GraphNode }[] = [];
  for (let at = node; at.region.owner !== null; at = at.region.owner)
    containers.unshift({ owner: at.region.owner, node: at });
  return containers;
}

/** `node` and all nodes that lead to it within its region. */
export function listAncestors(node: GraphNode): Set<GraphNode> {
  return closure(node, (n) => n.in.map((e) => e.from));
}

/** `node` and all nodes that can be reached from it within its region. */
export function listDescendants(node: GraphNode): Set<GraphNode> {
  return closure(node, (n) => n.out.map((e) => e.to));
}

function closure(start: GraphNode, next: (node: GraphNode) => GraphNode[]): Set<GraphNode> {
  const seen = new Set([start]);
  for (const node of seen) for (const other of next(node)) seen.add(other);
  return seen;
}

/** Connects two nodes. A duplicate edge is ignored. */
export function connect(
  from: GraphNode,
  port: string,
  to: GraphNode,
  toPort: string,
  known: Set<string>,
): void {
  const key = JSON.stringify([from.id, port, to.id, toPort]);
  if (known.has(key)) return;
  known.add(key);
  const edge: Edge = { from, port, to, toPort, inputIndex: to.in.length };
  from.out.push(edge);
  to.in.push(edge);
}

/** Finds the nodes of a cycle within the region; an empty list when there is none. */
export function findCycle(region: Region): GraphNode[] {
  const open = new Map(region.nodes.map((n) => [n, n.in.length]));
  const free = region.nodes.filter((n) => n.in.length === 0);
  for (let i = 0; i < free.length; i++) {
    open.delete(free[i]!);
    for (const edge of free[i]!.out) {
      const left = (open.get(edge.to) ?? 0) - 1;
      if (left === 0) free.push(edge.to);
      else if (left > 0) open.set(edge.to, left);
    }
  }
  // The remaining nodes are on a cycle or follow one: walk backwards among them until a node repeats.
  const walk: GraphNode[] = [];
  let at = open.keys().next().value;
  while (at !== undefined && !walk.includes(at)) {
    walk.push(at);
    at = at.in.map((e) => e.from).find((n) => open.has(n));
  }
  return at === undefined ? [] : walk.slice(walk.indexOf(at)).reverse();
}
