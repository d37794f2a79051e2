import { isTrigger, type Catalogue } from '../catalogue.ts';
import type { Doc, Entry, Point } from '../document.ts';
import { dropCrossing } from './edit-links.ts';
import { changeNodes, putInBody } from './edit-nodes.ts';
import { getGraphIndex, type GraphIndex, type Place } from '../graph-index.ts';
import { getBodies, getNewBody, withBodies } from '../structure.ts';
import { t } from '../../../i18n/index.ts';

/** Why these nodes cannot go into a body; null when they can. */
export function findMoveError(
  doc: Doc,
  catalogue: Catalogue,
  ids: readonly string[],
  location: Place,
): string | null {
  const index = getGraphIndex(doc, catalogue);
  if (ids.some((id) => isTrigger(catalogue, doc.nodes.get(id)?.type ?? '')))
    return t('A trigger cannot be inside another node.');
  const moved = new Set(ids);
  for (
    let at: string | undefined = location.container;
    at !== undefined;
    at = index.places.get(at)?.container
  )
    if (moved.has(at)) return t('A node cannot contain itself.');
  return null;
}

/** Moves nodes into a body, before the one at the place. Connections that cannot stand any more go. */
export function moveIntoBody(doc: Doc, catalogue: Catalogue, ids: readonly string[], location: Place): Doc {
  if (ids.length === 0 || findMoveError(doc, catalogue, ids, location) !== null) return doc;
  const index = getGraphIndex(doc, catalogue);
  const before = bodyNodes(index, location)
    .slice(0, location.at)
    .filter((id) => !ids.includes(id)).length;
  const out = takeOut(doc, index, ids);
  const placed = putInBody(withoutPositions(out, ids), ids, {
    ...location,
    at: listedAt(out, location, before),
  });
  return dropCrossing(placed, catalogue);
}

/** A body's list may name nodes that are not there: these are kept, and counted past. */
function listedAt(doc: Doc, location: Place, before: number): number {
  const container = doc.nodes.get(location.container);
  const list =
    container === undefined
      ? []
      : (getBodies(container).find(({ name }) => name === location.body)?.nodes ?? []);
  let left = before;
  for (const [at, id] of list.entries()) {
    if (left === 0) return at;
    if (doc.nodes.has(id)) left--;
  }
  return list.length;
}

function bodyNodes(index: GraphIndex, { container, body }: Place): readonly string[] {
  return index.members.get(container)?.get(body) ?? [];
}

/** Moves nodes out of their bodies onto the canvas, each to its position. */
export function moveOut(doc: Doc, catalogue: Catalogue, positions: ReadonlyMap<string, Point>): Doc {
  const ids = [...positions.keys()];
  const out = takeOut(doc, getGraphIndex(doc, catalogue), ids);
  const placed = changeNodes(out, ids, (entry) => ({ ...entry, position: positions.get(entry.id)! }));
  return dropCrossing(placed, catalogue);
}

function takeOut(doc: Doc, index: GraphIndex, ids: readonly string[]): Doc {
  const moved = new Set(ids);
  const containers = new Set(ids.flatMap((id) => index.places.get(id)?.container ?? []));
  return changeNodes(doc, containers, (entry) =>
    withBodies(
      entry,
      getBodies(entry).map((body) => ({ ...body, nodes: body.nodes.filter((id) => !moved.has(id)) })),
    ),
  );
}

function withoutPositions(doc: Doc, ids: readonly string[]): Doc {
  return changeNodes(doc, ids, (entry) => {
    if (entry.position === undefined) return entry;
    const { position: _position, ...rest } = entry;
    return rest satisfies Entry;
  });
}

/** Adds a body to a node that takes any number of them. */
export function addBody(doc: Doc, id: string): Doc {
  return changeNodes(doc, [id], (entry) => {
    const newBody = getNewBody(entry.type);
    if (newBody === null) return entry;
    const bodies = getBodies(entry);
    const names = new Set(bodies.map(({ name }) => name));
    let n = 1;
    while (names.has(newBody.createName(n))) n++;
    return withBodies(entry, [...bodies, { name: newBody.createName(n), nodes: [] }]);
  });
}
