import type { TimelineRun } from './live-runs.ts';

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

/** When each node ran, one below the other, of the rows from `from` up to `to`; `now` ends what still runs. */
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
