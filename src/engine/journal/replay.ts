import type { Clock } from '../../ports/clock.ts';
import type { FileStore } from '../../ports/files.ts';
import { limits } from '../../ports/limits.ts';
import type { Store } from '../../ports/store.ts';
import type { JournalRow } from '../../ports/store/execution-reads.ts';
import { parseEvents, type JournalEvent } from './journal.ts';
import { loadLargeValue } from './event-encoder.ts';
import { TimeSlice } from '../../lib/async/time-slice.ts';

/**
 * Rows of the first page, and the maximum. A row holds all events of one commit, which may be thousands.
 * Pages grow, so that a replay that needs only a few rows does not read many.
 */
const FIRST_PAGE_SIZE = 4;
const MAX_PAGE_SIZE = 100;

type Deps = { store: Pick<Store, 'executions'>; files: FileStore; clock: Pick<Clock, 'now' | 'soon'> };

/** Applies the events of rows that are loaded already. */
export async function replayRows(
  deps: Omit<Deps, 'store'>,
  rows: readonly JournalRow[],
  apply: (event: JournalEvent) => void,
): Promise<void> {
  const slice = new TimeSlice(deps.clock, limits.timeSliceMs);
  for (const row of rows) await replayRow(deps, slice, row, apply);
}

async function replayRow(
  { files }: Pick<Deps, 'files'>,
  slice: TimeSlice,
  row: JournalRow,
  apply: (event: JournalEvent) => void,
): Promise<void> {
  // One large value is in memory at a time: a row may hold many.
  for (const event of parseEvents(row.events)) {
    const loading = loadLargeValue(event, files);
    const unload = loading === undefined ? undefined : await loading;
    apply(event);
    unload?.();
    if (slice.isOver) await slice.next();
  }
}

/**
 * Applies the events of an execution in order, starting at the row `from`, one page of rows at a time. A long
 * journal is replayed in time slices. Stops after the row for which `isEnough` returns true. `next`: the row
 * to continue with; `isWhole`: the end was reached; `size`: characters of the rows.
 */
export async function replayJournal(
  deps: Deps,
  execution: { ownerId: string; id: string },
  from: number,
  apply: (event: JournalEvent) => void,
  isEnough: (next: number) => boolean = () => false,
): Promise<{ next: number; isWhole: boolean; size: number }> {
  const slice = new TimeSlice(deps.clock, limits.timeSliceMs);
  let next = from;
  let size = 0;
  for (let limit = FIRST_PAGE_SIZE; ; limit = Math.min(MAX_PAGE_SIZE, 4 * limit)) {
    const rows = await deps.store.executions.journal(execution.ownerId, execution.id, next, limit);
    for (const row of rows) {
      await replayRow(deps, slice, row, apply);
      next = row.seq + 1;
      size += row.events.length;
      if (isEnough(next)) return { next, isWhole: false, size };
    }
    if (rows.length < limit) return { next, isWhole: true, size };
  }
}
