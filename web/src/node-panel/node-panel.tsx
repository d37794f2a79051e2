import { Braces, FlaskConical, Play, X } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { NodePanelProps } from '../canvas/panel/node-panel-props.ts';
import { listOutputNames } from '../canvas/model/ports.ts';
import { getNodeTitle } from '../canvas/model/title.ts';
import { useStoreSelector } from '../canvas/components/canvas-context.ts';
import { TypeIcon } from '../canvas/components/type-icon.tsx';
import { mcpLists } from '../connectors/mcp/mcp-tools.ts';
import { useMcpTools } from '../connectors/mcp/use-mcp-tools.ts';
import { operationTypes, resolveNodeType } from '../connectors/operation-types.ts';
import { useOperationTypes } from '../connectors/use-operations.ts';
import { useStore } from '../data/store.ts';
import type { Listening } from '../runs/webhook/listening.ts';
import type { Pins } from '../runs/pins/pins.ts';
import type { DisplayedRun } from '../runs/displayed-run.ts';
import { formatFieldHref } from '../data/editor-link.ts';
import type { NodeRuns } from '../runs/single-node-runs.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Tabs, type Tab } from '../ui/tabs.tsx';
import { createLazyComponent } from '../ui/lazy-component.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { InputPane } from './data/input-pane.tsx';
import { createInserter } from './data/inserter.ts';
import { LayoutMenu } from './data/layout-menu.tsx';
import { OutputPane } from './data/output-pane.tsx';
import { PanelColumns } from './data/panel-columns.tsx';
import type { ChatTest } from '../runs/chat/chat-test.ts';
import type { PanelLayout } from './data/panel-layout.ts';
import { RunChoice } from './data/run-choice.tsx';
import type { PathSegments } from './model/insert-path.ts';
import { NodeAbout } from './node-docs.tsx';
import { showField } from './show-field.ts';
import type { TemplateData } from './use-form-context.ts';
import { NodeSettings } from './node-settings.tsx';
import { canTry } from './trial/trial.ts';
import { findSelectedRun, buildNodeScope, type DisplayedData } from './template-scope-for-node.ts';
import { t } from '../i18n/index.ts';

const TrialDialog = createLazyComponent(async () => (await import('./trial/trial-dialog.tsx')).TrialDialog);

/** Requests the output of a node for a run; a new object for each request. */
export type OutputRequest = { readonly nodeId: string; readonly path?: string | undefined };

export type FieldRequest = { readonly nodeId: string; readonly field: string };

