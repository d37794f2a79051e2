import { isTrigger, type Catalogue } from '../catalogue.ts';
import type { Doc, Link } from '../document.ts';
import { changeNodes } from './edit-nodes.ts';
import { edgeId, getGraphIndex, findRegion, type Edge, type GraphIndex } from '../graph-index.ts';
import { isAssignable, findInput, findOutput, getPorts } from '../ports.ts';
import { withNamedEdge } from '../structure.ts';
import { t } from '../../../i18n/index.ts';

export type Ends = {
  readonly from: string;
  readonly port?: string | undefined;
  readonly to: string;
  readonly toPort?: string | undefined;
};

/** Why two ports cannot be joined, in words for a person; null when they can. */
export function findConnectError(
  doc: Doc,
  catalogue: Catalogue,
  { from, port, to, toPort }: Ends,
): string | null {
  const source = doc.nodes.get(from);
  const target = doc.nodes.get(to);
  if (source === undefined || target === undefined) return t('This node no longer exists.');
  if (from === to) return t('A node cannot be connected to itself.');
  if (isTrigger(catalogue, target.type)) return t('A trigger has no input.');
  const output = findOutput(getPorts(source, catalogue), port);
  const input = findInput(getPorts(target, catalogue), toPort);
  if (output === undefined || input === undefined) return t('This port does not exist.');
  if (!isAssignable(output.type, input.type))
    return t('The output {{output}} ({{outputType}}) does not fit the input {{input}} ({{inputType}}).', {
      output: output.name,
      outputType: output.type,
      input: input.name,
      inputType: input.type,
    });
  const index = getGraphIndex(doc, catalogue);
  if (findRegion(index, from) !== findRegion(index, to))
    return t('Cannot connect nodes inside a container with nodes outside it.');
  const known = index.byId.get(edgeId(from, output.name, to, input.name));
  if (known !== undefined && known.kind !== 'order') return t('These nodes are already connected.');
  return leadsTo(index, to, from) ? t('This connection would create a cycle.') : null;
}

/** Whether `to` can be reached from `from` along connections; the order of a body gives way to connections, so it does not count. */
function leadsTo(index: GraphIndex, from: string, to: string): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    if (id === to) return true;
    for (const edge of index.out.get(id) ?? []) if (edge.kind !== 'order') seen.add(edge.to);
  }
  return false;
}

/**
 * Connects two ports; the same document when they cannot be. The first connection that is drawn in a body writes out the order
 * that held there until then, where both can stand: nothing else comes apart.
 */
export function connect(doc: Doc, catalogue: Catalogue, ends: Ends): Doc {
  if (findConnectError(doc, catalogue, ends) !== null) return doc;
  const { from, to } = ends;
  const index = getGraphIndex(doc, catalogue);
  const location = index.places.get(from);
  const link = createLink(doc, catalogue, ends);
  if (location === undefined) return { ...doc, links: [...doc.links, link] };
  // Against the order, its source gets its predecessors as successors.
  const isBackward = index.places.get(to)!.at < location.at;
  const kept = orderEdges(index, location.container, location.body).filter((edge) =>
    isBackward ? edge.to !== from : edge.from !== from || edge.to !== to,
  );
  return { ...doc, links: [...doc.links, ...kept.map(writtenOut), link] };
}

function createLink(doc: Doc, catalogue: Catalogue, { from, port, to, toPort }: Ends): Link {
  const source = getPorts(doc.nodes.get(from)!, catalogue);
  const target = getPorts(doc.nodes.get(to)!, catalogue);
  const sourcePort = findOutput(source, port)?.name;
  const targetPort = findInput(target, toPort)?.name;
  return {
    from,
    to,
    ...(sourcePort === undefined ? {} : { sourcePort }),
    ...(targetPort === undefined ? {} : { targetPort }),
  };
}

function orderEdges(index: GraphIndex, container: string, body: string): Edge[] {
  const nodes = index.members.get(container)?.get(body) ?? [];
  return nodes.flatMap((id) => (index.out.get(id) ?? []).filter((edge) => edge.kind === 'order'));
}

