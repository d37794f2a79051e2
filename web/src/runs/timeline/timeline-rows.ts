import type { TimelineRun } from '../live-runs.ts';
import type { FailedTry } from '../log/tries.ts';
import { formatStatus } from '../../data/words.ts';
import { t } from '../../i18n/index.ts';

/** A run with its times in ms; `end` null: still running. */
export type TimedRun = { readonly run: TimelineRun; readonly start: number; readonly end: number | null };

/** A part of a row: one try of a node, the pause before the next try, or the iterations of a loop. */
export type Bar = {
  /** Fractions of the total time, 0 to 1. */
  readonly start: number;
  readonly width: number;
  readonly status: TimelineRun['status'] | 'pause' | 'loop';
  /** A tooltip; empty for the only try of a node. */
  readonly title: string;
};

/** The number of iterations of a loop, by how they ended, and the longest in ms. */
export type LoopSummary = {
  readonly iterations: number;
  readonly ok: number;
  readonly failed: number;
  readonly running: number;
  readonly slowest: number | null;
};

type ItemBase = {
  readonly key: string;
  readonly nodeId: string;
  /** The number of loops around the row. */
  readonly depth: number;
  /** The iteration that the row belongs to, such as `3`; null outside loops. */
  readonly iteration: string | null;
};

export type TimelineItem =
  | (ItemBase & { readonly kind: 'run'; readonly timed: TimedRun })
  | (ItemBase & {
      readonly kind: 'loop';
      /** The run of the loop node itself, if it is loaded. */
      readonly own: TimedRun | null;
      readonly start: number;
      readonly end: number | null;
      readonly summary: LoopSummary;
      readonly isOpen: boolean;
    });

/** A loop with more iterations is collapsed until the user expands it. */
const MAX_EXPANDED_ITERATIONS = 5;

