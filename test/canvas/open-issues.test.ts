import { expect, test } from 'vitest';
import type { Issue } from 'weft-client';
import { toDoc, type JsonObject } from '../../web/src/canvas/model/document.ts';
import { setConfig } from '../../web/src/canvas/model/edit/edit-config.ts';
import { addNode } from '../../web/src/canvas/model/edit/edit-nodes.ts';
import { emptySelection } from '../../web/src/canvas/model/edit/history.ts';
import { createEditor, type Editor } from '../../web/src/canvas/state/editor.ts';
import { OpenIssues } from '../../web/src/canvas/state/open-issues.ts';
import { builtinCatalog as cat } from './support/builtin-catalog.ts';

const at = { position: { x: 0, y: 0 } };
const missing = (id: string, key: string): Issue =>
  ({ node_id: id, field: `config.${key}`, issue: 'is required' }) as Issue;

/** An editor in which a node was just added and selected, and the issues of the save after it. */
function withAdded(config: JsonObject = {}): {
  editor: Editor;
  id: string;
  issues: OpenIssues;
  shown: () => string[];
} {
  const editor = createEditor([...cat.values()], toDoc({}));
  const issues = new OpenIssues(editor, []);
  let id = '';
  editor.change('Add', (doc) => {
    const added = addNode(doc, cat, 'http_request', at, config);
    ({ id } = added);
    return added.doc;
  });
  editor.select({ ...emptySelection, nodes: new Set([id]) });
  issues.show([missing(id, 'url')], editor.doc());
  return {
    editor,
    id,
    issues,
    shown: () => [...issues.store.get().values()].flat().map(({ field }) => field),
  };
}

test('empty fields of a node that was just added are reported when it is no longer selected', () => {
  const { editor, issues, shown } = withAdded();
  expect(shown()).toEqual([]);
  editor.select(emptySelection);
  issues.hideCorrected();
  expect(shown()).toEqual(['config.url']);
});

test('they are reported after the first edit of the node', () => {
  const { editor, id, issues, shown } = withAdded();
  editor.change('Configure', (doc) => setConfig(doc, editor.catalog, id, { method: 'POST' }));
  issues.hideCorrected();
  expect(shown()).toEqual(['config.url']);
});

test('they are reported when the user runs or activates the workflow', () => {
  const { issues, shown } = withAdded();
  issues.reportAll();
  expect(shown()).toEqual(['config.url']);
});

test('a wrong value of a new node, and all issues of earlier nodes, are reported at once', () => {
  const { editor, id, issues, shown } = withAdded({ method: 'NOPE' });
  issues.show([missing(id, 'url'), { ...missing(id, 'method'), issue: 'must be GET' }], editor.doc());
  expect(shown()).toEqual(['config.method']);
  const later = new OpenIssues(editor, []);
  later.show([missing(id, 'url')], editor.doc());
  expect([...later.store.get().keys()]).toEqual([id]);
});
