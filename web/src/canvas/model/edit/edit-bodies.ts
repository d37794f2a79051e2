import { isTrigger, type Catalog } from '../catalog.ts';
import type { Doc, Entry, Point } from '../document.ts';
import { removeCrossBodyConnections } from './edit-connections.ts';
import { changeNodes, putInBody } from './edit-nodes.ts';
import { getGraphIndex, type GraphIndex, type BodyPosition } from '../graph-index.ts';
import { getBodies, getNewBody, withBodies } from '../structure.ts';
import { t } from '../../../i18n/index.ts';

/** The message why nodes cannot be moved into a body; null if they can. */
export function findMoveError(
  doc: Doc,
  catalog: Catalog,
  ids: readonly string[],
  bodyPosition: BodyPosition,
): string | null {
  const index = getGraphIndex(doc, catalog);
  if (ids.some((id) => isTrigger(catalog, doc.nodes.get(id)?.type ?? '')))
    return t('A trigger cannot be inside another node.');
  const moved = new Set(ids);
  for (
    let container: string | undefined = bodyPosition.container;
    container !== undefined;
    container = index.bodyPositions.get(container)?.container
  )
    if (moved.has(container)) return t('A node cannot contain itself.');
  return null;
}

/** Moves nodes into a body, before the node at the position. Connections that become invalid are removed. */
export function moveIntoBody(
  doc: Doc,
  catalog: Catalog,
  ids: readonly string[],
  bodyPosition: BodyPosition,
): Doc {
  if (ids.length === 0 || findMoveError(doc, catalog, ids, bodyPosition) !== null) return doc;
  const index = getGraphIndex(doc, catalog);
  const before = listBodyNodes(index, bodyPosition)
    .slice(0, bodyPosition.index)
    .filter((id) => !ids.includes(id)).length;
  const out = takeOut(doc, index, ids);
  const placed = putInBody(withoutPositions(out, ids), ids, {
    ...bodyPosition,
    index: findListIndex(out, bodyPosition, before),
  });
  return removeCrossBodyConnections(placed, catalog);
}

/** The index in the configuration's list, which may contain ids of nodes that do not exist. */
function findListIndex(doc: Doc, bodyPosition: BodyPosition, before: number): number {
  const container = doc.nodes.get(bodyPosition.container);
  const list =
    container === undefined
      ? []
      : (getBodies(container).find(({ name }) => name === bodyPosition.body)?.nodes ?? []);
  let left = before;
  for (const [position, id] of list.entries()) {
    if (left === 0) return position;
    if (doc.nodes.has(id)) left--;
  }
  return list.length;
}

function listBodyNodes(index: GraphIndex, { container, body }: BodyPosition): readonly string[] {
  return index.bodyNodes.get(container)?.get(body) ?? [];
}

/** Moves nodes out of their bodies onto the canvas, each to its position. */
export function moveOut(doc: Doc, catalog: Catalog, positions: ReadonlyMap<string, Point>): Doc {
  const ids = [...positions.keys()];
  const out = takeOut(doc, getGraphIndex(doc, catalog), ids);
  const placed = changeNodes(out, ids, (entry) => ({ ...entry, position: positions.get(entry.id)! }));
  return removeCrossBodyConnections(placed, catalog);
}

function takeOut(doc: Doc, index: GraphIndex, ids: readonly string[]): Doc {
  const moved = new Set(ids);
  const containers = new Set(ids.flatMap((id) => index.bodyPositions.get(id)?.container ?? []));
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

/** Adds a body to a node with a variable number of bodies. */
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
