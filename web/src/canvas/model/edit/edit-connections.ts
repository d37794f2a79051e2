import { isTrigger, type Catalog } from '../catalog.ts';
import type { Doc, Connection } from '../document.ts';
import { changeNodes } from './edit-nodes.ts';
import { formatEdgeId, getGraphIndex, getRegionKey, type Edge, type GraphIndex } from '../graph-index.ts';
import { isAssignable, findInput, findOutput, getPorts } from '../ports.ts';
import { withNamedConnection } from '../structure.ts';
import { t } from '../../../i18n/index.ts';

export type ConnectionEnds = {
  readonly from: string;
  readonly port?: string | undefined;
  readonly to: string;
  readonly toPort?: string | undefined;
};

/** The message why two ports cannot be connected; null if they can. */
export function findConnectError(
  doc: Doc,
  catalog: Catalog,
  { from, port, to, toPort }: ConnectionEnds,
): string | null {
  const source = doc.nodes.get(from);
  const target = doc.nodes.get(to);
  if (source === undefined || target === undefined) return t('This node no longer exists.');
  if (from === to) return t('A node cannot be connected to itself.');
  if (isTrigger(catalog, target.type)) return t('A trigger has no input.');
  const output = findOutput(getPorts(source, catalog), port);
  const input = findInput(getPorts(target, catalog), toPort);
  if (output === undefined || input === undefined) return t('This port does not exist.');
  if (!isAssignable(output.type, input.type))
    return t('The output {{output}} ({{outputType}}) does not fit the input {{input}} ({{inputType}}).', {
      output: output.name,
      outputType: output.type,
      input: input.name,
      inputType: input.type,
    });
  const index = getGraphIndex(doc, catalog);
  if (getRegionKey(index, from) !== getRegionKey(index, to))
    return t('Cannot connect nodes inside a container with nodes outside it.');
  const existing = index.byId.get(formatEdgeId(from, output.name, to, input.name));
  if (existing !== undefined && existing.kind !== 'order') return t('These nodes are already connected.');
  return isReachable(index, to, from) ? t('This connection would create a cycle.') : null;
}

/** Whether connections lead from `from` to `to`. Order edges are ignored: a new connection replaces them. */
function isReachable(index: GraphIndex, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    if (id === to) return true;
    for (const edge of index.out.get(id) ?? []) if (edge.kind !== 'order') seen.add(edge.to);
  }
  return false;
}

/**
 * Connects two ports; returns the same document if they cannot be connected. The first connection in a
 * sequential body turns the body's order edges into connections, except those that contradict the new one.
 */
export function connect(doc: Doc, catalog: Catalog, ends: ConnectionEnds): Doc {
  if (findConnectError(doc, catalog, ends) !== null) return doc;
  const { from, to } = ends;
  const index = getGraphIndex(doc, catalog);
  const bodyPosition = index.bodyPositions.get(from);
  const connection = createConnection(doc, catalog, ends);
  if (bodyPosition === undefined) return { ...doc, connections: [...doc.connections, connection] };
  // Against the order: the predecessors of the source become its successors.
  const isBackward = index.bodyPositions.get(to)!.index < bodyPosition.index;
  const retained = listOrderEdges(index, bodyPosition.container, bodyPosition.body).filter((edge) =>
    isBackward ? edge.to !== from : edge.from !== from || edge.to !== to,
  );
  return { ...doc, connections: [...doc.connections, ...retained.map(toConnection), connection] };
}

function createConnection(
  doc: Doc,
  catalog: Catalog,
  { from, port, to, toPort }: ConnectionEnds,
): Connection {
  const source = getPorts(doc.nodes.get(from)!, catalog);
  const target = getPorts(doc.nodes.get(to)!, catalog);
  const sourcePort = findOutput(source, port)?.name;
  const targetPort = findInput(target, toPort)?.name;
  return {
    from,
    to,
    ...(sourcePort === undefined ? {} : { sourcePort }),
    ...(targetPort === undefined ? {} : { targetPort }),
  };
}

function listOrderEdges(index: GraphIndex, container: string, body: string): Edge[] {
  const nodes = index.bodyNodes.get(container)?.get(body) ?? [];
  return nodes.flatMap((id) => (index.out.get(id) ?? []).filter((edge) => edge.kind === 'order'));
}

