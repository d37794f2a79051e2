import type { Catalog } from '../catalog.ts';
import { computeBounds, computeBoxes } from '../layout/boxes.ts';
import {
  toDoc,
  isObject,
  MAX_NOTES,
  type Doc,
  type Entry,
  type Connection,
  type Point,
} from '../document.ts';
import { removeCrossBodyConnections } from './edit-connections.ts';
import { createUniqueId } from './edit-nodes.ts';
import { GRID } from '../layout/geometry.ts';
import { getGraphIndex, listDescendants } from '../graph-index.ts';
import { renameReferences } from '../references.ts';
import { getBodies, listNamedConnections, withBodies, withNamedConnection } from '../structure.ts';

/** Longer text is ignored: the service accepts at most 5 MiB. */
const MAX_TEXT_LENGTH = 5 * 1024 * 1024;

/** Copies nodes (with their bodies), the connections among them, and comments into a separate document. */
export function copySelection(
  doc: Doc,
  catalog: Catalog,
  nodes: Iterable<string>,
  notes: Iterable<string> = [],
): Doc {
  const index = getGraphIndex(doc, catalog);
  const boxes = computeBoxes(doc, catalog);
  const given = [...nodes].filter((id) => doc.nodes.has(id));
  const selected = new Set([...given, ...listDescendants(index, given)]);
  const entries = new Map<string, Entry>();
  for (const entry of doc.nodes.values()) {
    if (!selected.has(entry.id)) continue;
    const bodyPosition = index.bodyPositions.get(entry.id);
    const isInside = bodyPosition !== undefined && selected.has(bodyPosition.container);
    const { x, y } = boxes.get(entry.id)!;
    entries.set(entry.id, isInside ? entry : { ...entry, position: { x, y } });
  }
  const chosenNotes = [...notes].flatMap((id) => doc.notes.get(id) ?? []);
  return {
    nodes: entries,
    connections: doc.connections.filter(({ from, to }) => selected.has(from) && selected.has(to)),
    notes: new Map(chosenNotes.map((note) => [note.id, note])),
    others: [],
  };
}

export function serializePiece(piece: Doc): string {
  const { nodes, connections, notes } = piece;
  return JSON.stringify(
    {
      weft: 'nodes',
      nodes: [...nodes.values()],
      connections,
      ...(notes.size === 0
        ? {}
        : { annotations: [...notes.values()].map((note) => ({ kind: 'note', ...note })) }),
    },
    null,
    2,
  );
}

/** Parses a copied fragment, a definition or a workflow from JSON; null for other text. */
export function parsePiece(text: string): Doc | null {
  if (text.length > MAX_TEXT_LENGTH || !text.trimStart().startsWith('{')) return null;
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(given)) return null;
  const definition = isObject(given['definition']) ? given['definition'] : given;
  const nodes = parseList(definition['nodes'], parseEntry);
  const connections = parseList(definition['connections'] ?? [], parseConnection);
  if (nodes === null || connections === null) return null;
  const { annotations } = definition;
  const piece = toDoc({ nodes, connections, annotations: Array.isArray(annotations) ? annotations : [] });
  return piece.nodes.size + piece.notes.size === 0 ? null : { ...piece, others: [] };
}

function parseList<T>(value: unknown, read: (one: unknown) => T | null): T[] | null {
  if (!Array.isArray(value)) return null;
  const found: T[] = [];
  for (const one of value) {
    const item = read(one);
    if (item === null) return null;
    found.push(item);
  }
  return found;
}

function parseEntry(value: unknown): Entry | null {
  if (!isObject(value)) return null;
  const { id, type, position, config, name, disabled, notes, version } = value;
  if (typeof id !== 'string' || id === '' || typeof type !== 'string' || type === '') return null;
  if (config !== undefined && !isObject(config)) return null;
  const point = isObject(position) ? position : {};
  return {
    id,
    type,
    ...(typeof point['x'] === 'number' && typeof point['y'] === 'number'
      ? { position: { x: point['x'], y: point['y'] } }
      : {}),
    ...(config === undefined ? {} : { config }),
    ...(typeof name === 'string' ? { name } : {}),
    ...(disabled === true ? { disabled } : {}),
    ...(typeof notes === 'string' ? { notes } : {}),
    ...(typeof version === 'string' ? { version } : {}),
  };
}

