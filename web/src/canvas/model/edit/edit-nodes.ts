import { isTrigger, type Catalog } from '../catalog.ts';
import type { Doc, Entry, JsonObject, Point } from '../document.ts';
import { getGraphIndex, listDescendants, type BodyPosition } from '../graph-index.ts';
import { renameReferences } from '../references.ts';
import {
  getBodies,
  getInitialConfig,
  getInitialNodes,
  listNamedConnections,
  withBodies,
  withNamedConnection,
} from '../structure.ts';
import { t } from '../../../i18n/index.ts';

/** The format of node ids that the service accepts. */
// eslint-disable-next-line no-control-regex -- control characters are what it is to find
const ID_PATTERN = /^[^/[\]\u0000-\u001f]{1,200}$/;

/** The first free id of `http_request`, `http_request_2`, …. */
export function createUniqueId(taken: { has(id: string): boolean }, preferred: string): string {
  if (!taken.has(preferred)) return preferred;
  const stem = preferred.replace(/_\d+$/, '').slice(0, 190);
  for (let n = 2; ; n++) if (!taken.has(`${stem}_${n}`)) return `${stem}_${n}`;
}

/** Adds a node of a type to the canvas or a body, with the initial nodes of its bodies. */
export function addNode(
  doc: Doc,
  catalog: Catalog,
  type: string,
  where: { position: Point } | { bodyPosition: BodyPosition },
  config: JsonObject = getInitialConfig(type),
): { doc: Doc; id: string } {
  // A dot in an id could not be written as a plain path of a template.
  const id = createUniqueId(doc.nodes, catalog.get(type)?.pack?.name ?? type);
  const entry: Entry = {
    id,
    type,
    ...('position' in where ? { position: where.position } : {}),
    config,
  };
  let next: Doc = { ...doc, nodes: new Map(doc.nodes).set(id, entry) };
  for (const [body, inner] of Object.entries(getInitialNodes(type)))
    next = addNode(next, catalog, inner, { bodyPosition: { container: id, body, index: 0 } }).doc;
  if ('position' in where || isTrigger(catalog, type)) return { doc: next, id };
  return { doc: putInBody(next, [id], where.bodyPosition), id };
}

/** Inserts ids into a body at an index and removes them from all other bodies. */
export function putInBody(doc: Doc, ids: readonly string[], bodyPosition: BodyPosition): Doc {
  const container = doc.nodes.get(bodyPosition.container);
  if (container === undefined) return doc;
  const moved = new Set(ids);
  const bodies = getBodies(container).map((body) => {
    if (body.name !== bodyPosition.body) return body;
    const before = body.nodes.slice(0, bodyPosition.index).filter((id) => !moved.has(id));
    const after = body.nodes.slice(bodyPosition.index).filter((id) => !moved.has(id));
    return { ...body, nodes: [...before, ...ids, ...after] };
  });
  return replaceNode(doc, withBodies(container, bodies));
}

/** Replaces the entry with the same id. */
export function replaceNode(doc: Doc, entry: Entry): Doc {
  return doc.nodes.get(entry.id) === entry ? doc : { ...doc, nodes: new Map(doc.nodes).set(entry.id, entry) };
}

/** Changes some nodes; unchanged nodes stay the same objects. */
export function changeNodes(doc: Doc, ids: Iterable<string>, change: (entry: Entry) => Entry): Doc {
  let nodes: Map<string, Entry> | null = null;
  for (const id of ids) {
    const entry = doc.nodes.get(id);
    if (entry === undefined) continue;
    const next = change(entry);
    if (next !== entry) (nodes ??= new Map(doc.nodes)).set(id, next);
  }
  return nodes === null ? doc : { ...doc, nodes };
}

/** Removes nodes with the nodes in their bodies, their connections, and every field that refers to them. */
export function removeNodes(doc: Doc, catalog: Catalog, ids: Iterable<string>): Doc {
  const given = [...ids].filter((id) => doc.nodes.has(id));
  if (given.length === 0) return doc;
  const index = getGraphIndex(doc, catalog);
  const gone = new Set([...given, ...listDescendants(index, given)]);
  const nodes = new Map<string, Entry>();
  for (const entry of doc.nodes.values())
    if (!gone.has(entry.id)) nodes.set(entry.id, withoutNames(entry, gone));
  return {
    ...doc,
    nodes,
    connections: doc.connections.filter(({ from, to }) => !gone.has(from) && !gone.has(to)),
  };
}

function withoutNames(entry: Entry, gone: ReadonlySet<string>): Entry {
  let next = entry;
  for (const { port, to } of listNamedConnections(entry))
    if (gone.has(to)) next = withNamedConnection(next, port, null);
  const bodies = getBodies(entry);
  if (bodies.some(({ nodes }) => nodes.some((id) => gone.has(id))))
    next = withBodies(
      next,
      bodies.map((body) => ({ ...body, nodes: body.nodes.filter((id) => !gone.has(id)) })),
    );
  return next;
}

/** The reason why an id cannot be given to a node; null if it can. */
export function findIdError(doc: Doc, id: string, current: string): string | null {
  if (!ID_PATTERN.test(id))
    return t('must be 1 to 200 characters without "/", "[", "]" and control characters');
  return id !== current && doc.nodes.has(id) ? t('is the id of another node') : null;
}

/** Changes the id of a node and updates the connections, bodies and templates that refer to it. */
export function renameNode(doc: Doc, id: string, next: string): Doc {
  const entry = doc.nodes.get(id);
  if (entry === undefined || id === next || findIdError(doc, next, id) !== null) return doc;
  const names = new Map([[id, next]]);
  const nodes = new Map<string, Entry>();
  for (const one of doc.nodes.values()) {
    const followed = renameReferences(one, names);
    nodes.set(one.id === id ? next : one.id, one.id === id ? { ...followed, id: next } : followed);
  }
  const connections = doc.connections.map((connection) =>
    connection.from !== id && connection.to !== id
      ? connection
      : {
          ...connection,
          from: connection.from === id ? next : connection.from,
          to: connection.to === id ? next : connection.to,
        },
  );
  return { ...doc, nodes, connections };
}

/** Sets the display name of a node; an empty one resets it to the id. */
export function setName(entry: Entry, name: string): Entry {
  const { name: old, ...rest } = entry;
  const next = name.trim().slice(0, 200);
  if (next === (old ?? '')) return entry;
  return next === '' ? rest : { ...rest, name: next };
}

export function setDisabled(entry: Entry, disabled: boolean): Entry {
  const { disabled: old, ...rest } = entry;
  if ((old ?? false) === disabled) return entry;
  return disabled ? { ...rest, disabled } : rest;
}
