import { ChartGantt } from 'lucide-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { durationText } from '../ui/time.tsx';
import type { TimelineRun } from './live-runs.ts';
import { ticksOf, timedRuns, timelineOf } from './timeline-rows.ts';
import { useVirtualRows } from './use-virtual-rows.ts';

/** The refresh interval in ms of running bars; longer with many rows. */
const TICK = 250;
const SLOW_TICK = 1_000;
const FEW_ROWS = 60;
/** px, as in the style sheet. */
const ROW_HEIGHT = 24;

/** When each node ran, for how long, and how it ended. */
export function TimelineView({
  runs,
  total,
  isLive,
  chosen,
  onChoose,
  onMore,
  titleOf,
}: {
  runs: readonly TimelineRun[];
  /** The total number of runs, loaded or not. */
  total: number;
  isLive: boolean;
  chosen: string | null;
  onChoose: (nodeId: string) => void;
  /** Loads more runs. */
  onMore: () => Promise<void>;
  titleOf: (nodeId: string) => string;
}) {
  const [isBusy, setIsBusy] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const began = useMemo(() => timedRuns(runs), [runs]);
  const now = useNow(isLive, began.length > FEW_ROWS ? SLOW_TICK : TICK);
  // A loop may have thousands of runs: only visible rows are rendered.
  const { from, to } = useVirtualRows(list, began.length, ROW_HEIGHT);
  const { rows, span } = useMemo(() => timelineOf(began, now, from, to), [began, now, from, to]);
  const unread = Math.max(0, total - runs.length);
  const more = async (): Promise<void> => {
    setIsBusy(true);
    await onMore().catch(() => undefined);
    setIsBusy(false);
  };
  if (began.length === 0)
    return (
      <EmptyState icon={<ChartGantt size={18} />} title="No nodes have started yet">
        Nodes appear here when they start.
      </EmptyState>
    );
  return (
    <div className="timeline">
      <div className="timeline__axis" aria-hidden="true">
        <span className="timeline__scale">
          {ticksOf(span).map((at) => (
            <span key={at} className="timeline__tick" style={{ left: `${(at / span) * 100}%` }}>
              {durationText(at)}
            </span>
          ))}
        </span>
      </div>
      <ol
        ref={list}
        className="timeline__rows"
        style={{ paddingTop: from * ROW_HEIGHT, paddingBottom: (began.length - to) * ROW_HEIGHT }}
      >
        {rows.map(({ run, start, width }) => (
          <Row
            key={run.path}
            run={run}
            title={titleOf(run.node_id)}
            start={rounded(start)}
            width={rounded(width)}
            isChosen={chosen === run.node_id}
            onChoose={onChoose}
          />
        ))}
      </ol>
      <p className="timeline__foot faint">
        <span>{durationText(span)} total</span>
        {unread > 0 && (
          <>
            <span>{unread} more node runs</span>
            <Button size="small" look="quiet" isBusy={isBusy} onClick={() => void more()}>
              Show more
            </Button>
          </>
        )}
      </p>
    </div>
  );
}

const Row = memo(function Row({
  run,
  title,
  start,
  width,
  isChosen,
  onChoose,
}: {
  run: TimelineRun;
  title: string;
  start: number;
  width: number;
  isChosen: boolean;
  onChoose: (nodeId: string) => void;
}) {
  return (
    <li>
      <button
        type="button"
        className="timeline__row"
        aria-pressed={isChosen}
        onClick={() => onChoose(run.node_id)}
      >
        <span className="timeline__name truncate">
          {title}
          {run.path !== run.node_id && <span className="faint"> {run.path}</span>}
        </span>
        <span className="timeline__track" aria-hidden="true">
          <span
            className={`timeline__bar timeline__bar--${run.status}`}
            style={{ left: `min(${start}%, 100% - 3px)`, width: `max(3px, ${width}%)` }}
          />
        </span>
        <span className="timeline__time numbers">
          {run.duration === null ? run.status : durationText(run.duration)}
          <span className="visually-hidden">, {run.status}</span>
          {run.attempt > 1 && <span className="faint"> · {run.attempt} attempts</span>}
        </span>
      </button>
    </li>
  );
});

/** Percent with one decimal: a smaller change does not rerender the bar. */
function rounded(part: number): number {
  return Math.round(part * 1_000) / 10;
}

function useNow(isLive: boolean, tick: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => setNow(Date.now()), tick);
    return () => clearInterval(timer);
  }, [isLive, tick]);
  return now;
}
