/** JSON values of a definition. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export type Point = { readonly x: number; readonly y: number };

/** One node as the service stores it. Immutable, so that derived values can be cached. */
export type Entry = {
  readonly id: string;
  readonly type: string;
  readonly position?: Point;
  readonly config?: JsonObject;
  readonly name?: string;
  readonly disabled?: boolean;
  readonly notes?: string;
  readonly version?: string;
};

/** A connection as the service stores it. An omitted port is the first one. */
export type Connection = {
  readonly from: string;
  readonly to: string;
  readonly sourcePort?: string;
  readonly targetPort?: string;
};

export const noteColors = ['yellow', 'blue', 'green', 'pink', 'grey'] as const;
export type NoteColor = (typeof noteColors)[number];

/** A comment on the canvas. In a definition it is an annotation with `kind: "note"`. */
export type Note = {
  readonly id: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly colour: NoteColor;
};

/** The edited definition, with maps for lists. Changes create new documents that share unchanged parts. */
export type Doc = {
  readonly nodes: ReadonlyMap<string, Entry>;
  readonly connections: readonly Connection[];
  readonly notes: ReadonlyMap<string, Note>;
  /** Annotations of other kinds, preserved unchanged. */
  readonly others: readonly unknown[];
};

/** The definition in the format of the API. */
export type Definition = {
  nodes: Entry[];
  connections: Connection[];
  annotations?: unknown[];
};

/** The service limits annotations. */
export const MAX_NOTES = 1_000;

/** The maximum coordinate on the canvas in px. */
const MAX_COORDINATE = 1_000_000;

export function toDoc(definition: {
  nodes?: readonly Entry[] | undefined;
  connections?: readonly Connection[] | undefined;
  annotations?: readonly unknown[] | undefined;
}): Doc {
  const notes = new Map<string, Note>();
  const others: unknown[] = [];
  for (const annotation of definition.annotations ?? []) {
    const note = parseNote(annotation);
    if (note === null || notes.has(note.id)) others.push(annotation);
    else notes.set(note.id, note);
  }
  return {
    nodes: new Map((definition.nodes ?? []).map((entry) => [entry.id, entry])),
    connections: definition.connections ?? [],
    notes,
    others,
  };
}

export function toDefinition(doc: Doc): Definition {
  const annotations = [...[...doc.notes.values()].map((note) => ({ kind: 'note', ...note })), ...doc.others];
  return {
    nodes: [...doc.nodes.values()],
    connections: [...doc.connections],
    ...(annotations.length === 0 ? {} : { annotations }),
  };
}

function parseNote(annotation: unknown): Note | null {
  if (typeof annotation !== 'object' || annotation === null) return null;
  const { kind, id, text, x, y, width, height, colour } = annotation as Record<string, unknown>;
  if (kind !== 'note' || typeof id !== 'string' || id === '' || typeof text !== 'string') return null;
  if (![x, y, width, height].every((n) => typeof n === 'number' && Math.abs(n) <= MAX_COORDINATE))
    return null;
  return {
    id,
    text,
    x: x as number,
    y: y as number,
    width: Math.max(80, width as number),
    height: Math.max(60, height as number),
    colour: noteColors.find((one) => one === colour) ?? 'yellow',
  };
}

export function isObject(value: unknown): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