function toConnection({ from, to, port, toPort }: Edge): Connection {
  return { from, to, sourcePort: port, targetPort: toPort };
}

/** The message why an edge cannot be removed; null if it can. */
export function findDisconnectError(doc: Doc, catalog: Catalog, id: string): string | null {
  const index = getGraphIndex(doc, catalog);
  const edge = index.byId.get(id);
  if (edge?.kind !== 'order') return null;
  const bodyPosition = index.bodyPositions.get(edge.from)!;
  return listOrderEdges(index, bodyPosition.container, bodyPosition.body).length > 1
    ? null
    : t('Nodes inside a container run in order. Reorder them or move one out.');
}

/** Removes edges. The other order edges of the same body become connections. */
export function disconnect(doc: Doc, catalog: Catalog, ids: Iterable<string>): Doc {
  const index = getGraphIndex(doc, catalog);
  const gone = [...ids].flatMap((id) => index.byId.get(id) ?? []);
  if (gone.length === 0) return doc;
  const goneIds = new Set(gone.map(({ id }) => id));
  let next = doc;
  for (const edge of gone)
    if (edge.kind === 'named')
      next = changeNodes(next, [edge.from], (entry) => withNamedConnection(entry, edge.port, null));
  const added: Connection[] = [];
  const bodies = new Set<string>();
  for (const edge of gone) {
    if (edge.kind !== 'order') continue;
    const { container, body } = index.bodyPositions.get(edge.from)!;
    const key = JSON.stringify([container, body]);
    if (bodies.has(key)) continue;
    bodies.add(key);
    added.push(
      ...listOrderEdges(index, container, body)
        .filter(({ id }) => !goneIds.has(id))
        .map(toConnection),
    );
  }
  // Duplicate connections are one edge and are removed together.
  const connections = doc.connections.filter((connection) => {
    const { from, to } = connection;
    const { sourcePort, targetPort } = createConnection(doc, catalog, {
      from,
      to,
      port: connection.sourcePort,
      toPort: connection.targetPort,
    });
    const id = formatEdgeId(
      from,
      sourcePort ?? connection.sourcePort ?? 'out',
      to,
      targetPort ?? connection.targetPort ?? 'in',
    );
    return !goneIds.has(id) || index.byId.get(id)?.kind === 'order';
  });
  if (next === doc && connections.length === doc.connections.length && added.length === 0) return doc;
  return { ...next, connections: [...connections, ...added] };
}

/** Removes the connections between different regions, after nodes were moved into a body or out of one. */
export function removeCrossBodyConnections(doc: Doc, catalog: Catalog): Doc {
  const index = getGraphIndex(doc, catalog);
  const connections = doc.connections.filter(
    ({ from, to }) => getRegionKey(index, from) === getRegionKey(index, to),
  );
  let next = connections.length === doc.connections.length ? doc : { ...doc, connections };
  for (const edge of index.edges)
    if (edge.kind === 'named' && getRegionKey(index, edge.from) !== getRegionKey(index, edge.to))
      next = changeNodes(next, [edge.from], (entry) => withNamedConnection(entry, edge.port, null));
  return next;
}

/** Inserts a node into an edge; returns the same document if the node cannot be connected to both ends. */
export function insertIntoEdge(doc: Doc, catalog: Catalog, id: string, node: string): Doc {
  const index = getGraphIndex(doc, catalog);
  const edge = index.byId.get(id);
  // In a sequential body, the position of the node connects it.
  if (edge === undefined || edge.kind === 'order' || edge.from === node || edge.to === node) return doc;
  const apart = disconnect(doc, catalog, [id]);
  const first = connect(apart, catalog, { from: edge.from, port: edge.port, to: node });
  const both = connect(first, catalog, { from: node, to: edge.to, toPort: edge.toPort });
  return first === apart || both === first ? doc : both;
}

/** The first output of a node without an edge; the first output if all have one. */
export function findFreeOutput(doc: Doc, catalog: Catalog, id: string): string | undefined {
  const { outputs } = getPorts(doc.nodes.get(id)!, catalog);
  const taken = new Set((getGraphIndex(doc, catalog).out.get(id) ?? []).map(({ port }) => port));
  return (outputs.find(({ name }) => !taken.has(name)) ?? outputs[0])?.name;
}
