import type { NodeRun } from 'weft-client';
import { DataView } from '../../runs/data-view.tsx';
import { Alert } from '../../ui/alert.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { durationText } from '../../ui/time.tsx';
import { isRecord } from '../model/json-pointer.ts';

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

/** The error of a failed run, with the response that caused it; nothing for any other run. */
export function RunFailure({ run: { error } }: { run: NodeRun }) {
  if (error === null) return null;
  return (
    <>
      <Alert tone="bad">
        <strong>{error.type}</strong>
        {error.status === undefined ? '' : ` (${error.status})`}: {error.message}
      </Alert>
      {error.data !== undefined && (
        <DataView title={isResponse(error.data) ? 'Response' : 'Error details'} value={error.data} />
      )}
    </>
  );
}

/** An HTTP node keeps the response that made it fail. */
function isResponse(data: unknown): boolean {
  return isRecord(data) && 'status' in data && 'body' in data;
}
