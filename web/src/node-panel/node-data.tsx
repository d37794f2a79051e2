import { Pin, PinOff, Play } from 'lucide-react';
import { useState } from 'react';
import type { NodeRun } from 'weft-client';
import { pin, unpin, type Pins } from '../execution/pins.ts';
import { DataView } from '../execution/data-view.tsx';
import { useStore } from '../data/store.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Field, Select } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { StatusBadge } from '../ui/badge.tsx';
import { durationText } from '../ui/time.tsx';

/** Runs of one node that a list shows; a loop may have thousands. */
const MOST = 200;

/** What went into a node and what came out, in the run that is shown. */
export function NodeData({
  nodeId,
  runs,
  hasRun,
  pins,
}: {
  nodeId: string;
  runs: readonly NodeRun[];
  hasRun: boolean;
  /** Left out where nothing can be run from. */
  pins?: Pins | undefined;
}) {
  const [path, setPath] = useState<string | null>(null);
  const started = runs.filter((run) => run.start_time !== null);
  const run = runs.find((one) => one.path === path) ?? started.at(-1) ?? runs.at(-1);
  if (run === undefined)
    return (
      <div className="panel__body">
        <EmptyState
          icon={<Play size={18} />}
          title={hasRun ? 'It was not part of this run' : 'Nothing has run yet'}
        >
          {hasRun
            ? 'The node is newer than the run that is shown. Run the workflow to see what arrives here.'
            : 'Run the workflow: what goes in and out of this node is shown here, and its templates are tried out with it.'}
        </EmptyState>
      </div>
    );
  const shown = runs.slice(-MOST);
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
          <dt>Took</dt>
          <dd>{run.duration === null ? '–' : durationText(run.duration)}</dd>
        </div>
        <div>
          <dt>Tries</dt>
          <dd>{run.attempt}</dd>
        </div>
      </dl>
      {run.error !== null && (
        <Notice tone="bad">
          <strong>{run.error.type}</strong>
          {run.error.status === undefined ? '' : ` (${run.error.status})`}: {run.error.message}
        </Notice>
      )}
      <DataView title="Input" value={run.input} />
      <DataView title="Output" value={run.output} />
      {pins !== undefined && <PinButton nodeId={nodeId} output={run.output} pins={pins} />}
    </div>
  );
}

/** A pinned output is given to runs from the canvas in place of running the node. */
function PinButton({ nodeId, output, pins }: { nodeId: string; output: unknown; pins: Pins }) {
  const isPinned = useStore(pins).has(nodeId);
  return (
    <div className="field">
      <Button
        icon={isPinned ? <PinOff size={14} /> : <Pin size={14} />}
        aria-pressed={isPinned}
        onClick={() => (isPinned ? unpin(pins, nodeId) : pin(pins, nodeId, output))}
      >
        {isPinned ? 'Let the output go' : 'Pin this output'}
      </Button>
      <p className="field__hint">
        {isPinned
          ? 'Runs from here take this output; the node does not run.'
          : 'Runs from here then take it as given, and the node does not run: for trying out what comes behind.'}
      </p>
    </div>
  );
}
