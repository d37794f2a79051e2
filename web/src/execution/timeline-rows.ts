import type { TimelineRun } from './live-runs.ts';

/** Runs that are drawn at once; a loop may have thousands. */
export const STEP_ROWS = 100;

export type TimelineRow = {
  readonly run: TimelineRun;
  /** Parts of the whole time, 0 to 1. */
  readonly start: number;
  readonly width: number;
};

export type Timeline = {
  readonly rows: readonly TimelineRow[];
  /** ms that the whole width stands for. */
  readonly span: number;
  /** Runs that are left out. */
  readonly left: number;
};

/** A run with its times in ms; `end` null: it goes on. */
export type TimedRun = { readonly run: TimelineRun; readonly start: number; readonly end: number | null };

/** What has begun, in the order in which it did. */
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

/** When each node ran, one below the other; `now` ends what still runs. */
export function timelineOf(began: readonly TimedRun[], now: number, most: number): Timeline {
  const shown = began.slice(0, most);
  const first = shown[0]?.start;
  if (first === undefined) return { rows: [], span: 0, left: 0 };
  const span = Math.max(1, shown.reduce((latest, { end }) => Math.max(latest, end ?? now), first) - first);
  return {
    rows: shown.map(({ run, start, end }) => ({
      run,
      start: (start - first) / span,
      width: Math.max(0, ((end ?? now) - start) / span),
    })),
    span,
    left: began.length - shown.length,
  };
}

/** Spaces between two marks of the axis, at most. */
const MOST_TICKS = 6;

/** Round times along the axis, in ms; those of a minute or an hour are round in seconds or minutes. */
export function ticksOf(span: number): number[] {
  const least = span / MOST_TICKS;
  const unit = least < 20_000 ? 1 : least < 1_200_000 ? 60_000 : 3_600_000;
  const power = 10 ** Math.floor(Math.log10(least / unit));
  const step = ([1, 2, 5, 10].find((times) => times * power * unit >= least) ?? 10) * power * unit;
  // Below a millisecond nothing is told apart.
  if (step < 1) return [0];
  return Array.from({ length: Math.floor((span * 0.96) / step) + 1 }, (_, at) => at * step);
}
