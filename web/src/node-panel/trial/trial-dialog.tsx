import { Check, Play, Square } from 'lucide-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { NodeType } from '../../canvas/model/catalog.ts';
import type { Entry, JsonObject } from '../../canvas/model/document.ts';
import { setConfig } from '../../canvas/model/edit/edit-config.ts';
import { getNodeTitle } from '../../canvas/model/title.ts';
import { formatDefinitionError } from '../../canvas/state/definition-error.ts';
import type { Editor } from '../../canvas/state/editor.ts';
import { client } from '../../data/client.ts';
import { queryClient } from '../../data/query-client.ts';
import { formatStatus } from '../../data/words.ts';
import type { DisplayedRun } from '../../runs/displayed-run.ts';
import type { PinnedOutputs } from '../../runs/pins/pinned-outputs.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Select } from '../../ui/field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { formatFullTime } from '../../ui/time.tsx';
import { createInserter } from '../data/inserter.ts';
import { RunChoice } from '../data/run-choice.tsx';
import { ConfigForm } from '../form/config-form.tsx';
import { FormProvider } from '../form/form-context.ts';
import { useFormContext } from '../use-form-context.ts';
import type { Schema } from '../model/field.ts';
import { isRecord, withValue, type FieldPath } from '../model/field-path.ts';
import { buildNodeScope, findSelectedRun } from '../template-scope-for-node.ts';
import { createPastRunQuery, createPastRunsQuery } from './past-runs.ts';
import { finishTrial, startTrial } from './trial.ts';
import { TrialResult } from './trial-result.tsx';
import { t } from '../../i18n/index.ts';

const NO_PINS: PinnedOutputs = new Map();
const NO_ISSUES: readonly never[] = [];

type Props = {
  readonly node: Entry;
  readonly type: NodeType;
  readonly editor: Editor;
  readonly workflowId: string;
  /** The execution that is chosen first, if it is one of the newest and has ended. */
  readonly executionId: string | null;
  readonly onClose: () => void;
};

/** Runs a node on the data of a past run with changed settings. They are saved when they are applied. */
export function TrialDialog({ node, type, editor, workflowId, executionId, onClose }: Props) {
  const { data: runs } = useQuery(createPastRunsQuery(workflowId));
  const [chosenId, setChosenId] = useState<string | null>(null);
  const wanted = chosenId ?? executionId;
  const id = (runs?.find((one) => one.id === wanted) ?? runs?.[0])?.id;
  const { data: run = null, error: loadError } = useQuery({
    ...createPastRunQuery(id ?? ''),
    enabled: id !== undefined,
  });
  const [path, setPath] = useState<string | null>(null);
  const [saved] = useState<JsonObject>(node.config ?? {});
  const [config, setDraft] = useState(saved);
  const trial = useTrial({ node, editor, workflowId, config, run, path });
  const choose = (next: string): void => {
    setChosenId(next);
    setPath(null);
    trial.clear();
  };
  const apply = (): void => {
    editor.change(t('Configure'), (doc) => setConfig(doc, editor.catalog, node.id, config));
    onClose();
  };
  const nodeRuns = run?.of(node.id) ?? [];
  const former = findSelectedRun(node.id, { run, pinned: NO_PINS, path });
  return (
    <Dialog
      isOpen
      size="huge"
      title={t('Try {{node}} on a past run', { node: getNodeTitle(node, editor.catalog) })}
      description={
        node.type === 'agent'
          ? t(
              'The agent really calls its model and its tools. The changes are saved only when you apply them.',
            )
          : t('The model is really called. The changes are saved only when you apply them.')
      }
      onClose={onClose}
      foot={
        <>
          <Button icon={<Check size={14} />} disabled={config === saved} onClick={apply}>
            {t('Apply to the node')}
          </Button>
          <span className="grow" />
          <Button onClick={onClose}>{t('Close')}</Button>
          {trial.executionId !== null && trial.isRunning ? (
            <Button icon={<Square size={14} />} onClick={() => trial.stop()}>
              {t('Stop')}
            </Button>
          ) : (
            <Button
              variant="primary"
              icon={<Play size={14} />}
              isBusy={trial.isRunning}
              disabled={run === null}
              onClick={() => trial.start()}
            >
              {t('Try', { context: 'verb' })}
            </Button>
          )}
        </>
      }
    >
      {runs?.length === 0 ? (
        <Alert>{t('The workflow has no ended run yet. Run it once first.')}</Alert>
      ) : (
        <div className="trial">
          <div className="trial__settings">
            <label className="run-choice">
              <span>{t('Past run')}</span>
              <Select value={id ?? ''} onChange={({ target }) => choose(target.value)}>
                {runs?.map((one) => (
                  <option key={one.id} value={one.id}>
                    {[
                      one.start_time === null ? one.id : formatFullTime(Date.parse(one.start_time)),
                      formatStatus(one.status),
                      ...(one.workflow_version < 0 ? [t('test')] : []),
                    ].join(' · ')}
                  </option>
                ))}
              </Select>
            </label>
            {nodeRuns.length > 1 && <RunChoice runs={nodeRuns} path={former?.path} onChange={setPath} />}
            {run === null ? (
              loadError === null && <Skeleton />
            ) : (
              <TrialForm
                node={node}
                type={type}
                editor={editor}
                run={run}
                path={path}
                config={config}
                onChange={setDraft}
              />
            )}
          </div>
          <div className="trial__results">
            {loadError !== null && (
              <Alert tone="bad">{formatDefinitionError(loadError, editor.doc(), editor.catalog)}</Alert>
            )}
            {run !== null && (
              <TrialResult
                title={t('Past run')}
                run={former}
                empty={t('The node did not run. Its input comes from the nodes before it.')}
              />
            )}
            {trial.error !== null && <Alert tone="bad">{trial.error}</Alert>}
            {trial.isRunning && (
              <p className="faint" role="status">
                {t('Running…')}
              </p>
            )}
            {trial.result !== null && (
              <TrialResult
                title={t('This try')}
                run={trial.result.findNewest(node.id)}
                empty={trial.result.execution.error?.message ?? t('The node did not run.')}
                executionId={trial.result.execution.id}
              />
            )}
          </div>
        </div>
      )}
    </Dialog>
  );
}