function writtenOut({ from, to, port, toPort }: Edge): Link {
  return { from, to, sourcePort: port, targetPort: toPort };
}

/** Why a line cannot be taken away; null when it can. */
export function findDisconnectError(doc: Doc, catalogue: Catalogue, id: string): string | null {
  const index = getGraphIndex(doc, catalogue);
  const edge = index.byId.get(id);
  if (edge?.kind !== 'order') return null;
  const location = index.places.get(edge.from)!;
  return orderEdges(index, location.container, location.body).length > 1
    ? null
    : t('Nodes inside a container run in order. Reorder them or move one out.');
}

/** Removes edges. The rest of a body's order becomes connections. */
export function disconnect(doc: Doc, catalogue: Catalogue, ids: Iterable<string>): Doc {
  const index = getGraphIndex(doc, catalogue);
  const gone = [...ids].flatMap((id) => index.byId.get(id) ?? []);
  if (gone.length === 0) return doc;
  const goneIds = new Set(gone.map(({ id }) => id));
  let next = doc;
  for (const edge of gone)
    if (edge.kind === 'named')
      next = changeNodes(next, [edge.from], (entry) => withNamedEdge(entry, edge.port, null));
  const added: Link[] = [];
  const bodies = new Set<string>();
  for (const edge of gone) {
    if (edge.kind !== 'order') continue;
    const { container, body } = index.places.get(edge.from)!;
    const key = JSON.stringify([container, body]);
    if (bodies.has(key)) continue;
    bodies.add(key);
    added.push(
      ...orderEdges(index, container, body)
        .filter(({ id }) => !goneIds.has(id))
        .map(writtenOut),
    );
  }
  // Doubled connections are one line, and go together.
  const links = doc.links.filter((link) => {
    const { from, to } = link;
    const { sourcePort, targetPort } = createLink(doc, catalogue, {
      from,
      to,
      port: link.sourcePort,
      toPort: link.targetPort,
    });
    const id = edgeId(
      from,
      sourcePort ?? link.sourcePort ?? 'out',
      to,
      targetPort ?? link.targetPort ?? 'in',
    );
    return !goneIds.has(id) || index.byId.get(id)?.kind === 'order';
  });
  if (next === doc && links.length === doc.links.length && added.length === 0) return doc;
  return { ...next, links: [...links, ...added] };
}

/** Takes away every connection that joins places that cannot be joined, once nodes were moved into a body or out of one. */
export function dropCrossing(doc: Doc, catalogue: Catalogue): Doc {
  const index = getGraphIndex(doc, catalogue);
  const links = doc.links.filter(({ from, to }) => findRegion(index, from) === findRegion(index, to));
  let next = links.length === doc.links.length ? doc : { ...doc, links };
  for (const edge of index.edges)
    if (edge.kind === 'named' && findRegion(index, edge.from) !== findRegion(index, edge.to))
      next = changeNodes(next, [edge.from], (entry) => withNamedEdge(entry, edge.port, null));
  return next;
}

/** Puts a node between the two ends of a line; the same document when it does not fit there. */
export function insertInto(doc: Doc, catalogue: Catalogue, id: string, node: string): Doc {
  const index = getGraphIndex(doc, catalogue);
  const edge = index.byId.get(id);
  // In a body that runs in its order, its place is what joins it.
  if (edge === undefined || edge.kind === 'order' || edge.from === node || edge.to === node) return doc;
  const apart = disconnect(doc, catalogue, [id]);
  const first = connect(apart, catalogue, { from: edge.from, port: edge.port, to: node });
  const both = connect(first, catalogue, { from: node, to: edge.to, toPort: edge.toPort });
  return first === apart || both === first ? doc : both;
}

/** The first output of a node from which nothing leads on; the first one when all are taken. */
export function findFreeOutput(doc: Doc, catalogue: Catalogue, id: string): string | undefined {
  const { outputs } = getPorts(doc.nodes.get(id)!, catalogue);
  const taken = new Set((getGraphIndex(doc, catalogue).out.get(id) ?? []).map(({ port }) => port));
  return (outputs.find(({ name }) => !taken.has(name)) ?? outputs[0])?.name;
}
