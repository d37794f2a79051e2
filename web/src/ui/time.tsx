import { useSyncExternalStore } from 'react';

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clockTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `5 min. ago`, `yesterday`; a date beyond one month. */
export function relativeTime(at: number, now: number): string {
  const away = at - now;
  if (Math.abs(away) >= 30 * 86_400_000) return day.format(at);
  const unit = UNITS.find(([, ms]) => Math.abs(away) >= ms);
  return unit === undefined ? 'just now' : relative.format(Math.round(away / unit[1]), unit[0]);
}

/** One clock shared by all relative times. */
const TICK = 20_000;
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
  }, TICK);
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
  if (at === null) return <span className="faint">never</span>;
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={full.format(ms)}>
      {relativeTime(ms, clock)}
    </time>
  );
}

/** `10:32:05`, in the reader's format. */
export function timeText(ms: number): string {
  return clockTime.format(ms);
}

/** `340 ms`, `2.4 s`, `3 m 20 s`, `1 h 5 m`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} m ${Math.floor((ms % 60_000) / 1_000)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} m` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
