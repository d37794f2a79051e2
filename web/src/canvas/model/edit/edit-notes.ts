import { MAX_NOTES, type Doc, type Note, type Point } from '../document.ts';

export const newNoteSize = { width: 240, height: 120 };

/** Adds an empty comment; returns the same document when the limit is reached. */
export function addNote(doc: Doc, position: Point, text = ''): { doc: Doc; id: string | null } {
  if (doc.notes.size + doc.others.length >= MAX_NOTES) return { doc, id: null };
  let n = doc.notes.size + 1;
  while (doc.notes.has(`note_${n}`)) n++;
  const id = `note_${n}`;
  const note: Note = { id, text, ...position, ...newNoteSize, colour: 'yellow' };
  return { doc: { ...doc, notes: new Map(doc.notes).set(id, note) }, id };
}

export function changeNote(doc: Doc, id: string, change: Partial<Omit<Note, 'id'>>): Doc {
  const note = doc.notes.get(id);
  if (note === undefined) return doc;
  const next = { ...note, ...change };
  const isSame = (Object.keys(change) as (keyof typeof change)[]).every((key) => note[key] === next[key]);
  return isSame ? doc : { ...doc, notes: new Map(doc.notes).set(id, next) };
}

export function removeNotes(doc: Doc, ids: Iterable<string>): Doc {
  const notes = new Map(doc.notes);
  for (const id of ids) notes.delete(id);
  return notes.size === doc.notes.size ? doc : { ...doc, notes };
}