function TrialForm({
  node,
  type,
  editor,
  run,
  path,
  config,
  onChange,
}: Pick<Props, 'node' | 'type' | 'editor'> & {
  run: DisplayedRun;
  path: string | null;
  config: JsonObject;
  onChange: (change: (config: JsonObject) => JsonObject) => void;
}) {
  const inserter = useMemo(createInserter, []);
  const data = useMemo(
    () => ({
      scope: buildNodeScope(editor.doc(), editor.catalog, node.id, { run, pinned: NO_PINS, path }).scope,
      executionId: run.execution.id,
      dataKey: [path],
      inserter,
    }),
    [editor, node.id, run, path, inserter],
  );
  const change = useCallback(
    (fieldPath: FieldPath, value: unknown): void =>
      onChange((current) => {
        const next = withValue(current, fieldPath, value);
        return isRecord(next) ? (next as JsonObject) : current;
      }),
    [onChange],
  );
  const entry = useMemo(() => ({ ...node, config }), [node, config]);
  const form = useFormContext({ node: entry, issues: NO_ISSUES, editor, type, data, change });
  return (
    <FormProvider value={form}>
      <ConfigForm schema={type.config_schema as Schema} config={config} />
    </FormProvider>
  );
}

type TrialState = {
  readonly isRunning: boolean;
  readonly executionId: string | null;
  readonly result: DisplayedRun | null;
  readonly error: string | null;
};

const IDLE: TrialState = { isRunning: false, executionId: null, result: null, error: null };

/** One try at a time. What is still running when the dialog closes continues, as other executions do. */
function useTrial({
  node,
  editor,
  workflowId,
  config,
  run,
  path,
}: Pick<Props, 'node' | 'editor' | 'workflowId'> & {
  config: JsonObject;
  run: DisplayedRun | null;
  path: string | null;
}) {
  const [state, setState] = useState(IDLE);
  const leaving = useRef<AbortController | null>(null);
  useEffect(() => () => leaving.current?.abort(), []);

  async function attempt(past: DisplayedRun, signal: AbortSignal): Promise<void> {
    const { catalog } = editor;
    const doc = editor.doc();
    try {
      const trial = { workflowId, doc, catalog, nodeId: node.id, config, run: past, path };
      const executionId = await startTrial(trial, signal);
      setState({ ...IDLE, isRunning: true, executionId });
      const result = await finishTrial(executionId, signal);
      setState({ ...IDLE, executionId, result });
      void queryClient.invalidateQueries({ queryKey: createPastRunsQuery(workflowId).queryKey });
    } catch (error) {
      if (!signal.aborted) setState({ ...IDLE, error: formatDefinitionError(error, doc, catalog) });
    }
  }

  return {
    ...state,
    start(): void {
      if (run === null) return;
      leaving.current?.abort();
      leaving.current = new AbortController();
      setState({ ...IDLE, isRunning: true });
      void attempt(run, leaving.current.signal);
    },
    stop(): void {
      const { executionId } = state;
      if (executionId === null) return;
      client.executions.stop(executionId).catch((error: unknown) => {
        setState((now) => ({ ...now, error: formatDefinitionError(error, editor.doc(), editor.catalog) }));
      });
    },
    clear(): void {
      leaving.current?.abort();
      setState(IDLE);
    },
  };
}
