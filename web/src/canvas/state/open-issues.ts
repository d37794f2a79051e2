import type { Issue } from 'weft-client';
import { createStore, type Store } from '../../data/store.ts';
import type { Doc, Entry } from '../model/document.ts';
import { isFieldChanged, isFieldEmpty } from '../model/issue-field.ts';
import { translateIssueText } from '../../data/issue-text.ts';
import type { Editor } from './editor.ts';

/** Validation errors by node; those of no single node under the empty string. */
export type Issues = ReadonlyMap<string, readonly Issue[]>;

/**
 * The validation errors of the last checked document, without those of fields edited since. Errors of empty
 * fields of a new node are shown once it is edited or no longer selected.
 */
export class OpenIssues {
  readonly store: Store<Issues>;
  readonly #editor: Editor;
  /** The document that the issues belong to. */
  #checked: Doc;
  #all: readonly Issue[];
  #visible: readonly Issue[];
  /** The nodes of which empty fields are reported. */
  readonly #reported: Set<string>;
  /** The configuration of a node that was just added, when its issues arrived. */
  readonly #added = new Map<string, Entry['config']>();

  constructor(editor: Editor, issues: readonly Issue[]) {
    this.#editor = editor;
    this.#checked = editor.doc();
    this.#reported = new Set(this.#checked.nodes.keys());
    this.#all = issues;
    this.#visible = issues;
    this.store = createStore(groupByNode(issues));
  }

  /** `doc`: the document that the service checked. */
  show(issues: readonly Issue[], doc: Doc): void {
    this.#checked = doc;
    this.#all = issues;
    this.hideCorrected();
  }

  /** An issue is removed when its field is edited; the next save restores it if it still applies. */
  hideCorrected(): void {
    const doc = this.#editor.doc();
    this.#all = this.#all.filter((issue) => !isFieldChanged(issue, this.#checked, doc));
    const visible = this.#all.filter((issue) => !this.#isTooEarly(issue, doc));
    if (visible.length === this.#visible.length && visible.every((issue, i) => issue === this.#visible[i]))
      return;
    this.#visible = visible;
    this.store.set(groupByNode(visible));
  }

  /** Reports the empty fields of all nodes. */
  reportAll(): void {
    for (const id of this.#editor.doc().nodes.keys()) this.#reported.add(id);
    this.hideCorrected();
  }

  #isTooEarly(issue: Issue, doc: Doc): boolean {
    const id = issue.node_id;
    const node = id === null ? undefined : doc.nodes.get(id);
    if (id === null || node === undefined || this.#reported.has(id)) return false;
    if (!this.#added.has(id)) this.#added.set(id, node.config);
    if (this.#editor.selection().nodes.has(id) && this.#added.get(id) === node.config)
      return isFieldEmpty(issue, doc);
    this.#reported.add(id);
    return false;
  }
}

function groupByNode(issues: readonly Issue[]): Issues {
  const map = new Map<string, Issue[]>();
  for (const found of issues) {
    const issue = { ...found, issue: translateIssueText(found.issue) };
    const key = issue.node_id ?? '';
    const list = map.get(key);
    if (list === undefined) map.set(key, [issue]);
    else list.push(issue);
  }
  return map;
}
