import { useCallback, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { ExecutionDetail } from 'weft-client';
import { PageLoading } from '../../app/page-loading.tsx';
import { createTriggerExample, findOnlyPackTrigger } from '../../connectors/trigger-example.ts';
import { useCommands } from '../../data/commands.ts';
import { connection } from '../../data/live/connection.ts';
import { useStore } from '../../data/store.ts';
import type { DisplayedRun } from '../../runs/displayed-run.ts';
import { RestartTour } from '../../runs/restart-tour.tsx';
import { RetryDialog } from '../../runs/retry-dialog.tsx';
import { RunControls } from '../../runs/run-controls.tsx';
import { RunPanel } from '../../runs/run-panel.tsx';
import { findOnlyWebhook } from '../../runs/webhook/webhook-request.ts';
import { NodePanel, type OutputRequest, type FieldRequest } from '../../node-panel/node-panel.tsx';
import { focusPanel } from '../../node-panel/show-field.ts';
import { dockPanel, usePanelLayout } from '../../node-panel/data/panel-layout.ts';
import { ErrorAlert } from '../../ui/alert.tsx';
import { Page } from '../../ui/page.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { formatDefinitionError } from '../state/definition-error.ts';
import { getTitleById } from '../model/title.ts';
import { Canvas } from '../components/canvas.tsx';
import { useStoreSelector } from '../components/canvas-context.ts';
import { ConnectPicker } from '../components/connect-picker.tsx';
import { ContextMenu } from '../components/context-menu.tsx';
import { getTypeIcon } from '../components/icons.ts';
import { FindBar } from '../components/find-bar.tsx';
import { Palette } from '../components/palette.tsx';
import { QuickAdd } from '../components/node-picker.tsx';
import { SelectionBar } from '../components/selection-bar.tsx';
import { ShortcutSheet } from '../components/shortcut-sheet.tsx';
import { Toolbar } from '../components/toolbar.tsx';
import { useCoveredHeight } from '../panel/use-covered-height.ts';
import { ToolDialog } from '../tools/tool-dialog.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { EditorHeader } from './editor-header.tsx';
import { EmptyCanvas } from './empty-canvas.tsx';
import { HistoryDialog } from './history-dialog.tsx';
import { load } from './load.ts';
import { openEditorSession, type EditorSession } from './editor-session.ts';
import { t } from '../../i18n/index.ts';

/** The page of one workflow. */
export function EditorPage({ workflowId }: { workflowId: string }) {
  const [session, setSession] = useState<EditorSession | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    let opened: EditorSession | null = null;
    const open = async (): Promise<void> => {
      try {
        const loaded = await load(workflowId, leaving.signal);
        if (leaving.signal.aborted) return;
        opened = openEditorSession(loaded);
        setSession(opened);
        if (loaded.draft !== null && opened.saver.state.get().kind !== 'saved')
          toast({ tone: 'info', title: t('Unsaved changes restored') });
      } catch (error) {
        if (!leaving.signal.aborted) setProblem(error);
      }
    };
    void open();
    return () => {
      leaving.abort();
      opened?.close();
    };
  }, [workflowId, round]);
  if (problem !== null)
    return (
      <Page title={t('Workflow')}>
        <ErrorAlert
          error={problem}
          onRetry={() => {
            setProblem(null);
            setRound(round + 1);
          }}
        />
      </Page>
    );
  return session === null ? <PageLoading /> : <EditorView session={session} />;
}

