import type { Doc, Entry, Json, Connection } from './document.ts';
import { isJsonEqual } from './json-equal.ts';
import { listValueChanges, type FieldChange } from './value-changes.ts';

export type NodeChange = {
  readonly id: string;
  readonly fields: readonly FieldChange[];
};

/** The changes in `after`. Nodes that only moved are listed separately: executions do not change. */
export type Diff = {
  readonly added: readonly Entry[];
  readonly removed: readonly Entry[];
  readonly changed: readonly NodeChange[];
  readonly moved: readonly string[];
  readonly connected: readonly Connection[];
  readonly disconnected: readonly Connection[];
  /** Comments that were added, removed or changed. */
  readonly notes: { readonly added: number; readonly removed: number; readonly changed: number };
};

export function compareDocs(before: Doc, after: Doc): Diff {
  const added: Entry[] = [];
  const removed: Entry[] = [];
  const changed: NodeChange[] = [];
  const moved: string[] = [];
  for (const entry of after.nodes.values()) {
    const old = before.nodes.get(entry.id);
    if (old === undefined) added.push(entry);
    else if (old !== entry) {
      const fields = listFieldChanges(old, entry);
      if (fields.length > 0) changed.push({ id: entry.id, fields });
      else if (!isJsonEqual(old.position, entry.position)) moved.push(entry.id);
    }
  }
  for (const entry of before.nodes.values()) if (!after.nodes.has(entry.id)) removed.push(entry);

  const was = keyed(before.connections);
  const is = keyed(after.connections);
  return {
    added,
    removed,
    changed,
    moved,
    connected: [...is].filter(([key]) => !was.has(key)).map(([, connection]) => connection),
    disconnected: [...was].filter(([key]) => !is.has(key)).map(([, connection]) => connection),
    notes: noteChanges(before, after),
  };
}

/** The number of differences, without nodes that only moved. */
export function countChanges({ added, removed, changed, connected, disconnected, notes }: Diff): number {
  return (
    added.length +
    removed.length +
    changed.length +
    connected.length +
    disconnected.length +
    notes.added +
    notes.removed +
    notes.changed
  );
}

export function isEmptyDiff(diff: Diff): boolean {
  return countChanges(diff) + diff.moved.length === 0;
}

/** The key of a connection: its nodes and ports. An omitted port stays omitted. */
export function formatConnectionKey({ from, sourcePort, to, targetPort }: Connection): string {
  return JSON.stringify([from, sourcePort ?? null, to, targetPort ?? null]);
}

function keyed(connections: readonly Connection[]): Map<string, Connection> {
  return new Map(connections.map((connection) => [formatConnectionKey(connection), connection]));
}

/** The fields that differ, except the position; lists are compared as wholes. */
export function listFieldChanges(before: Entry, after: Entry): FieldChange[] {
  const { position: _from, ...left } = before;
  const { position: _to, ...right } = after;
  return listValueChanges(left as unknown as Json, right as unknown as Json);
}

function noteChanges(before: Doc, after: Doc): Diff['notes'] {
  let [added, changed, removed] = [0, 0, 0];
  for (const note of after.notes.values()) {
    const old = before.notes.get(note.id);
    if (old === undefined) added++;
    else if (!isJsonEqual(old, note)) changed++;
  }
  for (const id of before.notes.keys()) if (!after.notes.has(id)) removed++;
  return { added, removed, changed };
}
