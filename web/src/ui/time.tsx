import { useSyncExternalStore } from 'react';
import { locale, t } from '../i18n/index.ts';

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const clockTime = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const utcDay = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `5 min. ago`, `yesterday`; a date beyond one month. */
export function formatRelativeTime(at: number, now: number): string {
  const away = at - now;
  if (Math.abs(away) >= 30 * 86_400_000) return day.format(at);
  const unit = UNITS.find(([, ms]) => Math.abs(away) >= ms);
  return unit === undefined ? t('just now') : relative.format(Math.round(away / unit[1]), unit[0]);
}

/** One clock shared by all relative times. */
const REFRESH_INTERVAL_MS = 20_000;
let now = Date.now();
const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function watch(watcher: () => void): () => void {
  // The clock is stopped while no time is displayed.
  if (watchers.size === 0) now = Date.now();
  watchers.add(watcher);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of watchers) one();
  }, REFRESH_INTERVAL_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The time in epoch ms; it advances every 20 seconds. */
export function useClock(): number {
  const clock = useSyncExternalStore(watch, () => now);
  return Math.max(clock, now);
}

export function Time({ at }: { at: string | null }) {
  const clock = useClock();
  if (at === null) return <span className="faint">{t('never')}</span>;
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={full.format(ms)}>
      {formatRelativeTime(ms, clock)}
    </time>
  );
}

/** The date and the time, in the reader's format. */
export function formatFullTime(ms: number): string {
  return full.format(ms);
}

/** A day in UTC such as `2026-01-31`, in the reader's format. */
export function formatDay(date: string): string {
  return utcDay.format(Date.parse(date));
}

/** `10:32:05`, in the reader's format. */
export function timeText(ms: number): string {
  return clockTime.format(ms);
}

/** `340 ms`, `2.4 s`, `3 m 20 s`, `1 h 5 m`. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return t('{{ms}} ms', { ms: Math.round(ms) });
  if (ms < 60_000) return t('{{seconds}} s', { seconds: secondsText(ms) });
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60)
    return t('{{minutes}} m {{seconds}} s', { minutes, seconds: Math.floor((ms % 60_000) / 1_000) });
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? t('{{hours}} h {{minutes}} m', { hours, minutes: minutes % 60 })
    : t('{{days}} d {{hours}} h', { days: Math.floor(hours / 24), hours: hours % 24 });
}

function secondsText(ms: number): string {
  const digits = ms < 10_000 ? 1 : 0;
  return (ms / 1_000).toLocaleString(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}
