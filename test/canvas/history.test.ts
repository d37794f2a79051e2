import { expect, test } from 'vitest';
import { addNode } from '../../web/src/canvas/model/edit/edit-nodes.ts';
import {
  apply,
  createHistory,
  emptySelection,
  redo,
  select,
  undo,
} from '../../web/src/canvas/model/edit/history.ts';
import { toDoc } from '../../web/src/canvas/model/document.ts';
import { builtinCatalog as cat } from './support/builtin-catalog.ts';

const at = { position: { x: 0, y: 0 } };

test('every change can be undone and redone, with the selection', () => {
  const empty = createHistory(toDoc({}));
  const { doc, id } = addNode(empty.doc, cat, 'set', at);
  const added = apply(empty, { doc, label: 'add', selection: { ...emptySelection, nodes: new Set([id]) } });
  const back = undo(added)!;
  expect(back.label).toBe('add');
  expect(back.history.doc).toBe(empty.doc);
  expect(back.history.selection.nodes.size).toBe(0);
  const again = redo(back.history)!;
  expect(again.history.doc).toBe(doc);
  expect([...again.history.selection.nodes]).toEqual([id]);
  expect(undo(empty)).toBeNull();
  expect(redo(added)).toBeNull();
});

test('changes of the same kind in a row are one step, until something else comes between', () => {
  let history = createHistory(toDoc({}));
  const add = (merge?: string): void => {
    history = apply(history, { doc: addNode(history.doc, cat, 'set', at).doc, label: 'add', merge });
  };
  add('a');
  add('a');
  expect(history.past.length).toBe(1);
  history = select(history, emptySelection);
  add('a');
  add('b');
  expect(history.past.length).toBe(3);
});

test('a change without an effect adds no undo step', () => {
  const history = createHistory(toDoc({}));
  expect(apply(history, { doc: history.doc, label: 'nothing' })).toBe(history);
});

test('the steps are bounded', () => {
  let history = createHistory(toDoc({}));
  for (let i = 0; i < 300; i++)
    history = apply(history, { doc: addNode(history.doc, cat, 'set', at).doc, label: 'add' });
  expect(history.past.length).toBe(200);
});
