import { ChevronRight } from 'lucide-react';
import { formatDuration } from '../../ui/time.tsx';
import type { TimelineRun } from '../live-runs.ts';
import type { Bar, LoopSummary, TimelineItem } from './timeline-rows.ts';
import { formatStatus } from '../../data/words.ts';
import { t, tPlural } from '../../i18n/index.ts';

type Shared = {
  title: string;
  /** The number of loops around the row. */
  depth: number;
  iteration: string | null;
  bars: readonly Bar[];
};

const INDENT_PX = 14;

/** One run of a node, with its tries. */
export function RunRow({
  run,
  title,
  depth,
  iteration,
  bars,
  isSelected,
  onChoose,
}: Shared & {
  run: TimelineRun;
  isSelected: boolean;
  onChoose: (nodeId: string, path: string) => void;
}) {
  return (
    <li>
      <button
        type="button"
        className="timeline__row"
        aria-pressed={isSelected}
        title={run.path === run.node_id ? title : `${title} (${run.path})`}
        onClick={() => onChoose(run.node_id, run.path)}
      >
        <Name title={title} depth={depth} iteration={iteration} />
        <Track bars={bars} />
        <span className="timeline__time numbers">
          {run.duration === null ? formatStatus(run.status) : formatDuration(run.duration)}
          <span className="visually-hidden">, {formatStatus(run.status)}</span>
          {run.attempt > 1 && (
            <span className="faint"> · {tPlural(run.attempt, '{{count}} try', '{{count}} tries')}</span>
          )}
          {bars
            .filter((bar) => bar.title !== '' && bar.status === 'failed')
            .map((bar) => (
              <span key={bar.title} className="visually-hidden">
                . {bar.title}
              </span>
            ))}
        </span>
      </button>
    </li>
  );
}

/** A loop: the number of its iterations, how they ended, and a button that shows them. */
export function LoopRow({
  item,
  title,
  depth,
  iteration,
  bars,
  isPart,
  onToggle,
}: Shared & {
  item: Extract<TimelineItem, { kind: 'loop' }>;
  /** Not all node runs are loaded, so the numbers are lower bounds. */
  isPart: boolean;
  onToggle: () => void;
}) {
  const { summary, own, isOpen } = item;
  return (
    <li>
      <button
        type="button"
        className="timeline__row timeline__row--loop"
        aria-expanded={isOpen}
        title={`${title}: ${summaryText(summary, isPart)}`}
        onClick={onToggle}
      >
        <Name title={title} depth={depth} iteration={iteration} isLoop />
        <span className="timeline__track timeline__track--loop">
          <Bars bars={bars} />
          <span className="timeline__summary truncate numbers">
            <Summary summary={summary} isPart={isPart} />
          </span>
        </span>
        <span className="timeline__time numbers">
          {own === null || own.run.duration === null ? '' : formatDuration(own.run.duration)}
          {own !== null && <span className="visually-hidden">, {formatStatus(own.run.status)}</span>}
        </span>
      </button>
    </li>
  );
}

function Name({
  title,
  depth,
  iteration,
  isLoop = false,
}: Pick<Shared, 'title' | 'depth' | 'iteration'> & { isLoop?: boolean }) {
  return (
    <span className="timeline__name" style={{ paddingLeft: depth * INDENT_PX }}>
      {isLoop && <ChevronRight size={12} className="timeline__chevron" aria-hidden="true" />}
      <span className="truncate">{title}</span>
      {iteration !== null && <span className="timeline__iteration faint numbers">[{iteration}]</span>}
    </span>
  );
}

function Track({ bars }: { bars: readonly Bar[] }) {
  return (
    <span className="timeline__track" aria-hidden="true">
      <Bars bars={bars} />
    </span>
  );
}

function Bars({ bars }: { bars: readonly Bar[] }) {
  return bars.map(({ start, width, status, title }, index) => (
    <span
      key={index}
      className={`timeline__bar timeline__bar--${status}`}
      aria-hidden="true"
      title={title === '' ? undefined : title}
      style={{ left: `min(${percent(start)}%, 100% - 3px)`, width: `max(3px, ${percent(width)}%)` }}
    />
  ));
}

function Summary({ summary, isPart }: { summary: LoopSummary; isPart: boolean }) {
  const { iterations, ok, failed, running, slowest } = summary;
  const more = isPart ? '+' : '';
  return (
    <>
      {iterations}
      {more}
      {ok > 0 && ` · ${t('{{number}} ok', { number: `${ok}${more}` })}`}
      {failed > 0 && (
        <>
          {' · '}
          <span className="timeline__failed">{t('{{number}} failed', { number: `${failed}${more}` })}</span>
        </>
      )}
      {running > 0 && ` · ${t('{{number}} running', { number: running })}`}
      {slowest !== null && ` · ${t('slowest {{duration}}', { duration: formatDuration(slowest) })}`}
    </>
  );
}

function summaryText({ iterations, ok, failed, slowest }: LoopSummary, isPart: boolean): string {
  return [
    isPart
      ? tPlural(iterations, '{{count}} or more iterations', '{{count}} or more iterations')
      : tPlural(iterations, '{{count}} iteration', '{{count}} iterations'),
    t('{{number}} ok', { number: ok }),
    t('{{number}} failed', { number: failed }),
    ...(slowest === null ? [] : [t('slowest {{duration}}', { duration: formatDuration(slowest) })]),
  ].join(', ');
}

/** Percent with one decimal: a smaller change does not change the style. */
function percent(part: number): number {
  return Math.round(part * 1_000) / 10;
}
