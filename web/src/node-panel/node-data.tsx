import { Play } from 'lucide-react';
import { useState } from 'react';
import type { NodeRun } from 'weft-client';
import type { Pins } from '../runs/pins.ts';
import { PinControls } from '../runs/pin-controls.tsx';
import { DataView } from '../runs/data-view.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Field, Select } from '../ui/field.tsx';
import { Alert } from '../ui/alert.tsx';
import { StatusBadge } from '../ui/badge.tsx';
import { durationText } from '../ui/time.tsx';
import { isRecord } from './model/json-pointer.ts';

/** Runs of one node that a list shows; a loop may have thousands. */
const MOST = 200;

/** The input and output of a node in the displayed run. */
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
        <EmptyState icon={<Play size={18} />} title={hasRun ? 'Not part of this run' : 'No data yet'}>
          {hasRun
            ? 'This node did not exist in the displayed run. Run the workflow to see its data.'
            : 'Run the workflow to see the input and output of this node and to preview its templates.'}
        </EmptyState>
        {pins !== undefined && <PinControls nodeId={nodeId} result={undefined} pins={pins} />}
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
          <dt>Duration</dt>
          <dd>{run.duration === null ? '–' : durationText(run.duration)}</dd>
        </div>
        <div>
          <dt>Attempts</dt>
          <dd>{run.attempt}</dd>
        </div>
      </dl>
      {run.error !== null && (
        <Alert tone="bad">
          <strong>{run.error.type}</strong>
          {run.error.status === undefined ? '' : ` (${run.error.status})`}: {run.error.message}
        </Alert>
      )}
      {run.error?.data !== undefined && (
        <DataView title={isResponse(run.error.data) ? 'Response' : 'Error details'} value={run.error.data} />
      )}
      <DataView title="Input" value={run.input} />
      {run.error === null && <DataView title="Output" value={run.output} />}
      {pins !== undefined && (
        <PinControls
          nodeId={nodeId}
          result={run.status === 'completed' ? run.output : undefined}
          pins={pins}
        />
      )}
    </div>
  );
}

/** An HTTP node keeps the response that made it fail. */
function isResponse(data: unknown): boolean {
  return isRecord(data) && 'status' in data && 'body' in data;
}
