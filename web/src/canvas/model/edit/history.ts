import type { Doc } from '../document.ts';

/** The selection: ids of nodes, edges and comments. */
export type Selection = {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
  readonly notes: ReadonlySet<string>;
};

export const emptySelection: Selection = { nodes: new Set(), edges: new Set(), notes: new Set() };

/** An undo step: the previous document and the label. */
type Step = { readonly doc: Doc; readonly selection: Selection; readonly label: string };

/**
 * Documents share what did not change, so a step costs little memory. Consecutive changes with the
 * same `merge` (one letter after the other) are one step.
 */
export type History = {
  readonly doc: Doc;
  readonly selection: Selection;
  readonly past: readonly Step[];
  readonly future: readonly Step[];
  readonly merge: string | null;
};

const MAX_STEPS = 200;

export function createHistory(doc: Doc): History {
  return { doc, selection: emptySelection, past: [], future: [], merge: null };
}

export type Change = {
  readonly doc: Doc;
  readonly label: string;
  /** The selection afterwards; unchanged by default. */
  readonly selection?: Selection | undefined;
  readonly merge?: string | undefined;
};

export function apply(history: History, { doc, label, selection, merge }: Change): History {
  const nextSelection = selection ?? history.selection;
  if (doc === history.doc)
    return nextSelection === history.selection ? history : { ...history, selection: nextSelection };
  const isMerged = merge !== undefined && merge === history.merge;
  const step: Step = { doc: history.doc, selection: history.selection, label };
  return {
    doc,
    selection: remaining(doc, nextSelection),
    past: isMerged ? history.past : [...history.past.slice(-(MAX_STEPS - 1)), step],
    future: [],
    merge: merge ?? null,
  };
}

export function select(history: History, selection: Selection): History {
  return { ...history, selection, merge: null };
}

/** The label names the undone change; null when there is nothing to undo. */
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

/** The canvas filters edges itself, since only it knows which ones are rendered. */
function remaining(doc: Doc, selection: Selection): Selection {
  const isIntact =
    [...selection.nodes].every((id) => doc.nodes.has(id)) &&
    [...selection.notes].every((id) => doc.notes.has(id));
  if (isIntact) return selection;
  return {
    nodes: new Set([...selection.nodes].filter((id) => doc.nodes.has(id))),
    edges: selection.edges,
    notes: new Set([...selection.notes].filter((id) => doc.notes.has(id))),
  };
}