function parseConnection(value: unknown): Connection | null {
  if (!isObject(value)) return null;
  const { from, to, sourcePort, targetPort } = value;
  if (typeof from !== 'string' || typeof to !== 'string') return null;
  return {
    from,
    to,
    ...(typeof sourcePort === 'string' ? { sourcePort } : {}),
    ...(typeof targetPort === 'string' ? { targetPort } : {}),
  };
}

export type Pasted = {
  readonly doc: Doc;
  readonly nodes: readonly string[];
  readonly notes: readonly string[];
};

/**
 * Pastes a fragment with its corner at a point. Ids in use are replaced, and references within the fragment
 * are updated; references to nodes outside of the fragment are removed unless those nodes exist.
 */
export function paste(doc: Doc, catalog: Catalog, piece: Doc, corner: Point): Pasted {
  const names = new Map<string, string>();
  const taken = new Set(doc.nodes.keys());
  for (const id of piece.nodes.keys()) {
    const free = createUniqueId(taken, id);
    taken.add(free);
    if (free !== id) names.set(id, free);
  }
  const boxes = computeBoxes(piece, catalog);
  const inner = getGraphIndex(piece, catalog).bodyPositions;
  const outer = [...boxes].filter(([id]) => !inner.has(id)).map(([, box]) => box);
  const bounds = computeBounds([...outer, ...piece.notes.values()]) ?? { x: 0, y: 0 };
  const dx = snap(corner.x) - bounds.x;
  const dy = snap(corner.y) - bounds.y;

  const nodes = new Map(doc.nodes);
  const added: string[] = [];
  for (const entry of piece.nodes.values()) {
    const id = names.get(entry.id) ?? entry.id;
    const { position: _old, ...rest } = removeUnknownReferences(renameReferences(entry, names), taken);
    const { x, y } = entry.position ?? { x: 0, y: 0 };
    nodes.set(
      id,
      inner.has(entry.id) ? { ...rest, id } : { ...rest, id, position: { x: x + dx, y: y + dy } },
    );
    added.push(id);
  }
  const connections = piece.connections.flatMap((connection) =>
    piece.nodes.has(connection.from) && piece.nodes.has(connection.to)
      ? [
          {
            ...connection,
            from: names.get(connection.from) ?? connection.from,
            to: names.get(connection.to) ?? connection.to,
          },
        ]
      : [],
  );
  const notes = new Map(doc.notes);
  const addedNotes: string[] = [];
  for (const note of piece.notes.values()) {
    if (notes.size + doc.others.length >= MAX_NOTES) break;
    const id = createUniqueId(notes, note.id);
    notes.set(id, { ...note, id, x: note.x + dx, y: note.y + dy });
    addedNotes.push(id);
  }
  const pasted = { ...doc, nodes, connections: [...doc.connections, ...connections], notes };
  return {
    doc: removeCrossBodyConnections(pasted, catalog),
    nodes: added.filter((id) => !isInner(names, inner, id)),
    notes: addedNotes,
  };
}

function isInner(
  names: ReadonlyMap<string, string>,
  inner: ReadonlyMap<string, unknown>,
  id: string,
): boolean {
  for (const [old, next] of names) if (next === id) return inner.has(old);
  return inner.has(id);
}

function removeUnknownReferences(entry: Entry, knownIds: ReadonlySet<string>): Entry {
  let next = entry;
  for (const { port, to } of listNamedConnections(entry))
    if (!knownIds.has(to)) next = withNamedConnection(next, port, null);
  const bodies = getBodies(entry);
  if (bodies.some(({ nodes }) => nodes.some((id) => !knownIds.has(id))))
    next = withBodies(
      next,
      bodies.map((body) => ({ ...body, nodes: body.nodes.filter((id) => knownIds.has(id)) })),
    );
  return next;
}

function snap(value: number): number {
  return Math.round(value / GRID) * GRID;
}
