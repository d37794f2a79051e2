import { useQuery, keepPreviousData, type UseQueryResult } from '@tanstack/react-query';
import type { ExecutionStatistics } from 'weft-client';
import { client } from '../../data/client.ts';
import { locale, t } from '../../i18n/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const REFRESH_MS = 60_000;

export type Range = '24h' | '7d' | '30d' | '90d';

/** The selectable ranges. `none`: text without executions; `count`: intervals including the current one. */
export const RANGES: Readonly<
  Record<Range, { label: string; none: string; interval: 'hour' | 'day'; count: number }>
> = {
  '24h': {
    label: t('24 hours'),
    none: t('No executions in the last 24 hours'),
    interval: 'hour',
    count: 24,
  },
  '7d': {
    label: t('7 days'),
    none: t('No executions in the last 7 days'),
    interval: 'hour',
    count: 168,
  },
  '30d': {
    label: t('30 days'),
    none: t('No executions in the last 30 days'),
    interval: 'day',
    count: 30,
  },
  '90d': {
    label: t('90 days'),
    none: t('No executions in the last 90 days'),
    interval: 'day',
    count: 90,
  },
};

export function readRange(text: string): Range {
  return text in RANGES ? (text as Range) : '24h';
}

export const getLength = (interval: 'hour' | 'day'): number => (interval === 'hour' ? HOUR_MS : DAY_MS);

/** The statistics of a workflow, or of all with null. Ended executions update them. */
export function useStatistics(workflowId: string | null, range: Range): UseQueryResult<ExecutionStatistics> {
  const { interval, count } = RANGES[range];
  return useQuery({
    queryKey: ['executions', 'statistics', workflowId, range],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - (count - 1) * getLength(interval)).toISOString();
      return workflowId === null
        ? client.statistics.get({ from, interval }, { signal })
        : client.workflows.statistics.get(workflowId, { from, interval }, { signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

type Counts = Pick<ExecutionStatistics['totals'], 'completed' | 'failed' | 'stopped'>;

export const sumCounts = ({ completed, failed, stopped }: Counts): number => completed + failed + stopped;

/** Completed of completed and failed executions, in percent; null without any. */
export function computeSuccessRate({ completed, failed }: Counts): number | null {
  return completed + failed === 0 ? null : (completed / (completed + failed)) * 100;
}

const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

/** Rounded down, so that only 100 % is shown as 100 %. */
export function formatSuccessRate(success: number | null): string {
  return success === null ? '–' : percent.format(Math.floor(success * 10) / 1_000);
}

const number = new Intl.NumberFormat(locale);
export const countText = (count: number): string => number.format(count);

const hour = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' });
const hourOfDay = new Intl.DateTimeFormat(locale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: 'numeric',
  minute: '2-digit',
});
const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const localDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
const fullDay = new Intl.DateTimeFormat(locale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** An interval in words: the local time of an hour, the date of a day in UTC. */
export function formatInterval(start: string, interval: 'hour' | 'day'): string {
  const time = Date.parse(start);
  return interval === 'day' ? `${fullDay.format(time)} (UTC)` : hourOfDay.formatRange(time, time + HOUR_MS);
}

/** A label of the time axis. */
export function formatAxisTime(ms: number, range: Range): string {
  if (range === '24h') return hour.format(ms);
  return range === '7d' ? localDay.format(ms) : day.format(ms);
}

/** The page of the executions that were created in an interval. */
export function formatExecutionsLink(
  workflowId: string | null,
  start: string,
  interval: 'hour' | 'day',
): string {
  const query = new URLSearchParams({
    ...(workflowId !== null && { workflow: workflowId }),
    from: start,
    to: new Date(Date.parse(start) + getLength(interval)).toISOString(),
  });
  return `/executions?${query}`;
}
