import { Pin, PinOff, Play } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { NodeRun } from 'weft-client';
import type { Pins } from '../runs/pins.ts';
import { DataView } from '../runs/data-view.tsx';
import { FailureView } from '../runs/failure-view.tsx';
import { useStore } from '../data/store.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Field, Select } from '../ui/field.tsx';
import { toast } from '../ui/toast.tsx';
import { StatusBadge } from '../ui/badge.tsx';
import { durationText } from '../ui/time.tsx';

/** Runs of one node that a list shows; a loop may have thousands. */
const MOST = 200;

/** The input and output of a node in the displayed run. */
export function NodeData({
  nodeId,
  runs,
  hasRun,
  pins,
  asked,
  config,
  fieldHref,
}: {
  nodeId: string;
  runs: readonly NodeRun[];
  hasRun: boolean;
  /** Left out where nothing can be run from. */
  pins?: Pins | undefined;
  /** The path of the run to show; an object for each request. */
  asked?: { readonly path?: string | undefined } | null;
  config: Readonly<Record<string, unknown>>;
  /** The link to a field of the node. */
  fieldHref: (field: string) => string;
}) {
  const [path, setPath] = useState<string | null>(null);
  useEffect(() => setPath(asked?.path ?? null), [asked]);
  const started = runs.filter((run) => run.start_time !== null);
  const run =
    runs.find((one) => one.path === path) ??
    runs.findLast((one) => one.status === 'failed') ??
    started.at(-1) ??
    runs.at(-1);
  if (run === undefined)
    return (
      <div className="panel__body">
        <EmptyState icon={<Play size={18} />} title={hasRun ? 'Not part of this run' : 'No data yet'}>
          {hasRun
            ? 'This node did not exist in the displayed run. Run the workflow to see its data.'
            : 'Run the workflow to see the input and output of this node and to preview its templates.'}
        </EmptyState>
      </div>
    );
  const last = runs.slice(-MOST);
  const shown = last.includes(run) ? last : [run, ...last];
  return (
    <div className="panel__body">
      {runs.length > 1 && (
        <Field label="Run" hint={runs.length > MOST ? `The last ${MOST} of ${runs.length}.` : null}>
          {(control) => (
            <Select {...control} value={run.path} onChange={({ target }) => setPath(target.value)}>
              {shown.map((one) => (
                <option key={one.path} value={one.path}>
                  {one.path} · {one.status}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <dl className="facts">
        <div>
          <dt>Status</dt>
          <dd>
            <StatusBadge status={run.status} />
          </dd>
        </div>
        <div>
          <dt>Duration</dt>
          <dd>{run.duration === null ? '–' : durationText(run.duration)}</dd>
        </div>
        <div>
          <dt>Attempts</dt>
          <dd>{run.attempt}</dd>
        </div>
      </dl>
      {run.error !== null && <FailureView error={run.error} config={config} fieldHref={fieldHref} />}
      <DataView title="Input" value={run.input} />
      {run.error === null && <DataView title="Output" value={run.output} />}
      {pins !== undefined && <PinButton nodeId={nodeId} run={run} pins={pins} />}
    </div>
  );
}

/** A run from the canvas uses a pinned output instead of running the node. */
function PinButton({ nodeId, run, pins }: { nodeId: string; run: NodeRun; pins: Pins }) {
  const isPinned = useStore(pins.outputs).has(nodeId);
  if (!isPinned && run.status !== 'completed') return null;
  const pin = (): void => {
    if (pins.pin(nodeId, run.output)) return;
    toast({
      tone: 'warn',
      title: 'Output pinned until you close this page',
      text: 'It is too large to store in this browser.',
    });
  };
  return (
    <div className="field">
      <Button
        icon={isPinned ? <PinOff size={14} /> : <Pin size={14} />}
        aria-pressed={isPinned}
        onClick={() => (isPinned ? pins.unpin(nodeId) : pin())}
      >
        {isPinned ? 'Unpin output' : 'Pin output'}
      </Button>
      <p className="field__hint">
        {isPinned
          ? 'Runs from the editor use the pinned output and skip this node. The pin is stored in this browser.'
          : 'Runs from the editor will use this output and skip the node.'}
      </p>
    </div>
  );
}
