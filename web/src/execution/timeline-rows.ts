import type { NodeRun } from 'weft-client';

/** Runs that are drawn; a loop may have thousands. */
export const MOST_ROWS = 300;

export type TimelineRow = {
  readonly run: NodeRun;
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

/** When each node ran, one below the other; `now` ends what still runs. */
export function timelineOf(runs: readonly NodeRun[], now: number): Timeline {
  const began = runs
    .filter((run) => run.start_time !== null)
    .toSorted((a, b) => Date.parse(a.start_time!) - Date.parse(b.start_time!));
  const shown = began.slice(0, MOST_ROWS);
  if (shown.length === 0) return { rows: [], span: 0, left: 0 };
  const first = Date.parse(shown[0]!.start_time!);
  const ends = shown.map((run) => (run.end_time === null ? now : Date.parse(run.end_time)));
  const span = Math.max(1, ends.reduce((latest, end) => Math.max(latest, end), first) - first);
  return {
    rows: shown.map((run, at) => {
      const start = (Date.parse(run.start_time!) - first) / span;
      return { run, start, width: Math.max(0, (ends[at]! - Date.parse(run.start_time!)) / span) };
    }),
    span,
    left: began.length - shown.length,
  };
}
