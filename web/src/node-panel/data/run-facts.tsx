import type { NodeRun } from 'weft-client';
import { StatusBadge } from '../../ui/badge.tsx';
import { durationText } from '../../ui/time.tsx';

/** Status, duration and attempts of a run of a node. */
export function RunFacts({ run }: { run: NodeRun }) {
  return (
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
  );
}
