import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import { limits } from '../ports/limits.ts';
import type { Store } from '../ports/store.ts';
import type { JournalRow } from '../ports/store/execution-reads.ts';
import { parseEvents, type JournalEvent } from './journal.ts';
import { loadLargeValue } from './event-encoder.ts';
import { TimeSlice } from '../lib/time-slice.ts';

/** Rows that are read at once. One row is what was committed at once: it may hold thousands of events. */
const PAGE = 100;

type Deps = { store: Pick<Store, 'executions'>; files: FileStore; clock: Pick<Clock, 'now' | 'soon'> };

/** Applies the events of rows that one has already. */
export async function replayRows(
  deps: Omit<Deps, 'store'>,
  rows: readonly JournalRow[],
  apply: (event: JournalEvent) => void,
): Promise<void> {
  const turn = new TimeSlice(deps.clock, limits.turn);
  for (const row of rows) await replayRow(deps, turn, row, apply);
}

async function replayRow(
  { files }: Pick<Deps, 'files'>,
  turn: TimeSlice,
  row: JournalRow,
  apply: (event: JournalEvent) => void,
): Promise<void> {
  // Of large values one is in hand at a time: a row may hold many.
  for (const event of parseEvents(row.events)) {
    const coming = loadLargeValue(event, files);
    const takeOut = coming === undefined ? undefined : await coming;
    apply(event);
    takeOut?.();
    if (turn.isOver) await turn.next();
  }
}

/**
 * Applies the events of an execution from the row `from` on, in order, holding one page of rows at a time. A long journal is
 * folded in turns that let others run. It stops behind the row after which `isEnough`. `next`: the row to go on with;
 * `isWhole`: nothing more was there.
 */
export async function replayJournal(
  deps: Deps,
  execution: { ownerId: string; id: string },
  from: number,
  apply: (event: JournalEvent) => void,
  isEnough: () => boolean = () => false,
): Promise<{ next: number; isWhole: boolean }> {
  const turn = new TimeSlice(deps.clock, limits.turn);
  let next = from;
  for (;;) {
    const rows = await deps.store.executions.journal(execution.ownerId, execution.id, next, PAGE);
    for (const row of rows) {
      await replayRow(deps, turn, row, apply);
      next = row.seq + 1;
      if (isEnough()) return { next, isWhole: false };
    }
    if (rows.length < PAGE) return { next, isWhole: true };
  }
}
