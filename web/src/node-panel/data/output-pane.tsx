import { Play } from 'lucide-react';
import type { ReactNode } from 'react';
import type { NodeRun } from 'weft-client';
import { readOutput } from '../../runs/pins/pinned-outputs.ts';
import type { Pins } from '../../runs/pins/pins.ts';
import { PinControls } from '../../runs/pins/pin-controls.tsx';
import { FailureView } from '../../runs/failure-view.tsx';
import { DataView } from '../../runs/data-view.tsx';
import { useStore } from '../../data/store.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { RunFacts } from './run-facts.tsx';
import { t } from '../../i18n/index.ts';

/** The result of the chosen run of a node, and its pinned output. */
export function OutputPane({
  nodeId,
  run,
  hasRun,
  pins,
  ports,
  config,
  fieldHref,
  action,
}: {
  nodeId: string;
  run: NodeRun | undefined;
  hasRun: boolean;
  pins: Pins;
  /** The output ports of the node. */
  ports: readonly string[];
  config: Readonly<Record<string, unknown>>;
  /** The link to a field of the node. */
  fieldHref: (field: string) => string;
  /** Runs the node. */
  action: ReactNode;
}) {
  const pinned = useStore(pins.outputs).get(nodeId);
  return (
    <div className="panel__body">
      {run === undefined && pinned === undefined && (
        <EmptyState
          icon={<Play size={18} />}
          title={hasRun ? t('Not part of this run') : t('No output yet')}
          actions={action}
        >
          {hasRun
            ? t('This node did not exist in the displayed run.')
            : t('Run the workflow or this node to see its output.')}
        </EmptyState>
      )}
      {run !== undefined && (
        <>
          <RunFacts run={run} />
          {run.error !== null && <FailureView error={run.error} config={config} fieldHref={fieldHref} />}
        </>
      )}
      {pinned === undefined ? (
        run !== undefined && run.error === null && <DataView title={t('Output')} value={run.output} />
      ) : (
        <>
          <DataView title={t('Pinned output')} value={pinned.output} />
          {pinned.ports !== null && (
            <p className="field__hint">{t('Output ports: {{ports}}', { ports: pinned.ports.join(', ') })}</p>
          )}
        </>
      )}
      <PinControls
        nodeId={nodeId}
        result={run?.status === 'completed' ? (readOutput(run, ports) ?? undefined) : undefined}
        ports={ports}
        pins={pins}
      />
    </div>
  );
}