/** The panel of a node: its input, settings and output, and the documentation of its type. */
export function NodePanel({
  run,
  pins,
  requestedOutput,
  requestedField,
  listening,
  chat,
  layout,
  nodeRuns,
  ...props
}: NodePanelProps & {
  run: DisplayedRun | null;
  pins: Pins;
  requestedOutput: OutputRequest | null;
  /** Focuses a field of a node; a new object for each request. */
  requestedField: FieldRequest | null;
  listening: Listening;
  chat: ChatTest;
  layout: PanelLayout | 'sheet';
  nodeRuns: NodeRuns;
}) {
  const { node, editor, saver, onClose } = props;
  const [tab, setTab] = useState('settings');
  const [isJson, setIsJson] = useState(false);
  const [path, setPath] = useState<string | null>(null);
  const [isTrying, setIsTrying] = useState(false);
  useEffect(() => {
    if (requestedOutput?.nodeId !== node.id) return;
    setTab('output');
    setPath(requestedOutput.path ?? null);
    // Only on a request, so that a user who returns to the settings stays there.
  }, [requestedOutput, node.id]);
  const displayedField = useRef<FieldRequest | null>(null);
  useEffect(() => {
    if (requestedField?.nodeId !== node.id || displayedField.current === requestedField) return;
    if (tab !== 'settings' || isJson) {
      setTab('settings');
      setIsJson(false);
      return;
    }
    displayedField.current = requestedField;
    showField(requestedField.field);
  }, [requestedField, node.id, tab, isJson]);
  const doc = useStoreSelector(editor.history, (history) => history.doc);
  const getTitleById = useCallback(
    (id: string): string => {
      const entry = doc.nodes.get(id);
      return entry === undefined ? id : getNodeTitle(entry, editor.catalog);
    },
    [doc, editor],
  );
  const pinned = useStore(pins.outputs);
  const displayedData = useMemo((): DisplayedData => ({ run, pinned, path }), [run, pinned, path]);
  useOperationTypes(doc, editor.catalog);
  useMcpTools(doc, node.id);
  const forms = useStore(operationTypes);
  const tools = useStore(mcpLists);
  const { scope, source } = useMemo(
    () => buildNodeScope(doc, editor.catalog, node.id, displayedData),
    // The forms of packs and the tools of MCP servers describe outputs.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [doc, editor, node.id, displayedData, forms, tools],
  );
  const inserter = useMemo(createInserter, []);
  const data = useMemo(
    (): TemplateData => ({
      scope,
      executionId: run?.execution.id ?? null,
      dataKey: [path, ...pinned],
      inserter,
    }),
    [scope, run, path, pinned, inserter],
  );
  const insert = (segments: PathSegments): void => {
    const result = inserter.insert(segments);
    if (result === 'inserted') setTab('settings');
    else
      toast({
        tone: 'info',
        title: result === 'no field' ? t('Select a field in the settings first') : t('Not inserted'),
        text: result === 'no field' ? '' : t('This field takes only fields of the input.'),
      });
  };
  const isBusy = useStore(nodeRuns.starting) === node.id;
  const start = (): void => void nodeRuns.start(node.id, path);

  const type = resolveNodeType(editor.catalog, node);
  const title = getNodeTitle(node, editor.catalog);
  const typeName = type?.name ?? node.type;
  const canRun = type !== undefined && type.category !== 'trigger';
  const runButton = canRun && (
    <Button size="small" icon={<Play size={14} />} isBusy={isBusy} onClick={start}>
      {t('Run this node')}
    </Button>
  );
  const runs = run?.of(node.id) ?? [];
  const own = findSelectedRun(node.id, displayedData);
  const hasColumns = layout === 'bottom' || layout === 'full';
  const input: Tab = {
    id: 'input',
    label: t('Input'),
    content: (
      <InputPane
        key={node.id}
        scope={scope}
        source={source}
        run={run}
        getTitle={getTitleById}
        action={runButton}
        onInsert={insert}
      />
    ),
  };
  const settings: Tab = {
    id: 'settings',
    label: t('Settings'),
    // The field that had the focus stays, so that a path can be inserted from another tab.
    isKept: true,
    content: (
      <NodeSettings
        key={node.id}
        {...props}
        type={type}
        data={data}
        isJson={isJson}
        pins={pins}
        listening={listening}
        chat={chat}
      />
    ),
  };
  const output: Tab = {
    id: 'output',
    label: runs.length > 1 ? t('Output ({{number}})', { number: runs.length }) : t('Output'),
    content: (
      <OutputPane
        key={`${run?.execution.id} ${node.id}`}
        nodeId={node.id}
        run={own}
        hasRun={run !== null}
        pins={pins}
        ports={listOutputNames(node, editor.catalog)}
        config={node.config ?? {}}
        fieldHref={(field) => formatFieldHref(saver.workflow.get().id, node.id, field)}
        action={runButton}
      />
    ),
  };
  const about: Tab = { id: 'about', label: t('About'), content: <NodeAbout type={type} node={node} /> };
  return (
    <div className="panel" id="node-panel" data-node={node.id}>
      <header className="panel__head">
        <TypeIcon type={type} />
        <div className="panel__titles">
          <h2 className="panel__title">{title}</h2>
          {typeName !== title && <p className="panel__type">{typeName}</p>}
        </div>
        {canRun && (
          <IconButton
            label={t('Run this node')}
            size="small"
            icon={<Play size={15} />}
            isBusy={isBusy}
            onClick={start}
          />
        )}
        {canTry(node.type) && (
          <IconButton
            label={t('Try on a past run')}
            size="small"
            icon={<FlaskConical size={15} />}
            onClick={() => setIsTrying(true)}
          />
        )}
        {(hasColumns ? tab !== 'about' : tab === 'settings') && (
          <IconButton
            label={isJson ? t('Edit as form') : t('Edit as JSON')}
            size="small"
            icon={<Braces size={15} />}
            aria-pressed={isJson}
            onClick={() => setIsJson(!isJson)}
          />
        )}
        {layout !== 'sheet' && <LayoutMenu layout={layout} />}
        <IconButton label={t('Close panel')} size="small" icon={<X size={15} />} onClick={onClose} />
      </header>
      {runs.length > 1 && <RunChoice runs={runs} path={own?.path} onChange={setPath} />}
      {hasColumns ? (
        <PanelColumns
          title={title}
          input={input}
          middle={[settings, about]}
          output={output}
          tab={tab === 'about' ? 'about' : 'settings'}
          onTab={setTab}
        />
      ) : (
        <Tabs
          label={t('Details of {{node}}', { node: title })}
          value={tab}
          onChange={setTab}
          tabs={[input, settings, output, about]}
        />
      )}
      {isTrying && type !== undefined && (
        <Lazy>
          <TrialDialog
            node={node}
            type={type}
            editor={editor}
            workflowId={saver.workflow.get().id}
            executionId={run?.execution.id ?? null}
            onClose={() => setIsTrying(false)}
          />
        </Lazy>
      )}
    </div>
  );
}
