import type { UpdateWorkflowInput, Workflow } from 'weft-client';
import { createStore, type Store } from '../../data/store.ts';
import { compareDocs, isEmptyDiff } from '../model/diff.ts';
import { toDefinition, type Definition, type Doc } from '../model/document.ts';
import { mergeDocs, type Merge } from '../model/merge.ts';
import type { Editor } from './editor.ts';
import type { Draft, DraftStore } from './local-draft.ts';
import { OpenIssues, type Issues } from './open-issues.ts';
import { isTemporary, readIssues, toMessage } from './save-error.ts';
import { t } from '../../i18n/index.ts';

/** In ms: debounce after an edit, and minimum interval between saves, far below the rate limit. */
const SAVE_DEBOUNCE_MS = 1_500;
const SAVE_INTERVAL_MS = 20_000;
/** ms after an edit until the local draft is written. */
const DRAFT_DEBOUNCE_MS = 300;
/** Retry delay in ms while the service cannot be reached. */
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
/** The minimum interval in ms between checks for newer versions when the page becomes visible. */
const VERSION_CHECK_INTERVAL_MS = 60_000;

export type SaveState =
  | { readonly kind: 'saved' }
  /** Edited; will be saved automatically. */
  | { readonly kind: 'edited' }
  | { readonly kind: 'saving' }
  /** The service cannot be reached or is busy; the save is retried. */
  | { readonly kind: 'lost'; readonly message: string }
  /** The service rejects the definition. */
  | { readonly kind: 'refused'; readonly message: string; readonly canBeDraft: boolean }
  /** Another user saved a newer version. Saving is paused until the user chooses. */
  | { readonly kind: 'conflict'; readonly theirs: Workflow; readonly base: Doc; readonly merge: Merge };

/** The client methods that autosave uses. */
export type WorkflowApi = {
  get(id: string): Promise<Workflow>;
  update(id: string, body: UpdateWorkflowInput): Promise<Workflow>;
};

export type Autosave = {
  readonly state: Store<SaveState>;
  /** The latest workflow from the service, without pending edits. */
  readonly workflow: Store<Workflow>;
  /** Validation errors by node; those of no single node under the empty string. */
  readonly issues: Store<Issues>;
  /** Reports all issues, also the empty fields of a node that was just added. */
  reportIssues(): void;
  /** Saves pending changes now; false when that failed. */
  flush(): Promise<boolean>;
  /** Updates other fields than the graph, after pending changes. @throws the error of the service. */
  update(change: Omit<UpdateWorkflowInput, 'definition' | 'version'>): Promise<void>;
  /** Saves a definition that only a draft may have, by making the workflow a draft. */
  saveAsDraft(): Promise<void>;
  resolve(choice: 'mine' | 'theirs' | 'merge'): void;
  /** Checks for a newer version, at most once a minute. */
  checkForChanges(): Promise<void>;
  /** Applies the response of another request, such as a restored version. */
  adopt(workflow: Workflow): void;
  /** Writes the local draft now; `isLeaving`: the page may close immediately. */
  keep(isLeaving?: boolean): void;
  stop(): void;
};

export type AutosaveOptions = {
  readonly editor: Editor;
  readonly workflow: Workflow;
  readonly client: WorkflowApi;
  readonly draftStore: DraftStore;
  /** A definition of the service as the document that it is shown as. */
  readonly read: (definition: Definition) => Doc;
  /** The unsaved draft of an earlier page. */
  readonly draft?: Draft | null | undefined;
  readonly debounceMs?: number | undefined;
  readonly intervalMs?: number | undefined;
};

export function createAutosave(options: AutosaveOptions): Autosave {
  return new WorkflowSaver(options);
}

class WorkflowSaver implements Autosave {
  readonly state = createStore<SaveState>({ kind: 'saved' });
  readonly workflow: Store<Workflow>;
  readonly issues: Store<Issues>;
  readonly #issues: OpenIssues;
  readonly #editor: Editor;
  readonly #client: WorkflowApi;
  readonly #draftStore: DraftStore;
  readonly #read: (definition: Definition) => Doc;
  readonly #debounceMs: number;
  readonly #intervalMs: number;
  readonly #unwatch: () => void;
  /** The document of the service; the same object as the editor's if nothing is unsaved. */
  #saved: Doc;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;
  #journalTimer: ReturnType<typeof setTimeout> | undefined;
  #journaled: Doc | null = null;
  #lastSave = -Infinity;
  #lastCheck = Date.now();
  #attempts = 0;
  #running: Promise<boolean> | null = null;
  #isStopped = false;

  constructor({
    editor,
    workflow,
    client,
    draftStore,
    read,
    draft,
    debounceMs = SAVE_DEBOUNCE_MS,
    intervalMs = SAVE_INTERVAL_MS,
  }: AutosaveOptions) {
    this.#editor = editor;
    this.#client = client;
    this.#draftStore = draftStore;
    this.#read = read;
    this.#debounceMs = debounceMs;
    this.#intervalMs = intervalMs;
    this.#saved = editor.doc();
    this.workflow = createStore(workflow);
    this.#issues = new OpenIssues(editor, workflow.issues);
    this.issues = this.#issues.store;
    if (draft !== null && draft !== undefined) this.#takeUp(draft);
    this.#unwatch = editor.history.watch(() => this.#edited());
  }

