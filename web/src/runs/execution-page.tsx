import { ChevronLeft, Pencil, X } from 'lucide-react';
import { Fragment, useEffect, useMemo, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { PageLoading } from '../app/page-loading.tsx';
import { createActions } from '../canvas/state/actions.ts';
import { createEditor } from '../canvas/state/editor.ts';
import { createRunOverlay } from '../canvas/state/run-overlay.ts';
import type { Issues } from '../canvas/state/open-issues.ts';
import { createUi } from '../canvas/state/ui-state.ts';
import { placeUnplaced } from '../canvas/model/layout/auto-layout.ts';
import { createCatalog } from '../canvas/model/catalog.ts';
import { toDoc } from '../canvas/model/document.ts';
import { getGraphIndex } from '../canvas/model/graph-index.ts';
import { getTitleById } from '../canvas/model/title.ts';
import { Canvas } from '../canvas/components/canvas.tsx';
import { useStoreSelector, type CanvasTools } from '../canvas/components/canvas-context.ts';
import { useCoveredHeight } from '../canvas/panel/use-covered-height.ts';
import { Toolbar } from '../canvas/components/toolbar.tsx';
import { createStore, useStore } from '../data/store.ts';
import { formatFieldHref } from '../data/editor-link.ts';
import { NodeData } from '../node-panel/node-data.tsx';
import type { OutputRequest } from '../node-panel/node-panel.tsx';
import { ButtonLink, IconButton } from '../ui/button.tsx';
import { ErrorAlert } from '../ui/alert.tsx';
import { Page } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { noNextRuns } from '../canvas/state/next-runs.ts';
import { notListening } from './webhook/listening.ts';
import { formatTokens } from './usage-text.ts';
import { createExecutionPageQuery, type LoadedExecution } from './load-execution.ts';
import { noPins } from './pins/pins.ts';
import { RetryDialog } from './retry-dialog.tsx';
import { RunPanel } from './run-panel.tsx';
import { createRunSession } from './run-session.ts';
import { formatStatus, formatTriggerType, formatVersion } from '../data/words.ts';
import { t, tElements } from '../i18n/index.ts';

/** One execution, shown on the workflow version that it ran. */
export function ExecutionPage({ executionId }: { executionId: string }) {
  const loaded = useQuery(createExecutionPageQuery(executionId));
  if (loaded.error !== null)
    return (
      <Page title={t('Execution')}>
        <ErrorAlert error={loaded.error} onRetry={() => void loaded.refetch()} />
      </Page>
    );
  return loaded.data === undefined ? (
    <PageLoading />
  ) : (
    <ExecutionBench id={executionId} loaded={loaded.data} />
  );
}

function ExecutionBench({ id, loaded }: { id: string; loaded: LoadedExecution }) {
  const [, go] = useLocation();
  const [retry, setRetry] = useState<{ place: string | undefined } | null>(null);
  const { tools, session } = useMemo(() => openBench(loaded), [loaded]);
  const state = useStore(session.state);
  useEffect(() => {
    session.show(id, loaded);
    return () => session.close();
  }, [session, id, loaded]);
  useEffect(() => {
    document.title = `${t('Run of {{name}}', { name: loaded.name })} · Weft`;
  }, [loaded.name]);
  const { editor, actions, ui } = tools;
  const panel = useRef<HTMLElement>(null);
  const [requestedOutput, setRequestedOutput] = useState<OutputRequest | null>(null);
  const selectedNodeId = useStoreSelector(editor.history, ({ selection }) =>
    selection.nodes.size === 1 ? [...selection.nodes][0]! : null,
  );
  useCoveredHeight(panel, ui, selectedNodeId !== null);
  const doc = editor.doc();
  const title = (nodeId: string): string => getTitleById(doc.nodes, nodeId, editor.catalog);
  const selectedType = doc.nodes.get(selectedNodeId ?? '')?.type ?? '';
  const typeName = editor.catalog.get(selectedType)?.name ?? selectedType;
  const execution = state.run?.execution ?? loaded.execution;
  return (
    <div className="editor">
      <header className="editor__head">
        <Link
          href="/executions"
          className="editor__back"
          aria-label={t('Back to executions')}
          title={t('Executions')}
        >
          <ChevronLeft size={17} aria-hidden="true" />
        </Link>
        <h1 className="execution__title truncate">{loaded.name}</h1>
        <span className="faint truncate">
          {formatVersion(execution.workflow_version)} · {formatTriggerType(execution.trigger.type)} ·{' '}
          <Time at={execution.start_time} />
          {execution.retry_of !== null && (
            <>
              {' · '}
              {tElements('retry of {{execution}}', {
                execution: (
                  <Link href={`/executions/${execution.retry_of}`}>{t('an earlier execution')}</Link>
                ),
              })}{' '}
              (<Link href={`/executions/${execution.retry_of}/compare/${execution.id}`}>{t('compare')}</Link>)
            </>
          )}
          {execution.usage !== null && (
            <>
              {' · '}
              {formatTokens(execution.usage)}
            </>
          )}
          {loaded.execution.retries.map(({ id: retryId, status, start_time }, i) => (
            <Fragment key={retryId}>
              {i === 0 ? ` · ${t('retried:')} ` : ', '}
              <Link href={`/executions/${retryId}`} {...(start_time === null ? {} : { title: start_time })}>
                {formatStatus(status)}
              </Link>
            </Fragment>
          ))}
        </span>
        <span className="editor__space" />
        <ButtonLink href={`/workflows/${execution.workflow_id}`} icon={<Pencil size={14} />}>
          {t('Edit workflow')}
        </ButtonLink>
      </header>
      <div className="editor__body">
        <Canvas
          tools={tools}
          label={t('Run of {{name}}. Use the arrow keys to move between nodes.', { name: loaded.name })}
        >
          <Toolbar />
        </Canvas>
        {selectedNodeId !== null && (
          <aside ref={panel} className="editor__panel" aria-label={t('Selected node')}>
            <div className="panel" id="node-panel">
              <header className="panel__head">
                <div className="panel__titles">
                  <h2 className="panel__title">{title(selectedNodeId)}</h2>
                  {typeName !== title(selectedNodeId) && <p className="panel__type">{typeName}</p>}
                </div>
                <IconButton
                  label={t('Close panel')}
                  size="small"
                  icon={<X size={15} />}
                  onClick={() => {
                    editor.select({});
                    actions.focus();
                  }}
                />
              </header>
              <NodeData
                key={selectedNodeId}
                runs={state.run?.of(selectedNodeId) ?? []}
                requestedOutput={requestedOutput?.nodeId === selectedNodeId ? requestedOutput : null}
                config={doc.nodes.get(selectedNodeId)?.config ?? {}}
                fieldHref={(field) => formatFieldHref(execution.workflow_id, selectedNodeId, field)}
              />
            </div>
          </aside>
        )}
      </div>
      <RunPanel
        session={session}
        selectedNodeId={selectedNodeId}
        onChoose={(id, path) => {
          actions.choose(id);
          setRequestedOutput({ nodeId: id, path });
        }}
        onRetry={(_execution, place) => setRetry({ place })}
        getTitle={title}
      />
      {retry !== null && (
        <RetryDialog
          execution={execution}
          preferredNode={selectedNodeId ?? undefined}
          place={retry.place}
          getTitle={title}
          onClose={() => setRetry(null)}
          onStarted={(started) => go(`/executions/${started.id}`)}
        />
      )}
    </div>
  );
}

function openBench({ definition, types }: LoadedExecution): {
  tools: CanvasTools;
  session: ReturnType<typeof createRunSession>;
} {
  const doc = placeUnplaced(toDoc(definition), createCatalog(types));
  const editor = createEditor(types, doc);
  const ui = createUi({ isMapOpen: false });
  const overlay = createRunOverlay(requestAnimationFrame);
  const index = getGraphIndex(doc, editor.catalog);
  return {
    session: createRunSession(
      overlay,
      (nodeId) => index.in.get(nodeId) ?? [],
      (nodeId) => doc.nodes.get(nodeId)?.config,
    ),
    tools: {
      editor,
      actions: createActions(editor, ui, () => undefined),
      ui,
      overlay,
      issues: createStore<Issues>(new Map()),
      pinned: noPins,
      listening: notListening,
      nextRuns: noNextRuns,
      nodeRuns: null,
      marks: new Map(),
      edgeMarks: new Map(),
      isReadOnly: true,
    },
  };
}
