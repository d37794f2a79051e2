import { createStore, type Store } from '../../data/store.ts';
import { createCatalog, type Catalog, type NodeType } from '../model/catalog.ts';
import type { Doc } from '../model/document.ts';
import {
  apply,
  createHistory,
  emptySelection,
  redo,
  select,
  undo,
  type History,
  type Selection,
} from '../model/edit/history.ts';
import { t } from '../../i18n/index.ts';

/** A screen reader announcement. `at` distinguishes repeated texts. */
export type Announcement = { readonly text: string; readonly sequence: number };

export type ChangeOptions = {
  readonly selection?: Selection | undefined;
  /** Consecutive changes with the same name are undone together. */
  readonly merge?: string | undefined;
  /** The announcement; by default the label. Empty: none. */
  readonly announce?: string | undefined;
};

/** The state of an edited workflow: document, undo history, selection. No React, no network. */
export type Editor = {
  readonly catalog: Catalog;
  readonly history: Store<History>;
  readonly announcement: Store<Announcement>;
  doc(): Doc;
  selection(): Selection;
  /** Returns whether the document changed. */
  change(label: string, edit: (doc: Doc) => Doc, options?: ChangeOptions): boolean;
  select(selection: Partial<Selection>): void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly announce: (text: string) => void;
};

export function createEditor(types: readonly NodeType[], doc: Doc): Editor {
  const catalog = createCatalog(types);
  const history = createStore(createHistory(doc));
  const announcement = createStore<Announcement>({ text: '', sequence: 0 });
  const announce = (text: string): void => {
    if (text !== '') announcement.set({ text, sequence: announcement.get().sequence + 1 });
  };
  return {
    catalog,
    history,
    announcement,
    doc: () => history.get().doc,
    selection: () => history.get().selection,
    change(label, edit, { selection, merge, announce: words } = {}) {
      const before = history.get();
      const next = edit(before.doc);
      const isChanged = next !== before.doc;
      history.set(apply(before, { doc: next, label, selection, merge }));
      if (isChanged) announce(words ?? label);
      return isChanged;
    },
    select(selection) {
      const before = history.get();
      const next = { ...emptySelection, ...selection };
      if (!isSame(before.selection, next)) history.set(select(before, next));
    },
    undo() {
      const step = undo(history.get());
      if (step === null) return announce(t('Nothing to undo'));
      history.set(step.history);
      announce(t('Undone: {{change}}', { change: step.label }));
    },
    redo() {
      const step = redo(history.get());
      if (step === null) return announce(t('Nothing to redo'));
      history.set(step.history);
      announce(t('Redone: {{change}}', { change: step.label }));
    },
    announce,
  };
}

function isSame(a: Selection, b: Selection): boolean {
  return (['nodes', 'edges', 'notes'] as const).every(
    (kind) =>
      a[kind] === b[kind] || (a[kind].size === b[kind].size && [...a[kind]].every((id) => b[kind].has(id))),
  );
}
