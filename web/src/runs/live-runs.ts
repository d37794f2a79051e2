import type { LogEntry, NodeRun } from 'weft-client';

/** What a timeline draws of a run of a node. */
export type TimelineRun = Pick<
  NodeRun,
  'node_id' | 'path' | 'status' | 'start_time' | 'end_time' | 'duration' | 'attempt'
>;

const ENDS: ReadonlyMap<string, TimelineRun['status']> = new Map([
  ['Completed', 'completed'],
  ['Output given, not run', 'completed'],
  ['Disabled, passed through', 'completed'],
  ['Stopped', 'stopped'],
]);

/** Runs of nodes as the lines of a log tell them, so that a timeline grows without the execution being read again and again. */
export class LiveRuns {
  readonly #byPath = new Map<string, TimelineRun>();
  readonly #most: number;

  /** `most`: runs that are kept, the first ones. */
  constructor(most: number) {
    this.#most = most;
  }

  read({ node_id: id, message, level, timestamp, data }: LogEntry): void {
    const path = (data as { path?: unknown } | null)?.path;
    if (id === null || typeof path !== 'string') return;
    const before = this.#byPath.get(path);
    const status = statusAfter(message, level);
    if (status === null || (before === undefined && this.#byPath.size >= this.#most)) return;
    const isOver = status !== 'running' && status !== 'waiting';
    const start = before?.start_time ?? timestamp;
    this.#byPath.set(path, {
      node_id: id,
      path,
      status,
      start_time: start,
      end_time: isOver ? timestamp : null,
      duration: isOver ? Date.parse(timestamp) - Date.parse(start) : null,
      attempt: (before?.attempt ?? 1) + (status === 'waiting' ? 1 : 0),
    });
  }

  all(): readonly TimelineRun[] {
    return [...this.#byPath.values()];
  }
}

function statusAfter(message: string, level: LogEntry['level']): TimelineRun['status'] | null {
  if (message === 'Started') return 'running';
  if (level === 'error' && message.startsWith('Failed: ')) return 'failed';
  if (level === 'warning' && /^Attempt \d+ failed: /.test(message)) return 'waiting';
  return ENDS.get(message) ?? null;
}