function EditorView({ session }: { session: EditorSession }) {
  const { editor, actions, saver, ui, tools } = session;
  const workflow = useStore(saver.workflow);
  const runState = useStore(session.run.state);
  const [isRunOpen, setIsRunOpen] = useState(false);
  const [requestedOutput, setRequestedOutput] = useState<OutputRequest | null>(null);
  const [requestedField, setRequestedField] = useState<FieldRequest | null>(null);
  const [retried, setRetried] = useState<{ execution: ExecutionDetail; place: string | undefined } | null>(
    null,
  );
  const selectedNodeId = useStoreSelector(editor.history, ({ selection }) =>
    selection.nodes.size === 1 ? [...selection.nodes][0]! : null,
  );
  const webhook = useStoreSelector(editor.history, ({ doc }) => findOnlyWebhook(doc));
  const packTrigger = useStoreSelector(editor.history, ({ doc }) => findOnlyPackTrigger(doc, editor.catalog));
  const example = useMemo(
    () => (packTrigger === null ? null : createTriggerExample(packTrigger, editor.catalog)),
    [packTrigger, editor],
  );
  const title = (id: string): string => getTitleById(editor.doc().nodes, id, editor.catalog);
  const show = useCallback(
    (id: string): void => {
      setIsRunOpen(true);
      session.run.show(id);
    },
    [session],
  );
  useEffect(() => session.run.showNewest(session.saver.workflow.get().id), [session]);
  useEffect(() => session.listening.whenReceived(show), [session, show]);
  useEffect(() => session.chat.whenStarted(show), [session, show]);
  useEffect(
    () =>
      session.nodeRuns.whenStarted((nodeId, executionId) => {
        session.run.show(executionId);
        session.actions.choose(nodeId);
        setRequestedOutput({ nodeId });
      }),
    [session],
  );
  useWatch(session);
  useCommands(() =>
    [...editor.doc().nodes.values()].map((entry) => {
      const type = editor.catalog.get(entry.type);
      return {
        id: `node ${entry.id}`,
        title: title(entry.id),
        detail: t('Node · {{type}}', { type: type?.name ?? entry.type }),
        group: t('Nodes'),
        icon: getTypeIcon(type),
        words: entry.id,
        run: () => {
          actions.choose(entry.id);
          actions.focus();
        },
      };
    }),
  );
  useLink(session, show, setRequestedField);
  // A failed node shows why it failed.
  useEffect(() => {
    if (selectedNodeId !== null && session.overlay.node(selectedNodeId)?.status === 'failed')
      setRequestedOutput({ nodeId: selectedNodeId });
  }, [session, selectedNodeId]);
  useEffect(() => {
    document.title = `${workflow.name} · Weft`;
  }, [workflow.name]);
  return (
    <div className="editor">
      <h1 className="visually-hidden">{workflow.name}</h1>
      <EditorHeader
        session={session}
        run={
          <RunControls
            workflowId={workflow.id}
            saver={saver}
            pins={session.pins}
            webhook={webhook}
            example={example}
            selectedNodeId={selectedNodeId}
            selectedTitle={selectedNodeId === null ? '' : title(selectedNodeId)}
            onStarted={(id) => {
              // On a narrow screen, the panel of the node would cover the run.
              if (ui.get().coveredHeight > 0) editor.select({});
              show(id);
            }}
            isNode={(id) => editor.doc().nodes.has(id)}
            toErrorText={(error) => formatDefinitionError(error, editor.doc(), editor.catalog)}
          />
        }
      />
      <div className="editor__body">
        <Canvas
          tools={tools}
          label={t(
            'Canvas of {{name}}. Use the arrow keys to move between nodes; press question mark for keyboard shortcuts.',
            { name: workflow.name },
          )}
          onOpenNode={focusPanel}
        >
          <Palette />
          <EmptyCanvas />
          <FindBar />
          <Toolbar />
          <QuickAdd />
          <ConnectPicker />
          <ContextMenu />
          <ToolDialog workflowId={workflow.id} />
          <SelectionBar />
          <ShortcutSheet />
        </Canvas>
        <SidePanel
          session={session}
          run={runState.run}
          requestedOutput={requestedOutput}
          requestedField={requestedField}
        />
      </div>
      {isRunOpen && workflow.tags.includes('tour') && (
        <RestartTour workflowId={workflow.id} session={session.run} onStarted={show} />
      )}
      {isRunOpen && (
        <RunPanel
          session={session.run}
          selectedNodeId={selectedNodeId}
          onChoose={(id, path) => {
            actions.choose(id);
            setRequestedOutput({ nodeId: id, path });
          }}
          onRetry={(execution, place) => setRetried({ execution, place })}
          getTitle={title}
          hasLink
          onClose={() => {
            setIsRunOpen(false);
            session.run.clear();
          }}
        />
      )}
      {retried !== null && (
        <RetryDialog
          execution={retried.execution}
          preferredNode={selectedNodeId ?? undefined}
          place={retried.place}
          defaultVersion="current"
          getTitle={title}
          errorText={(error) => formatDefinitionError(error, editor.doc(), editor.catalog)}
          onClose={() => setRetried(null)}
          onStarted={(started) => show(started.id)}
        />
      )}
      <ConflictDialog session={session} />
      <HistoryDialog
        session={session}
        onClose={() => ui.show({ isHistoryOpen: false })}
        onRestored={actions.fit}
        editor={editor}
      />
    </div>
  );
}

