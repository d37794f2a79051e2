import { isObject, type Doc, type Entry, type Json, type Connection, type Note } from './document.ts';
import { formatConnectionKey } from './diff.ts';
import { isJsonEqual } from './json-equal.ts';
import { getBodies, listNamedConnections } from './structure.ts';
import { t } from '../../i18n/index.ts';

/** The description of an element that both sides changed differently. */
export type MergeConflict = { readonly node: string; readonly what: string };

export type Merge = { readonly doc: Doc; readonly conflicts: readonly MergeConflict[] };

/**
 * A three-way merge of definitions. Where both sides changed the same field differently, there is a conflict,
 * and `doc` has the value of `mine`. If both moved a node, `mine` is used without a conflict.
 */
export function mergeDocs(base: Doc, mine: Doc, theirs: Doc): Merge {
  const conflicts: MergeConflict[] = [];
  const nodes = new Map<string, Entry>();
  const order = [...theirs.nodes.keys(), ...[...mine.nodes.keys()].filter((id) => !theirs.nodes.has(id))];
  for (const id of order) {
    const merged = mergeNode(base.nodes.get(id), mine.nodes.get(id), theirs.nodes.get(id), conflicts);
    if (merged !== null) nodes.set(id, merged);
  }
  for (const entry of base.nodes.values()) {
    // One side removed it: the change of the other side would be lost.
    const left = mine.nodes.get(entry.id) ?? theirs.nodes.get(entry.id);
    if (left !== undefined && !nodes.has(entry.id) && !isJsonEqual(omitPosition(left), omitPosition(entry)))
      conflicts.push({
        node: entry.id,
        what: t('removed on one side, changed on the other'),
      });
  }
  const connections = mergeConnections(base.connections, mine.connections, theirs.connections);
  for (const connection of connections)
    for (const id of [connection.from, connection.to])
      if (!nodes.has(id))
        conflicts.push({ node: id, what: t('removed on one side, connected on the other') });
  for (const entry of nodes.values()) addLost(entry, base.nodes, nodes, conflicts);
  addDoublyPlaced(nodes, conflicts);
  return {
    doc: {
      nodes,
      connections: connections.filter(({ from, to }) => nodes.has(from) && nodes.has(to)),
      notes: mergeNotes(base.notes, mine.notes, theirs.notes),
      others: isJsonEqual(mine.others, base.others) ? theirs.others : mine.others,
    },
    conflicts,
  };
}

function mergeNode(
  base: Entry | undefined,
  mine: Entry | undefined,
  theirs: Entry | undefined,
  conflicts: MergeConflict[],
): Entry | null {
  if (mine === undefined && theirs === undefined) return null;
  if (base === undefined) {
    if (mine === undefined) return theirs!;
    if (theirs !== undefined && !isJsonEqual(mine, theirs))
      conflicts.push({ node: mine.id, what: t('added on both sides under the same id') });
    return mine;
  }
  if (mine === undefined || theirs === undefined) return null;
  if (mine === base || isJsonEqual(mine, base)) return theirs;
  if (theirs === base || isJsonEqual(theirs, base)) return mine;
  const { position: mineAt, ...mineRest } = mine;
  const { position: theirsAt, ...theirsRest } = theirs;
  const { position: baseAt, ...baseRest } = base;
  const paths: string[] = [];
  const merged = mergeFields(baseRest, mineRest, theirsRest, paths) as unknown as Entry;
  for (const path of paths) conflicts.push({ node: base.id, what: path });
  const position = isJsonEqual(mineAt, baseAt) ? theirsAt : mineAt;
  return position === undefined ? merged : { ...merged, position };
}

type Level = {
  base: Readonly<Record<string, unknown>>;
  mine: Readonly<Record<string, unknown>>;
  theirs: Readonly<Record<string, unknown>>;
  into: Record<string, unknown>;
  path: string;
};

/** Merges by field, recursively. Lists are merged as single values. */
function mergeFields(base: object, mine: object, theirs: object, paths: string[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  const work: Level[] = [
    {
      base: base as Record<string, unknown>,
      mine: mine as Record<string, unknown>,
      theirs: theirs as Record<string, unknown>,
      into: root,
      path: '',
    },
  ];
  for (const level of work) {
    for (const key of new Set([...Object.keys(level.theirs), ...Object.keys(level.mine)])) {
      const [was, a, b] = [level.base[key], level.mine[key], level.theirs[key]];
      const path = level.path === '' ? key : `${level.path}.${key}`;
      if (isObject(was) && isObject(a) && isObject(b)) {
        const into: Record<string, unknown> = {};
        level.into[key] = into;
        work.push({ base: was, mine: a, theirs: b, into, path });
        continue;
      }
      const isMine = !isJsonEqual(a, was);
      if (isMine && !isJsonEqual(b, was) && !isJsonEqual(a, b)) paths.push(path);
      const value = isMine ? a : b;
      if (value !== undefined) level.into[key] = value;
    }
  }
  return root;
}

/** Merges connections by nodes and ports: an addition or removal of one side is applied. */
function mergeConnections(
  base: readonly Connection[],
  mine: readonly Connection[],
  theirs: readonly Connection[],
): Connection[] {
  const [was, a, b] = [base, mine, theirs].map(
    (connections) => new Set(connections.map(formatConnectionKey)),
  );
  const retained = theirs.filter(
    (connection) => a!.has(formatConnectionKey(connection)) || !was!.has(formatConnectionKey(connection)),
  );
  const added = mine.filter(
    (connection) => !b!.has(formatConnectionKey(connection)) && !was!.has(formatConnectionKey(connection)),
  );
  return [...retained, ...added];
}

/** Merges comments. If both sides changed one, `mine` is used. */
function mergeNotes(
  base: ReadonlyMap<string, Note>,
  mine: ReadonlyMap<string, Note>,
  theirs: ReadonlyMap<string, Note>,
): Map<string, Note> {
  const notes = new Map<string, Note>();
  for (const id of new Set([...theirs.keys(), ...mine.keys()])) {
    const [was, a, b] = [base.get(id), mine.get(id), theirs.get(id)];
    const isMine = !isJsonEqual(a, was);
    const note = isMine ? (a ?? b) : b;
    if (note !== undefined) notes.set(id, note);
  }
  return notes;
}

/** Finds references to nodes that the other side removed. */
function addLost(
  entry: Entry,
  base: ReadonlyMap<string, Entry>,
  nodes: ReadonlyMap<string, Entry>,
  conflicts: MergeConflict[],
): void {
  const named = [
    ...listNamedConnections(entry).map(({ to }) => to),
    ...getBodies(entry).flatMap((body) => body.nodes),
  ];
  for (const id of named)
    if (!nodes.has(id) && base.has(id))
      conflicts.push({
        node: entry.id,
        what: t('names {{id}}, which was deleted elsewhere', { id }),
      });
}

function addDoublyPlaced(nodes: ReadonlyMap<string, Entry>, conflicts: MergeConflict[]): void {
  const owners = new Map<string, string>();
  for (const entry of nodes.values())
    for (const { nodes: ids } of getBodies(entry))
      for (const id of ids) {
        const other = owners.get(id);
        if (other !== undefined && other !== entry.id)
          conflicts.push({
            node: id,
            what: t('is inside both {{other}} and {{id}}', { other, id: entry.id }),
          });
        owners.set(id, entry.id);
      }
}

function omitPosition({ position: _position, ...rest }: Entry): Json {
  return rest as unknown as Json;
}
