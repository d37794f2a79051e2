import { useEffect, useState } from 'react';
import type { NodeRun } from 'weft-client';
import { EmptyState } from '../ui/empty-state.tsx';
import { durationText } from '../ui/time.tsx';
import { ChartGantt } from 'lucide-react';
import { timelineOf } from './timeline-rows.ts';

/** ms between two pictures of what still runs. */
const TICK = 250;

/** Which node ran when, for how long, and how it ended. */
export function TimelineView({
  runs,
  isLive,
  chosen,
  onChoose,
  titleOf,
}: {
  runs: readonly NodeRun[];
  isLive: boolean;
  chosen: string | null;
  onChoose: (run: NodeRun) => void;
  titleOf: (nodeId: string) => string;
}) {
  const now = useNow(isLive);
  const { rows, span, left } = timelineOf(runs, now);
  if (rows.length === 0)
    return (
      <EmptyState icon={<ChartGantt size={18} />} title="Nothing has begun yet">
        Each node gets a line here when it begins.
      </EmptyState>
    );
  return (
    <div className="timeline">
      <ol className="timeline__rows">
        {rows.map(({ run, start, width }) => (
          <li key={`${run.path} ${run.start_time}`}>
            <button
              type="button"
              className="timeline__row"
              aria-pressed={chosen === run.node_id}
              onClick={() => onChoose(run)}
            >
              <span className="timeline__name truncate">
                {titleOf(run.node_id)}
                {run.path !== run.node_id && <span className="faint"> {run.path}</span>}
              </span>
              <span className="timeline__track" aria-hidden="true">
                <span
                  className={`timeline__bar timeline__bar--${run.status}`}
                  style={{ left: `${start * 100}%`, width: `max(3px, ${width * 100}%)` }}
                />
              </span>
              <span className="timeline__time numbers">
                {run.duration === null ? run.status : durationText(run.duration)}
                <span className="visually-hidden">, {run.status}</span>
                {run.attempt > 1 && <span className="faint"> · {run.attempt} tries</span>}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <p className="timeline__foot faint">
        {durationText(span)} in all{left > 0 && `; ${left} more runs are not drawn`}
      </p>
    </div>
  );
}

function useNow(isLive: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => setNow(Date.now()), TICK);
    return () => clearInterval(timer);
  }, [isLive]);
  return now;
}
