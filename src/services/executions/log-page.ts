import { isSettled, type LogEntry } from '../../contract/execution.ts';
import type { ExecutionLog } from '../../engine/engine-api.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';

const MAX_TOTALS = 1_000;

type LogFilter = { level?: string; node_id?: string };

export function isFiltered({ level, node_id: nodeId }: LogFilter): boolean {
  return level !== undefined || nodeId !== undefined;
}

export function isWanted(entry: LogEntry, { level, node_id: nodeId }: LogFilter): boolean {
  return (level === undefined || entry.level === level) && (nodeId === undefined || entry.nodeId === nodeId);
}

/** Caches the entry counts of ended executions by filter, for the total of subsequent pages. */
export class LogTotals {
  readonly #totals = new Map<string, number>();

  get(key: string): number | undefined {
    return this.#totals.get(key);
  }

  set(key: string, total: number): void {
    this.#totals.delete(key);
    this.#totals.set(key, total);
    if (this.#totals.size > MAX_TOTALS) this.#totals.delete(this.#totals.keys().next().value ?? '');
  }
}

/**
 * Reads one page of a log, holding only the page and the current batch in memory. If the total is known, it
 * stops at the end of the page.
 */
export async function readLogPage(
  row: ExecutionRow,
  source: ExecutionLog,
  filter: LogFilter,
  { offset, limit }: { offset: number; limit: number },
  totals: LogTotals,
): Promise<{ entries: LogEntry[]; total: number }> {
  const key = JSON.stringify([row.id, filter.level, filter.node_id]);
  const known = isSettled(row.status) ? totals.get(key) : undefined;
  const entries: LogEntry[] = [];
  if (known !== undefined && offset >= known) return { entries, total: known };
  let count = 0;
  for (;;) {
    const piece = await source.next();
    for (const entry of piece.entries) {
      if (!isWanted(entry, filter)) continue;
      if (count >= offset && entries.length < limit) entries.push(entry);
      count++;
    }
    if (known !== undefined && (entries.length === limit || piece.isWhole)) return { entries, total: known };
    if (!piece.isWhole) continue;
    if (isSettled(row.status)) totals.set(key, count);
    return { entries, total: count };
  }
}
