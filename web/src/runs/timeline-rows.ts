import type { TimelineRun } from './live-runs.ts';

export type TimelineRow = {
  readonly run: TimelineRun;
  /** Fractions of the total time, 0 to 1. */
  readonly start: number;
  readonly width: number;
};

export type Timeline = {
  readonly rows: readonly TimelineRow[];
  /** The time span of the full width in ms. */
  readonly span: number;
};

/** A run with its times in ms; `end` null: still running. */
export type TimedRun = { readonly run: TimelineRun; readonly start: number; readonly end: number | null };

/** The runs that have started, in the order of their start. */
export function timedRuns(runs: readonly TimelineRun[]): TimedRun[] {
  return runs
    .flatMap((run): TimedRun[] =>
      run.start_time === null
        ? []
        : [
            {
              run,
              start: Date.parse(run.start_time),
              end: run.end_time === null ? null : Date.parse(run.end_time),
            },
          ],
    )
    .sort((a, b) => a.start - b.start);
}

/** The bars of the rows `from` to `to`; `now` is the end of runs that are still running. */
export function timelineOf(began: readonly TimedRun[], now: number, from: number, to: number): Timeline {
  const first = began[0]?.start;
  if (first === undefined) return { rows: [], span: 0 };
  const span = Math.max(1, began.reduce((latest, { end }) => Math.max(latest, end ?? now), first) - first);
  return {
    rows: began.slice(from, to).map(({ run, start, end }) => ({
      run,
      start: (start - first) / span,
      width: Math.max(0, ((end ?? now) - start) / span),
    })),
    span,
  };
}

/** The maximum number of intervals on the axis. */
const MOST_TICKS = 6;

/** Round tick values of the axis in ms; spans of minutes or hours use round seconds or minutes. */
export function ticksOf(span: number): number[] {
  const least = span / MOST_TICKS;
  const unit = least < 20_000 ? 1 : least < 1_200_000 ? 60_000 : 3_600_000;
  const power = 10 ** Math.floor(Math.log10(least / unit));
  const step = ([1, 2, 5, 10].find((times) => times * power * unit >= least) ?? 10) * power * unit;
  // The resolution is one millisecond.
  if (step < 1) return [0];
  return Array.from({ length: Math.floor((span * 0.96) / step) + 1 }, (_, at) => at * step);
}