/** The runs that have started, in the order of their start. */
export function listTimedRuns(runs: readonly TimelineRun[]): TimedRun[] {
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

/** One iteration of a loop: its runs, and the loops in it. */
type Scope = {
  /** `each[3]`; empty for the workflow itself. */
  readonly path: string;
  readonly runs: TimedRun[];
  readonly loops: Map<string, Loop>;
  start: number;
  end: number | null;
  hasFailed: boolean;
  isRunning: boolean;
};

type Loop = { readonly nodeId: string; own: TimedRun | null; readonly scopes: Scope[] };

/** Groups runs by iteration: `outer[1]/inner[2]/call` belongs to the iteration `outer[1]/inner[2]`. */
function buildScopes(began: readonly TimedRun[]): Scope {
  const root = createScope('');
  const scopesByPath = new Map([['', root]]);
  const find = (path: string): Scope => {
    const found = scopesByPath.get(path);
    if (found !== undefined) return found;
    const loopPath = path.slice(0, path.lastIndexOf('['));
    const around = find(getParentPath(loopPath));
    const scope = createScope(path);
    scopesByPath.set(path, scope);
    const loop = around.loops.get(loopPath);
    if (loop === undefined)
      around.loops.set(loopPath, { nodeId: getName(loopPath), own: null, scopes: [scope] });
    else loop.scopes.push(scope);
    return scope;
  };
  for (const timed of began) {
    for (let path = getParentPath(timed.run.path); ; path = getParentPath(path)) {
      extend(find(path), timed);
      if (path === '') break;
    }
    find(getParentPath(timed.run.path)).runs.push(timed);
  }
  for (const scope of scopesByPath.values())
    for (const timed of scope.runs) {
      const loop = scope.loops.get(timed.run.path);
      if (loop !== undefined) loop.own = timed;
    }
  return root;
}

function createScope(path: string): Scope {
  return { path, runs: [], loops: new Map(), start: Infinity, end: null, hasFailed: false, isRunning: false };
}

function extend(scope: Scope, { run, start, end }: TimedRun): void {
  scope.start = Math.min(scope.start, start);
  scope.hasFailed ||= run.status === 'failed';
  scope.isRunning ||= end === null;
  if (end !== null) scope.end = Math.max(scope.end ?? end, end);
}

const getParentPath = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
const getName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * The rows of a timeline. The iterations of a loop are one row until it is expanded (`choices`, by the loop's
 * path). Failed iterations come first.
 */
export function listTimelineItems(
  began: readonly TimedRun[],
  choices: ReadonlyMap<string, boolean>,
): TimelineItem[] {
  const items: TimelineItem[] = [];
  const emit = (scope: Scope, depth: number, iteration: string | null): void => {
    const runs = scope.runs.filter(({ run }) => !scope.loops.has(run.path));
    const rows = [
      ...runs.map((timed) => ({ start: timed.start, timed, loop: null, path: timed.run.path })),
      ...[...scope.loops].map(([path, loop]) => ({
        start: loop.own?.start ?? earliest(loop),
        timed: null,
        loop,
        path,
      })),
    ].sort((a, b) => a.start - b.start);
    for (const { timed, loop, path, start } of rows) {
      if (loop === null) {
        items.push({ kind: 'run', key: path, nodeId: timed.run.node_id, depth, iteration, timed });
        continue;
      }
      const isOpen = choices.get(path) ?? loop.scopes.length <= MAX_EXPANDED_ITERATIONS;
      const { nodeId, own } = loop;
      const end = own === null ? latest(loop) : own.end;
      const summary = summarizeLoop(loop);
      items.push({ kind: 'loop', key: path, nodeId, depth, iteration, own, start, end, summary, isOpen });
      if (!isOpen) continue;
      for (const inner of loop.scopes.toSorted(byUrgency))
        emit(inner, depth + 1, inner.path.slice(path.length + 1, -1));
    }
  };
  emit(buildScopes(began), 0, null);
  return items;
}

function byUrgency(a: Scope, b: Scope): number {
  return Number(b.hasFailed) - Number(a.hasFailed) || a.start - b.start;
}

function earliest({ scopes }: Loop): number {
  return scopes.reduce((least, { start }) => Math.min(least, start), Infinity);
}

function latest({ scopes }: Loop): number | null {
  return scopes.some(({ isRunning }) => isRunning)
    ? null
    : scopes.reduce((most, { end }) => Math.max(most, end ?? 0), 0);
}

function summarizeLoop({ scopes }: Loop): LoopSummary {
  let [ok, failed, running] = [0, 0, 0];
  let slowest: number | null = null;
  for (const scope of scopes) {
    if (scope.hasFailed) failed++;
    else if (scope.isRunning) running++;
    else ok++;
    if (!scope.isRunning && scope.end !== null) slowest = Math.max(slowest ?? 0, scope.end - scope.start);
  }
  return { iterations: scopes.length, ok, failed, running, slowest };
}

/** The time span of the runs in ms; `now` is the end of runs that are still running. */
export function computeSpan(began: readonly TimedRun[], now: number): number {
  const first = began[0]?.start;
  if (first === undefined) return 0;
  return Math.max(1, began.reduce((latestEnd, { end }) => Math.max(latestEnd, end ?? now), first) - first);
}

/** The bars of a row of a timeline that starts at `first` and is `span` ms wide. */
export function computeBars(item: TimelineItem, first: number, span: number, now: number): Bar[] {
  const bar = (from: number, to: number, status: Bar['status'], title = ''): Bar => ({
    start: (from - first) / span,
    width: Math.max(0, (to - from) / span),
    status,
    title,
  });
  if (item.kind === 'loop') return [bar(item.start, item.end ?? now, 'loop')];
  const { run, start, end } = item.timed;
  const tries: readonly FailedTry[] = run.tries ?? [];
  if (tries.length === 0) return [bar(start, end ?? now, run.status)];
  const bars: Bar[] = [];
  // The last try has not begun while the node waits for it.
  const total = Math.max(run.attempt, run.status === 'waiting' ? tries.length : tries.length + 1);
  let from = start;
  for (const [index, { end: failed, error, next }] of tries.entries()) {
    const to = Date.parse(failed);
    bars.push(
      bar(
        from,
        to,
        'failed',
        t('Try {{number}} of {{total}}: {{result}}', { number: index + 1, total, result: error }),
      ),
    );
    const due = next === null ? to : Date.parse(next);
    from = Math.min(Math.max(to, due), end ?? now);
    if (from > to) bars.push(bar(to, from, 'pause', t('Pause before try {{number}}', { number: index + 2 })));
  }
  if (run.status !== 'waiting')
    bars.push(
      bar(
        from,
        end ?? now,
        run.status,
        t('Try {{number}} of {{total}}: {{result}}', {
          number: tries.length + 1,
          total,
          result: formatStatus(run.status),
        }),
      ),
    );
  return bars;
}

/** The maximum number of intervals on the axis. */
const MAX_TICKS = 6;

/** Round tick values of the axis in ms; spans of minutes or hours use round seconds or minutes. */
export function computeTicks(span: number): number[] {
  const least = span / MAX_TICKS;
  const unit = least < 20_000 ? 1 : least < 1_200_000 ? 60_000 : 3_600_000;
  const power = 10 ** Math.floor(Math.log10(least / unit));
  const step = ([1, 2, 5, 10].find((times) => times * power * unit >= least) ?? 10) * power * unit;
  // The resolution is one millisecond.
  if (step < 1) return [0];
  return Array.from({ length: Math.floor((span * 0.96) / step) + 1 }, (_, index) => index * step);
}
