import { Play } from 'lucide-react';
import { useState } from 'react';
import type { NodeRun } from 'weft-client';
import { DataView } from '../runs/data-view.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { RunChoice } from './data/run-choice.tsx';
import { RunFacts, RunFailure } from './data/run-result.tsx';

/** The input and output of a node in an execution. */
export function NodeData({ runs }: { runs: readonly NodeRun[] }) {
  const [path, setPath] = useState<string | null>(null);
  const started = runs.filter((run) => run.start_time !== null);
  const run = runs.find((one) => one.path === path) ?? started.at(-1) ?? runs.at(-1);
  if (run === undefined)
    return (
      <div className="panel__body">
        <EmptyState icon={<Play size={18} />} title="Not part of this run">
          This node did not exist in the displayed run.
        </EmptyState>
      </div>
    );
  return (
    <div className="panel__body">
      {runs.length > 1 && <RunChoice runs={runs} path={run.path} onChange={setPath} />}
      <RunFacts run={run} />
      <RunFailure run={run} />
      <DataView title="Input" value={run.input} />
      {run.error === null && <DataView title="Output" value={run.output} />}
    </div>
  );
}
