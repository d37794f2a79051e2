import { useMemo } from 'react';
import { Chart, type Series } from '../../ui/chart.tsx';
import { joinClassNames } from '../../ui/class-names.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { formatDuration } from '../../ui/time.tsx';
import type { Sample } from './health-feed.ts';
import { t } from '../../i18n/index.ts';

const count = (value: number): string => (Number.isInteger(value) ? String(value) : '');
const megabytes = (value: number): string => `${Math.round(value)} MB`;
/** Fractions of a millisecond get no label. */
const milliseconds = (value: number): string => (value === 0 ? '0' : value < 1 ? '' : formatDuration(value));
const dash = '–';

type Panel = {
  title: string;
  now: (sample: Sample) => string;
  format: (value: number) => string;
  lines: readonly { name: string; color: string; of: (sample: Sample) => number | null }[];
};

const PANELS: readonly Panel[] = [
  {
    title: t('Executions per minute'),
    now: (one) => `${one.executionsEnded}`,
    format: count,
    lines: [{ name: t('Completed or failed'), color: '--accent', of: (one) => one.executionsEnded }],
  },
  {
    title: t('Failures per minute'),
    now: (one) => `${one.executionsFailed}`,
    format: count,
    lines: [{ name: t('Failed'), color: '--bad', of: (one) => one.executionsFailed }],
  },
  {
    title: t('Execution duration'),
    now: (one) => (one.durationP50 === null ? dash : formatDuration(one.durationP50)),
    format: milliseconds,
    lines: [
      { name: 'p50', color: '--accent', of: (one) => one.durationP50 },
      { name: 'p95', color: '--warn', of: (one) => one.durationP95 },
    ],
  },
  {
    title: t('Running and queued'),
    now: (one) => `${one.activeExecutions + one.queuedExecutions}`,
    format: count,
    lines: [
      { name: t('Running'), color: '--accent', of: (one) => one.activeExecutions },
      { name: t('Queued'), color: '--warn', of: (one) => one.queuedExecutions },
    ],
  },
  {
    title: t('Event loop lag'),
    now: (one) => formatDuration(one.eventLoopLag),
    format: milliseconds,
    lines: [{ name: 'p99', color: '--accent', of: (one) => one.eventLoopLag }],
  },
  {
    title: t('Memory'),
    now: (one) => megabytes(one.memoryUsed / 1_048_576),
    format: megabytes,
    lines: [{ name: 'RSS', color: '--accent', of: (one) => one.memoryUsed / 1_048_576 }],
  },
];

/** The samples as line charts, each with its current value. */
export function HealthCharts({ samples }: { samples: readonly Sample[] }) {
  return (
    <div className="gauges">
      {PANELS.map((panel) => (
        <HealthPanel key={panel.title} panel={panel} samples={samples} />
      ))}
    </div>
  );
}

function HealthPanel({ panel, samples }: { panel: Panel; samples: readonly Sample[] }) {
  const times = useMemo(() => samples.map(({ timestamp }) => Date.parse(timestamp) / 1_000), [samples]);
  const series = useMemo(
    () => panel.lines.map(({ name, color, of }): Series => ({ name, color, values: samples.map(of) })),
    [panel, samples],
  );
  const latest = samples.at(-1);
  return (
    <section className="card gauge" aria-label={panel.title}>
      <div className="gauge__head">
        <h2 className="gauge__title">{panel.title}</h2>
        <span className="gauge__now numbers">
          {latest === undefined ? <Skeleton width="3rem" /> : panel.now(latest)}
        </span>
      </div>
      <Chart
        label={t('{{title}}, last 10 minutes; current value {{value}}', {
          title: panel.title,
          value: latest === undefined ? t('unknown') : panel.now(latest),
        })}
        times={times}
        series={series}
        format={panel.format}
      />
      <ul className="gauge__legend">
        {panel.lines.map(({ name, color }) => (
          <li key={name} className="row">
            <span className={joinClassNames('gauge__dot', `gauge__dot${color}`)} aria-hidden="true" />
            {name}
          </li>
        ))}
      </ul>
    </section>
  );
}
