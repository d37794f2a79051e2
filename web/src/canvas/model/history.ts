import type { Doc } from './document.ts';

/** What is selected: nodes, lines and comments by their ids. */
export type Selection = {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
  readonly notes: ReadonlySet<string>;
};

export const nothing: Selection = { nodes: new Set(), edges: new Set(), notes: new Set() };

/** A step that can be undone: what there was before it, and what it is called. */
type Step = { readonly doc: Doc; readonly selection: Selection; readonly label: string };

/**
 * Documents share what did not change, so a step costs little and everything can be undone in the same way. Changes with the
 * same `merge` in a row (one letter after the other) are one step.
 */
export type History = {
  readonly doc: Doc;
  readonly selection: Selection;
  readonly past: readonly Step[];
  readonly future: readonly Step[];
  readonly merge: string | null;
};

const MAX_STEPS = 200;

export function historyOf(doc: Doc): History {
  return { doc, selection: nothing, past: [], future: [], merge: null };
}

export type Change = {
  readonly doc: Doc;
  readonly label: string;
  /** What is selected afterwards; as before when left out. */
  readonly selection?: Selection | undefined;
  readonly merge?: string | undefined;
};

export function apply(history: History, { doc, label, selection, merge }: Change): History {
  const chosen = selection ?? history.selection;
  if (doc === history.doc) return chosen === history.selection ? history : { ...history, selection: chosen };
  const isMerged = merge !== undefined && merge === history.merge;
  const step: Step = { doc: history.doc, selection: history.selection, label };
  return {
    doc,
    selection: remaining(doc, chosen),
    past: isMerged ? history.past : [...history.past.slice(-(MAX_STEPS - 1)), step],
    future: [],
    merge: merge ?? null,
  };
}

export function select(history: History, selection: Selection): History {
  return { ...history, selection, merge: null };
}

/** The label tells what was undone; null when there is nothing to undo. */
export function undo(history: History): { history: History; label: string } | null {
  const step = history.past.at(-1);
  if (step === undefined) return null;
  const back: Step = { doc: history.doc, selection: history.selection, label: step.label };
  return {
    label: step.label,
    history: {
      doc: step.doc,
      selection: remaining(step.doc, step.selection),
      past: history.past.slice(0, -1),
      future: [...history.future, back],
      merge: null,
    },
  };
}

export function redo(history: History): { history: History; label: string } | null {
  const step = history.future.at(-1);
  if (step === undefined) return null;
  const back: Step = { doc: history.doc, selection: history.selection, label: step.label };
  return {
    label: step.label,
    history: {
      doc: step.doc,
      selection: remaining(step.doc, step.selection),
      past: [...history.past, back],
      future: history.future.slice(0, -1),
      merge: null,
    },
  };
}

/** Lines are left to the canvas, which alone knows what is drawn. */
function remaining(doc: Doc, selection: Selection): Selection {
  const isThere =
    [...selection.nodes].every((id) => doc.nodes.has(id)) &&
    [...selection.notes].every((id) => doc.notes.has(id));
  if (isThere) return selection;
  return {
    nodes: new Set([...selection.nodes].filter((id) => doc.nodes.has(id))),
    edges: selection.edges,
    notes: new Set([...selection.notes].filter((id) => doc.notes.has(id))),
  };
}
