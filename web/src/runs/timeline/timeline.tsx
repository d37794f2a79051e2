import { ChartGantt } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { toErrorText } from '../../data/error-text.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { formatDuration } from '../../ui/time.tsx';
import type { TimelineRun } from '../live-runs.ts';
import { computeBars, computeSpan, computeTicks, listTimedRuns, listTimelineItems } from './timeline-rows.ts';
import { LoopRow, RunRow } from './timeline-row.tsx';
import { useVirtualRows } from '../use-virtual-rows.ts';
import { t, tPlural } from '../../i18n/index.ts';

/** The refresh interval in ms of running bars; longer with many rows. */
const TICK_MS = 250;
const SLOW_TICK_MS = 1_000;
const MAX_FAST_TICK_ROWS = 60;
/** px, as in the style sheet. On a narrow screen the name has a line of its own. */
const ROW_HEIGHT = 24;
const NARROW_ROW_HEIGHT = 40;
const narrow = matchMedia('(width < 48rem)');

/** When each node ran, for how long, and how it ended. */
export function TimelineView({
  runs,
  total,
  isLive,
  selectedNodeId,
  onChoose,
  onMore,
  getTitle,
}: {
  runs: readonly TimelineRun[];
  /** The total number of runs, loaded or not. */
  total: number;
  isLive: boolean;
  selectedNodeId: string | null;
  onChoose: (nodeId: string, path: string) => void;
  /** Loads more runs. */
  onMore: () => Promise<void>;
  getTitle: (nodeId: string) => string;
}) {
  const [isBusy, setIsBusy] = useState(false);
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const list = useRef<HTMLOListElement>(null);
  const height = useSyncExternalStore(watchNarrow, isNarrow) ? NARROW_ROW_HEIGHT : ROW_HEIGHT;
  const began = useMemo(() => listTimedRuns(runs), [runs]);
  const items = useMemo(() => listTimelineItems(began, choices), [began, choices]);
  const now = useNow(isLive, items.length > MAX_FAST_TICK_ROWS ? SLOW_TICK_MS : TICK_MS);
  // A loop may have thousands of runs: only visible rows are rendered.
  const { from, to } = useVirtualRows(list, items.length, height);
  const span = useMemo(() => computeSpan(began, now), [began, now]);
  const first = began[0]?.start ?? 0;
  const unread = Math.max(0, total - runs.length);
  const more = async (): Promise<void> => {
    setIsBusy(true);
    await onMore().catch((error: unknown) =>
      toast({ tone: 'bad', title: t('Could not load more node runs'), text: toErrorText(error) }),
    );
    setIsBusy(false);
  };
  if (began.length === 0)
    return (
      <EmptyState icon={<ChartGantt size={18} />} title={t('No nodes have started yet')}>
        {t('Nodes appear here when they start.')}
      </EmptyState>
    );
  return (
    <div className="timeline">
      <div className="timeline__axis" aria-hidden="true">
        <span className="timeline__scale">
          {computeTicks(span).map((tick) => (
            <span key={tick} className="timeline__tick" style={{ left: `${(tick / span) * 100}%` }}>
              {formatDuration(tick)}
            </span>
          ))}
        </span>
      </div>
      <ol
        ref={list}
        className="timeline__rows"
        style={{ paddingTop: from * height, paddingBottom: (items.length - to) * height }}
      >
        {items.slice(from, to).map((item) => {
          const shared = {
            title: getTitle(item.nodeId),
            depth: item.depth,
            iteration: item.iteration,
            bars: computeBars(item, first, span, now),
          };
          return item.kind === 'loop' ? (
            <LoopRow
              key={item.key}
              {...shared}
              item={item}
              isPart={unread > 0}
              onToggle={() => setChoices(new Map([...choices, [item.key, !item.isOpen]]))}
            />
          ) : (
            <RunRow
              key={item.key}
              {...shared}
              run={item.timed.run}
              isSelected={selectedNodeId === item.nodeId}
              onChoose={onChoose}
            />
          );
        })}
      </ol>
      <p className="timeline__foot faint">
        <span>{t('{{duration}} total', { duration: formatDuration(span) })}</span>
        {unread > 0 && (
          <>
            <span>{tPlural(unread, '{{count}} more node run', '{{count}} more node runs')}</span>
            <Button size="small" variant="quiet" isBusy={isBusy} onClick={() => void more()}>
              {t('Show more')}
            </Button>
          </>
        )}
      </p>
    </div>
  );
}

function watchNarrow(onChange: () => void): () => void {
  narrow.addEventListener('change', onChange);
  return () => narrow.removeEventListener('change', onChange);
}

function isNarrow(): boolean {
  return narrow.matches;
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