  reportIssues(): void {
    this.#issues.reportAll();
  }

  async flush(): Promise<boolean> {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    if (this.#running !== null) await this.#running;
    if (this.state.get().kind === 'conflict') return false;
    if (!this.#isDirty()) return true;
    this.#running = this.#save().finally(() => (this.#running = null));
    return this.#running;
  }

  async update(change: Omit<UpdateWorkflowInput, 'definition' | 'version'>): Promise<void> {
    this.reportIssues();
    if (!(await this.flush())) throw new Error(this.#describeFailure());
    const { id, version } = this.workflow.get();
    try {
      this.#applySaved(await this.#client.update(id, { ...change, version }), this.#editor.doc());
    } catch (error) {
      if (!(await this.#isConflict(error))) {
        const found = readIssues(error, toDefinition(this.#saved));
        if (found.length > 0) this.#issues.show(found, this.#editor.doc());
        throw error;
      }
      throw new Error(t('This workflow was changed elsewhere.'), { cause: error });
    }
  }

  async saveAsDraft(): Promise<void> {
    if (this.#running !== null) await this.#running;
    const doc = this.#editor.doc();
    const { id, version } = this.workflow.get();
    const definition = toDefinition(doc) as UpdateWorkflowInput['definition'];
    try {
      this.#applySaved(await this.#client.update(id, { definition, version, status: 'draft' }), doc);
    } catch (error) {
      if (!(await this.#isConflict(error))) throw error;
    }
  }

  resolve(choice: 'mine' | 'theirs' | 'merge'): void {
    const state = this.state.get();
    if (state.kind !== 'conflict') return;
    const { theirs, merge } = state;
    const doc =
      choice === 'theirs'
        ? this.#read(theirs.definition as Definition)
        : choice === 'merge'
          ? merge.doc
          : this.#editor.doc();
    this.#rebase(theirs);
    this.state.set({ kind: 'edited' });
    if (choice !== 'mine') {
      const label = choice === 'theirs' ? t('Discard my changes') : t('Merge changes');
      this.#editor.change(label, () => doc);
    }
    if (choice === 'theirs') {
      this.#saved = this.#editor.doc();
      this.#settle();
    } else void this.flush();
  }

  async checkForChanges(): Promise<void> {
    if (Date.now() - this.#lastCheck < VERSION_CHECK_INTERVAL_MS || this.#running !== null) return;
    if (this.state.get().kind === 'conflict') return;
    this.#lastCheck = Date.now();
    const before = this.workflow.get().version;
    let theirs: Workflow;
    try {
      theirs = await this.#client.get(this.workflow.get().id);
    } catch {
      // The next save reports it.
      return;
    }
    if (this.#isStopped || this.#running !== null || this.workflow.get().version !== before) return;
    if (theirs.version <= before) return;
    if (this.#isDirty()) this.#handleRemoteChange(theirs);
    else this.adopt(theirs);
  }

  adopt(workflow: Workflow): void {
    const next = this.#read(workflow.definition as Definition);
    if (!isEmptyDiff(compareDocs(this.#editor.doc(), next)))
      this.#editor.change(t('Show version {{version}}', { version: workflow.version }), () => next);
    this.#applySaved(workflow, this.#editor.doc());
  }

  keep(isLeaving = false): void {
    clearTimeout(this.#journalTimer);
    this.#journalTimer = undefined;
    const doc = this.#editor.doc();
    if (!this.#isDirty() || (this.#journaled === doc && !isLeaving)) return;
    this.#journaled = doc;
    const { id, version } = this.workflow.get();
    const [base, draft] = [toDefinition(this.#saved), toDefinition(doc)];
    this.#draftStore.write({ workflowId: id, version, base, draft, at: Date.now() }, isLeaving);
  }

  stop(): void {
    this.keep();
    this.#isStopped = true;
    this.#unwatch();
    clearTimeout(this.#saveTimer);
    clearTimeout(this.#journalTimer);
  }

  #isDirty(): boolean {
    return this.#editor.doc() !== this.#saved;
  }

  #describeFailure(): string {
    const state = this.state.get();
    if (state.kind === 'lost' || state.kind === 'refused') return state.message;
    return state.kind === 'conflict' ? t('This workflow was changed elsewhere.') : t('Could not save.');
  }

  /**
   * The draft of an earlier page, resumed on the version it is based on. On a newer one, the user chooses.
   */
  #takeUp(draft: Draft): void {
    const workflow = this.workflow.get();
    const mine = this.#read(draft.draft);
    const theirs = this.#saved;
    if (isEmptyDiff(compareDocs(theirs, mine))) return this.#draftStore.clear();
    if (draft.version === workflow.version) {
      this.#editor.change(t('Restore unsaved changes'), () => mine);
      this.#edited();
      return;
    }
    const base = this.#read(draft.base);
    this.#saved = base;
    this.#editor.change(t('Restore unsaved changes'), () => mine);
    this.#journaled = mine;
    this.#handleRemoteChange(workflow);
  }

  #edited(): void {
    if (this.#isStopped) return;
    this.#issues.hideCorrected();
    if (!this.#isDirty()) {
      // Undo restored the saved document.
      if (this.state.get().kind === 'edited') this.#settle();
      return;
    }
    this.#journalTimer ??= setTimeout(() => this.keep(), DRAFT_DEBOUNCE_MS);
    const { kind } = this.state.get();
    if (kind === 'conflict' || kind === 'saving' || kind === 'lost') return;
    if (kind !== 'refused') this.state.set({ kind: 'edited' });
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#saveTimer);
    const wait = Math.max(this.#debounceMs, this.#lastSave + this.#intervalMs - Date.now());
    this.#saveTimer = setTimeout(() => void this.flush(), wait);
  }

  async #save(): Promise<boolean> {
    const doc = this.#editor.doc();
    const { id, version, status } = this.workflow.get();
    const definition = toDefinition(doc);
    if (this.state.get().kind !== 'lost') this.state.set({ kind: 'saving' });
    this.#lastSave = Date.now();
    try {
      const workflow = await this.#client.update(id, {
        definition: definition as UpdateWorkflowInput['definition'],
        version,
        // An active workflow keeps running its published version until it is published again.
        ...(status === 'active' ? { publish: false } : {}),
      });
      this.#applySaved(workflow, doc);
      return true;
    } catch (error) {
      if (await this.#isConflict(error)) return !this.#isDirty();
      this.#failed(error, definition, doc);
      return false;
    }
  }

  /** Returns whether it was a conflict, which is then handled. */
  async #isConflict(error: unknown): Promise<boolean> {
    const { code, details } = error as { code?: string; details?: { field?: string } };
    if (code !== 'CONFLICT' || details?.field !== 'version') return false;
    try {
      this.#handleRemoteChange(await this.#client.get(this.workflow.get().id));
    } catch (lost) {
      this.#failed(lost, toDefinition(this.#editor.doc()), this.#editor.doc());
    }
    return true;
  }

  /** Another user saved. An equal change, or one that left the graph unchanged, is no conflict. */
  #handleRemoteChange(theirs: Workflow): void {
    const base = this.#saved;
    const mine = this.#editor.doc();
    const other = this.#read(theirs.definition as Definition);
    // The response of our own save was lost.
    if (isEmptyDiff(compareDocs(other, mine))) return this.#applySaved(theirs, mine);
    if (isEmptyDiff(compareDocs(base, other))) {
      this.#rebase(theirs);
      this.state.set({ kind: 'edited' });
      this.#lastSave = -Infinity;
      this.#schedule();
      return;
    }
    this.keep();
    this.state.set({ kind: 'conflict', theirs, base, merge: mergeDocs(base, mine, other) });
    this.#editor.announce(t('This workflow was changed elsewhere. Choose which changes to keep.'));
  }

  #rebase(theirs: Workflow): void {
    this.workflow.set(theirs);
    this.#saved = this.#read(theirs.definition as Definition);
    this.#issues.show(theirs.issues, this.#saved);
    this.#journaled = null;
    this.#journalTimer ??= setTimeout(() => this.keep(), DRAFT_DEBOUNCE_MS);
  }

  #applySaved(workflow: Workflow, doc: Doc): void {
    this.#attempts = 0;
    this.#saved = doc;
    this.workflow.set(workflow);
    this.#issues.show(workflow.issues, doc);
    if (this.#isDirty()) {
      this.#journaled = null;
      this.state.set({ kind: 'edited' });
      this.#journalTimer ??= setTimeout(() => this.keep(), DRAFT_DEBOUNCE_MS);
      if (!this.#isStopped) this.#schedule();
    } else this.#settle();
  }

  #settle(): void {
    clearTimeout(this.#saveTimer);
    clearTimeout(this.#journalTimer);
    this.#saveTimer = undefined;
    this.#journalTimer = undefined;
    this.#journaled = null;
    this.#draftStore.clear();
    this.state.set({ kind: 'saved' });
  }

  #failed(error: unknown, sent: Definition, doc: Doc): void {
    this.keep();
    if (isTemporary(error)) {
      const retryAfter = (error as { retryAfter?: number | null }).retryAfter;
      const wait =
        typeof retryAfter === 'number'
          ? retryAfter * 1_000
          : RETRY_DELAYS_MS[Math.min(this.#attempts, RETRY_DELAYS_MS.length - 1)]!;
      this.#attempts++;
      this.state.set({ kind: 'lost', message: toMessage(error) });
      if (!this.#isStopped) this.#saveTimer = setTimeout(() => void this.flush(), wait);
      return;
    }
    const found = readIssues(error, sent);
    if (found.length > 0) this.#issues.show(found, doc);
    const first = found[0];
    const message = first === undefined ? toMessage(error) : `${first.node_id ?? first.field} ${first.issue}`;
    const isContent = found.length > 0 && found.every(({ node_id }) => node_id !== null);
    this.state.set({
      kind: 'refused',
      message,
      canBeDraft: isContent && this.workflow.get().status === 'inactive',
    });
  }
}
