import type { Issue } from 'weft-client';
import { createStore, type Store } from '../../data/store.ts';
import type { Doc } from '../model/document.ts';
import { isFieldChanged } from '../model/issue-field.ts';
import { issueText } from '../../data/issue-text.ts';
import type { Editor } from './editor.ts';

/** Validation errors by node; those of no single node under the empty string. */
export type Issues = ReadonlyMap<string, readonly Issue[]>;

/** The validation errors of the last checked document, without those whose fields were edited since. */
export class OpenIssues {
  readonly store: Store<Issues>;
  readonly #editor: Editor;
  /** The document that the issues belong to. */
  #checked: Doc;

  constructor(editor: Editor, issues: readonly Issue[]) {
    this.#editor = editor;
    this.#checked = editor.doc();
    this.store = createStore(groupByNode(issues));
  }

  /** `doc`: the document that the service checked. */
  show(issues: readonly Issue[], doc: Doc): void {
    this.#checked = doc;
    this.store.set(groupByNode(issues.filter((issue) => !isFieldChanged(issue, doc, this.#editor.doc()))));
  }

  /** An issue is removed when its field is edited; the next save restores it if it still applies. */
  hideCorrected(): void {
    const all = [...this.store.get().values()].flat();
    const doc = this.#editor.doc();
    const open = all.filter((issue) => !isFieldChanged(issue, this.#checked, doc));
    if (open.length < all.length) this.store.set(groupByNode(open));
  }
}

function groupByNode(issues: readonly Issue[]): Issues {
  const map = new Map<string, Issue[]>();
  for (const found of issues) {
    const issue = { ...found, issue: issueText(found.issue) };
    const key = issue.node_id ?? '';
    const list = map.get(key);
    if (list === undefined) map.set(key, [issue]);
    else list.push(issue);
  }
  return map;
}