/** The panel of the selected node. */
function SidePanel({
  session: { editor, actions, saver, pins, listening, chat, nodeRuns, ui },
  run,
  requestedOutput,
  requestedField,
}: {
  session: EditorSession;
  run: DisplayedRun | null;
  requestedOutput: OutputRequest | null;
  requestedField: FieldRequest | null;
}) {
  const selected = useStoreSelector(editor.history, ({ selection }) =>
    selection.nodes.size === 1 && selection.notes.size === 0 ? [...selection.nodes][0]! : null,
  );
  // A node is selected when its drag starts: the panel is deferred so that it does not block the drag.
  const id = useDeferredValue(selected);
  // A renamed node is available under its new id.
  const node = useStoreSelector(editor.history, ({ doc }) =>
    id === null ? undefined : (doc.nodes.get(id) ?? doc.nodes.get(selected ?? '')),
  );
  const issues = useStoreSelector(saver.issues, (all) => (node === undefined ? undefined : all.get(node.id)));
  const layout = usePanelLayout();
  const panel = useRef<HTMLElement>(null);
  const hasNode = node !== undefined;
  const isFull = layout === 'full' && hasNode;
  // An attribute, because styles with `:has()` would be computed again for all nodes at every change in them.
  useLayoutEffect(() => {
    const body = panel.current?.parentElement;
    if (body == null) return;
    body.dataset['panel'] = layout;
    return () => body.removeAttribute('data-panel');
  }, [layout, hasNode]);
  useCoveredHeight(panel, ui, hasNode);
  useEffect(() => {
    // The canvas below cannot have the focus.
    if (isFull && panel.current?.contains(document.activeElement) === false) panel.current.focus();
  }, [isFull]);
  if (node === undefined) return null;
  return (
    <aside
      ref={panel}
      className="editor__panel"
      data-layout={layout}
      aria-label={t('Selected node')}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        if (layout === 'full') return dockPanel();
        (event.target as HTMLElement).blur();
        actions.focus();
      }}
    >
      <NodePanel
        run={run}
        pins={pins}
        requestedOutput={requestedOutput}
        listening={listening}
        chat={chat}
        layout={layout}
        nodeRuns={nodeRuns}
        requestedField={requestedField}
        node={node}
        issues={issues ?? []}
        editor={editor}
        saver={saver}
        onRename={actions.changeId}
        onClose={() => {
          editor.select({});
          actions.focus();
        }}
      />
    </aside>
  );
}

/** Follows a link such as `?node=call&run=ex_1&field=config.url`, and removes it from the address. */
function useLink(
  { editor, actions }: EditorSession,
  show: (executionId: string) => void,
  onField: (request: FieldRequest) => void,
): void {
  const [query, setQuery] = useSearchParams();
  useEffect(() => {
    const [node, run, field] = ['node', 'run', 'field'].map((name) => query.get(name));
    if (node == null && run == null) return;
    setQuery({}, { replace: true });
    if (run != null) show(run);
    if (node == null || !editor.doc().nodes.has(node)) return;
    actions.choose(node);
    if (field != null) onField({ nodeId: node, field });
  }, [query, setQuery, editor, actions, show, onField]);
}

/** Handles page events: hidden, closed, offline, visible again. */
function useWatch({ saver }: EditorSession): void {
  useEffect(() => {
    const keep = (): void => saver.keep(true);
    const onVisible = (): void => {
      if (document.visibilityState === 'hidden') saver.keep(true);
      else void saver.checkForChanges();
    };
    const onFocus = (): void => void saver.checkForChanges();
    // Handled on the document, since the browser would save the page as a file.
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      saver.reportIssues();
      void saver.flush();
    };
    addEventListener('keydown', onKey);
    const unwatch = connection.watch(() => {
      if (connection.get() === 'online' && saver.state.get().kind === 'lost') void saver.flush();
    });
    addEventListener('pagehide', keep);
    addEventListener('focus', onFocus);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      unwatch();
      removeEventListener('pagehide', keep);
      removeEventListener('focus', onFocus);
      removeEventListener('keydown', onKey);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [saver]);
}
