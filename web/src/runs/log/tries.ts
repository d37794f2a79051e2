import type { LogEntry } from 'weft-client';

/** A failed try of a node that was repeated. */
export type FailedTry = {
  readonly end: string;
  readonly error: string;
  /** When the next try is due. */
  readonly next: string | null;
};

/** The failed try that a log line reports; null for any other line. */
export function parseFailedTry({
  message,
  level,
  timestamp,
  data,
}: Pick<LogEntry, 'message' | 'level' | 'timestamp' | 'data'>): (FailedTry & { path: string }) | null {
  const [whole, error] = (level === 'warning' && /^Attempt \d+ failed: (.*)/s.exec(message)) || [];
  const { path, next_attempt_at: next } = (data ?? {}) as { path?: unknown; next_attempt_at?: unknown };
  if (whole === undefined || typeof path !== 'string') return null;
  return { path, end: timestamp, error: error ?? '', next: typeof next === 'string' ? next : null };
}

/** The failed tries of each node run, by its path, oldest first. */
export function countTriesByPath(log: Iterable<LogEntry>): ReadonlyMap<string, readonly FailedTry[]> {
  const byPath = new Map<string, FailedTry[]>();
  for (const entry of log) {
    const found = parseFailedTry(entry);
    if (found === null) continue;
    const { path, ...failed } = found;
    const tries = byPath.get(path);
    if (tries === undefined) byPath.set(path, [failed]);
    else tries.push(failed);
  }
  return byPath;
}
