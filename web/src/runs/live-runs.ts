import type { LogEntry, NodeRun } from 'weft-client';
import { parseFailedTry, type FailedTry } from './log/tries.ts';

/** The fields of a node run that a timeline needs. */
export type TimelineRun = Pick<
  NodeRun,
  'node_id' | 'path' | 'status' | 'start_time' | 'end_time' | 'duration' | 'attempt'
> & { readonly tries?: readonly FailedTry[] };

const STATUS_BY_END_EVENT: ReadonlyMap<string, TimelineRun['status']> = new Map([
  ['Completed', 'completed'],
  ['Output given, not run', 'completed'],
  ['Disabled, passed through', 'completed'],
  ['Stopped', 'stopped'],
]);

/** Node runs derived from log lines, so that the timeline grows without reading the execution repeatedly. */
export class LiveRuns {
  readonly #byPath = new Map<string, TimelineRun>();
  readonly #most: number;

  /** `most`: the maximum number of runs kept; the first ones are. */
  constructor(most: number) {
    this.#most = most;
  }

  read(entry: LogEntry): void {
    const { node_id: id, message, level, timestamp, data } = entry;
    const path = (data as { path?: unknown } | null)?.path;
    if (id === null || typeof path !== 'string') return;
    const before = this.#byPath.get(path);
    const status = computeStatusAfter(message, level);
    if (status === null || (before === undefined && this.#byPath.size >= this.#most)) return;
    const isOver = status !== 'running' && status !== 'waiting';
    const start = before?.start_time ?? timestamp;
    const failed = parseFailedTry(entry);
    const tries = failed === null ? before?.tries : [...(before?.tries ?? []), failed];
    this.#byPath.set(path, {
      node_id: id,
      path,
      status,
      start_time: start,
      end_time: isOver ? timestamp : null,
      duration: isOver ? Date.parse(timestamp) - Date.parse(start) : null,
      attempt: (before?.attempt ?? 1) + (status === 'waiting' ? 1 : 0),
      ...(tries === undefined ? {} : { tries }),
    });
  }

  all(): readonly TimelineRun[] {
    return [...this.#byPath.values()];
  }
}

/** The status of a node run after a log line; null for a line that does not change it. */
export function computeStatusAfter(message: string, level: LogEntry['level']): TimelineRun['status'] | null {
  if (message === 'Started') return 'running';
  if (level === 'error' && message.startsWith('Failed: ')) return 'failed';
  if (level === 'warning' && /^Attempt \d+ failed: /.test(message)) return 'waiting';
  return STATUS_BY_END_EVENT.get(message) ?? null;
}
