import { client } from '../../data/client.ts';
import { announceListening, createListening, type Listening } from '../../runs/webhook/listening.ts';
import { createChatTest, type ChatTest } from '../../runs/chat/chat-test.ts';
import { createNodeRuns, type NodeRuns } from '../../runs/single-node-runs.ts';
import { openPins, type Pins } from '../../runs/pins/pins.ts';
import { createRunSession, type RunSession } from '../../runs/run-session.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { createActions, type Actions } from '../state/actions.ts';
import { createEditor, type Editor } from '../state/editor.ts';
import { createRunOverlay, type RunOverlay } from '../state/run-overlay.ts';
import { createAutosave, type Autosave } from '../state/autosave.ts';
import { createNextRuns } from '../state/next-runs.ts';
import { createUi, type Ui } from '../state/ui-state.ts';
import { placeUnplaced } from '../model/layout/auto-layout.ts';
import { createCatalog } from '../model/catalog.ts';
import { getGraphIndex } from '../model/graph-index.ts';
import { toDoc, type Definition, type Doc } from '../model/document.ts';
import type { CanvasTools } from '../components/canvas-context.ts';
import type { Loaded } from './load.ts';

/** One open workflow with its editor, autosave and run. */
export type EditorSession = {
  readonly editor: Editor;
  readonly actions: Actions;
  readonly saver: Autosave;
  readonly ui: Ui;
  readonly overlay: RunOverlay;
  /** The run that the canvas shows. */
  readonly run: RunSession;
  readonly pins: Pins;
  readonly listening: Listening;
  readonly chat: ChatTest;
  readonly nodeRuns: NodeRuns;
  readonly tools: CanvasTools;
  /** Saves pending changes when the page is left. */
  close(): void;
};

/** The minimum width in px to show the node palette beside the canvas. */
const WIDE_LAYOUT_PX = 1_100;
/** The minimum number of nodes for which the minimap is open at first. */
const MIN_NODES_FOR_MINIMAP = 20;

export function openEditorSession({ workflow, types, draftStore, draft }: Loaded): EditorSession {
  const catalog = createCatalog(types);
  const read = (definition: Definition): Doc => placeUnplaced(toDoc(definition), catalog);
  const doc = read(workflow.definition as Definition);
  const editor = createEditor(types, doc);
  const isEmpty = doc.nodes.size === 0;
  const ui = createUi({
    isPaletteOpen: innerWidth >= WIDE_LAYOUT_PX && isEmpty,
    isMapOpen: innerWidth >= WIDE_LAYOUT_PX && doc.nodes.size >= MIN_NODES_FOR_MINIMAP,
  });
  const saver = createAutosave({
    editor,
    workflow,
    client: client.workflows,
    draftStore,
    read,
    draft,
  });
  const actions = createActions(editor, ui, (text) => toast({ tone: 'warn', title: text }));
  const overlay = createRunOverlay(requestAnimationFrame);
  const pins = openPins(workflow.id);
  const listening = createListening(workflow.id);
  const chat = createChatTest(workflow.id);
  listening.state.watch(() => {
    const text = announceListening(listening.state.get());
    if (text !== null) editor.announce(text);
  });
  const run = createRunSession(
    overlay,
    (id) => getGraphIndex(editor.doc(), editor.catalog).in.get(id) ?? [],
    (id) => editor.doc().nodes.get(id)?.config,
  );
  const nodeRuns = createNodeRuns({ editor, saver, pins, displayed: () => run.state.get().run });
  const next = createNextRuns(saver.workflow);
  return {
    editor,
    actions,
    saver,
    ui,
    overlay,
    run,
    pins,
    listening,
    chat,
    nodeRuns,
    tools: {
      editor,
      actions,
      ui,
      overlay,
      issues: saver.issues,
      pinned: pins.outputs,
      listening: listening.state,
      nextRuns: next.runs,
      nodeRuns,
      marks: new Map(),
      edgeMarks: new Map(),
      isReadOnly: false,
    },
    close() {
      run.close();
      pins.close();
      listening.close();
      chat.close();
      next.close();
      saver.keep();
      void saver.flush().finally(() => saver.stop());
    },
  };
}
