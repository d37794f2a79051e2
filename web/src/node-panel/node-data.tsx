import { Play } from 'lucide-react';
import { useState } from 'react';
import type { NodeRun } from 'weft-client';
import { DataView } from '../execution/data-view.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { Field, Select } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { StatusBadge } from '../ui/badge.tsx';
import { durationText } from '../ui/time.tsx';

/** Runs of one node that a list shows; a loop may have thousands. */
const MOST = 200;

/** What went into a node and what came out, in the run that is shown. */
export function NodeData({ runs, hasRun }: { runs: readonly NodeRun[]; hasRun: boolean }) {
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
    </div>
  );
}
