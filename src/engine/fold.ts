import type { Clock } from '../ports/clock.ts';
import type { FileStore } from '../ports/files.ts';
import { limits } from '../ports/limits.ts';
import type { Store } from '../ports/store.ts';
import type { JournalRow } from '../ports/store/execution-reads.ts';
import type { JournalEvent } from './journal.ts';
import { readEvents } from './stored-values.ts';

/** Rows that are read at once. One row is what was committed at once: it may hold thousands of events. */
const PAGE = 100;

type Deps = { store: Pick<Store, 'executions'>; files: FileStore; clock: Pick<Clock, 'now' | 'soon'> };

/** Applies the events of rows that one has already. */
export async function foldRows(
  deps: Omit<Deps, 'store'>,
  rows: readonly JournalRow[],
  apply: (event: JournalEvent) => void,
): Promise<void> {
  const turn = new Turn(deps.clock);
  for (const row of rows) await foldRow(deps, turn, row, apply);
}

/** The time that may pass before others run. */
class Turn {
  private readonly clock: Deps['clock'];
  private until: number;

  constructor(clock: Deps['clock']) {
    this.clock = clock;
    this.until = clock.now() + limits.turn;
  }

  get isOver(): boolean {
    return this.clock.now() >= this.until;
  }

  async next(): Promise<void> {
    await new Promise<void>((resolve) => this.clock.soon(resolve));
    this.until = this.clock.now() + limits.turn;
  }
}

async function foldRow(
  { files }: Pick<Deps, 'files'>,
  turn: Turn,
  row: JournalRow,
  apply: (event: JournalEvent) => void,
): Promise<void> {
  for (const event of await readEvents([row], files)) {
    apply(event);
    if (turn.isOver) await turn.next();
  }
}

/**
 * Applies the events of an execution from the row `from` on, in order, holding one page of rows at a time. A long journal is
 * folded in turns that let others run. It stops behind the row after which `isEnough`. `next`: the row to go on with;
 * `isWhole`: nothing more was there.
 */
export async function foldJournal(
  deps: Deps,
  execution: { ownerId: string; id: string },
  from: number,
  apply: (event: JournalEvent) => void,
  isEnough: () => boolean = () => false,
): Promise<{ next: number; isWhole: boolean }> {
  const turn = new Turn(deps.clock);
  let next = from;
  for (;;) {
    const rows = await deps.store.executions.journal(execution.ownerId, execution.id, next, PAGE);
    for (const row of rows) {
      await foldRow(deps, turn, row, apply);
      next = row.seq + 1;
      if (isEnough()) return { next, isWhole: false };
    }
    if (rows.length < PAGE) return { next, isWhole: true };
  }
}
