import { Play } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { NodeRun } from 'weft-client';
import { DataView } from '../runs/data-view.tsx';
import { FailureView } from '../runs/failure-view.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { RunChoice } from './data/run-choice.tsx';
import { RunFacts } from './data/run-facts.tsx';
import { t } from '../i18n/index.ts';

/** The input and output of a node in an execution. */
export function NodeData({
  runs,
  requestedOutput,
  config,
  fieldHref,
}: {
  runs: readonly NodeRun[];
  /** The path of the run to show; an object for each request. */
  requestedOutput: { readonly path?: string | undefined } | null;
  config: Readonly<Record<string, unknown>>;
  /** The link to a field of the node. */
  fieldHref: (field: string) => string;
}) {
  const [path, setPath] = useState<string | null>(null);
  useEffect(() => setPath(requestedOutput?.path ?? null), [requestedOutput]);
  const run =
    runs.find((one) => one.path === path) ??
    runs.findLast((one) => one.status === 'failed') ??
    runs.findLast((one) => one.start_time !== null) ??
    runs.at(-1);
  if (run === undefined)
    return (
      <div className="panel__body">
        <EmptyState icon={<Play size={18} />} title={t('Not part of this run')}>
          {t('This node did not exist in the displayed run.')}
        </EmptyState>
      </div>
    );
  return (
    <div className="panel__body">
      {runs.length > 1 && <RunChoice runs={runs} path={run.path} onChange={setPath} />}
      <RunFacts run={run} />
      {run.error !== null && <FailureView error={run.error} config={config} fieldHref={fieldHref} />}
      <DataView title={t('Input')} value={run.input} />
      {run.error === null && <DataView title={t('Output')} value={run.output} />}
    </div>
  );
}
