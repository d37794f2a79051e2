import { ChartColumn } from 'lucide-react';
import { useMemo, useState, type KeyboardEvent } from 'react';
import { useLocation } from 'wouter';
import type { ExecutionStatistics } from 'weft-client';
import { ErrorAlert } from '../../ui/alert.tsx';
import { Chart, type ChartIntervals, type Series } from '../../ui/chart.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { formatDuration } from '../../ui/time.tsx';
import { HistoryTable } from './history-table.tsx';
import {
  formatAxisTime,
  countText,
  formatExecutionsLink,
  formatInterval,
  getLength,
  RANGES,
  computeSuccessRate,
  formatSuccessRate,
  sumCounts,
  useStatistics,
  type Range,
} from './statistics.ts';
import { t } from '../../i18n/index.ts';

type Interval = ExecutionStatistics['intervals'][number];

const whole = (value: number): string => (Number.isInteger(value) ? countText(value) : '');
const milliseconds = (value: number): string => (value === 0 ? '0' : value < 1 ? '' : formatDuration(value));
const durationOrDash = (duration: number | null): string =>
  duration === null ? '–' : formatDuration(duration);

type Panel = {
  title: string;
  kind: 'lines' | 'bars';
  format: (value: number) => string;
  most?: number;
  series: readonly { name: string; color: string; of: (one: Interval) => number | null }[];
};

const PANELS: readonly Panel[] = [
  {
    title: t('Executions'),
    kind: 'bars',
    format: whole,
    series: [
      { name: t('Completed'), color: '--accent', of: (one) => one.completed },
      { name: t('Failed'), color: '--bad', of: (one) => one.failed },
      { name: t('Stopped'), color: '--ink-faint', of: (one) => one.stopped },
    ],
  },
  {
    title: t('Success rate'),
    kind: 'lines',
    format: formatSuccessRate,
    most: 100,
    series: [{ name: t('Completed of completed and failed'), color: '--good', of: computeSuccessRate }],
  },
  {
    title: t('Duration'),
    kind: 'lines',
    format: milliseconds,
    series: [
      { name: 'p50', color: '--accent', of: (one) => one.duration.p50 },
      { name: 'p95', color: '--warn', of: (one) => one.duration.p95 },
    ],
  },
];

/** Totals and charts of ended executions: of a workflow, or of all with null. */
export function RunHistory({ workflowId, range }: { workflowId: string | null; range: Range }) {
  const statistics = useStatistics(workflowId, range);
  const { data } = statistics;
  if (data === undefined)
    return statistics.error === null ? (
      <Totals totals={null} />
    ) : (
      <ErrorAlert error={statistics.error} onRetry={() => void statistics.refetch()} />
    );
  return (
    <div className="stack">
      <Totals totals={data.totals} />
      {sumCounts(data.totals) === 0 ? (
        <EmptyState icon={<ChartColumn size={20} />} title={RANGES[range].none}>
          {t(
            'Executions appear here when they have ended. Their statistics are kept after they are deleted.',
          )}
        </EmptyState>
      ) : (
        <>
          <HistoryCharts statistics={data} workflowId={workflowId} range={range} />
          <p className="field__hint">
            {t(
              'An execution counts when it has ended, in the hour or day in which it was created. Days are UTC.',
            )}
          </p>
          <HistoryTable statistics={data} workflowId={workflowId} />
        </>
      )}
    </div>
  );
}

function Totals({ totals }: { totals: ExecutionStatistics['totals'] | null }) {
  const values: readonly [string, string | null][] = [
    [t('Executions'), totals && countText(sumCounts(totals))],
    [t('Success rate'), totals && formatSuccessRate(computeSuccessRate(totals))],
    [t('Failed'), totals && countText(totals.failed)],
    [t('Duration p50'), totals && durationOrDash(totals.duration.p50)],
    [t('Duration p95'), totals && durationOrDash(totals.duration.p95)],
  ];
  return (
    <dl className="vitals">
      {values.map(([name, value]) => (
        <div key={name} className="vital">
          <dt>{name}</dt>
          <dd className="numbers">{value ?? <Skeleton width="3rem" />}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The charts with a shared cursor, which works like a slider. Enter opens the executions at the cursor. */
function HistoryCharts({
  statistics: { intervals, interval },
  workflowId,
  range,
}: {
  statistics: ExecutionStatistics;
  workflowId: string | null;
  range: Range;
}) {
  const [, navigate] = useLocation();
  const [hoveredIndex, setHoveredIndex] = useState<number | null>(null);
  const pointed = hoveredIndex === null || hoveredIndex >= intervals.length ? null : hoveredIndex;
  const length = getLength(interval) / 1_000;
  const times = useMemo(
    () => intervals.map(({ start }) => Date.parse(start) / 1_000 + length / 2),
    [intervals, length],
  );
  const choose = (index: number): void => {
    const one = intervals[index];
    if (one !== undefined) navigate(formatExecutionsLink(workflowId, one.start, interval));
  };
  const shared: ChartIntervals = {
    span: [(times[0] ?? 0) - length / 2, (times.at(-1) ?? 0) + length / 2],
    formatTime: (seconds) => formatAxisTime(seconds * 1_000, range),
    pointed,
    onPoint: setHoveredIndex,
    onChoose: choose,
  };
  const last = intervals.length - 1;
  const onKeyDown = (event: KeyboardEvent): void => {
    const index = pointed ?? last + 1;
    const moves: Readonly<Record<string, number>> = {
      ArrowLeft: index - 1,
      ArrowDown: index - 1,
      ArrowRight: index + 1,
      ArrowUp: index + 1,
      PageUp: index + 10,
      PageDown: index - 10,
      Home: 0,
      End: last,
    };
    const to = moves[event.key];
    if (to !== undefined) setHoveredIndex(Math.min(last, Math.max(0, to)));
    else if (event.key === 'Enter' && pointed !== null) choose(pointed);
    else if (event.key === 'Escape') setHoveredIndex(null);
    else return;
    event.preventDefault();
  };
  const one = pointed === null ? undefined : intervals[pointed];
  const text = one === undefined ? null : describeInterval(one, interval);
  return (
    <>
      <div
        className="history-cursor numbers"
        role="slider"
        tabIndex={0}
        aria-label={t('Interval of the charts. Press Enter to list its executions')}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={pointed ?? last}
        aria-valuetext={text ?? t('None')}
        onKeyDown={onKeyDown}
        onFocus={() => pointed === null && setHoveredIndex(last)}
        onBlur={() => setHoveredIndex(null)}
      >
        {text ??
          t(
            'Point at a chart, or use the arrow keys here, to read an interval. Click, or press Enter, to list its executions.',
          )}
      </div>
      {PANELS.map((panel) => (
        <HistoryPanel
          key={panel.title}
          panel={panel}
          intervals={intervals}
          times={times}
          shared={shared}
          range={range}
        />
      ))}
    </>
  );
}

function describeInterval(one: Interval, interval: 'hour' | 'day'): string {
  const parts = [
    t('{{number}} completed', { number: countText(one.completed) }),
    t('{{number}} failed', { number: countText(one.failed) }),
    ...(one.stopped === 0 ? [] : [t('{{number}} stopped', { number: countText(one.stopped) })]),
    ...(computeSuccessRate(one) === null
      ? []
      : [t('{{percent}} success', { percent: formatSuccessRate(computeSuccessRate(one)) })]),
    ...(one.duration.p50 === null
      ? []
      : [`p50 ${durationOrDash(one.duration.p50)}`, `p95 ${durationOrDash(one.duration.p95)}`]),
  ];
  return `${formatInterval(one.start, interval)} · ${sumCounts(one) === 0 ? t('No executions') : parts.join(' · ')}`;
}

function HistoryPanel({
  panel,
  intervals,
  times,
  shared,
  range,
}: {
  panel: Panel;
  intervals: readonly Interval[];
  times: readonly number[];
  shared: ChartIntervals;
  range: Range;
}) {
  const series = useMemo(
    () => panel.series.map(({ name, color, of }): Series => ({ name, color, values: intervals.map(of) })),
    [panel, intervals],
  );
  return (
    <section className="card gauge" aria-label={panel.title}>
      <div className="gauge__head">
        <h2 className="gauge__title">{panel.title}</h2>
        <ul className="gauge__legend">
          {panel.series.map(({ name, color }) => (
            <li key={name} className="row">
              <span className={joinClassNames('gauge__dot', `gauge__dot${color}`)} aria-hidden="true" />
              {name}
            </li>
          ))}
        </ul>
      </div>
      <Chart
        label={t('{{title}}, last {{range}}. The table below contains the values.', {
          title: panel.title,
          range: RANGES[range].label,
        })}
        times={times}
        series={series}
        format={panel.format}
        kind={panel.kind}
        {...(panel.most !== undefined && { most: panel.most })}
        intervals={shared}
      />
    </section>
  );
}
