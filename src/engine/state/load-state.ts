import type { JournalEvent } from '../journal/journal.ts';
import { replayJournal } from '../journal/replay.ts';
import { decodeSnapshot } from '../journal/snapshot-codec.ts';
import type { SavedExecution } from './execution-state.ts';
import { SNAPSHOT_VERSION } from './saved-state.ts';

type Deps = Parameters<typeof replayJournal>[0] & {
  report?: (message: string, error: unknown) => void;
};

/** What is loaded: it is created once more when a snapshot cannot be used. */
export type Loadable = {
  /** @throws {Error} when the snapshot does not fit. */
  restore(saved: SavedExecution): void;
  apply(event: JournalEvent): void;
};

/**
 * Loads the state of an execution with a long journal: from its snapshot and the rows after it, or from all
 * rows when it has no snapshot that this program can use. `count` and `size`: events and characters of the
 * rows that were replayed.
 */
export async function loadState<T extends Loadable>(
  deps: Deps,
  execution: { ownerId: string; id: string },
  nextSeq: number,
  create: () => T,
): Promise<{ loaded: T; count: number; size: number; hasSnapshot: boolean }> {
  const { ownerId, id } = execution;
  const snapshot = await deps.store.executions.snapshot(ownerId, id);
  let loaded = create();
  let from = 0;
  // A later one is from a worker that has taken the execution over meanwhile.
  if (snapshot?.version === SNAPSHOT_VERSION && snapshot.nextSeq <= nextSeq) {
    try {
      loaded.restore((await decodeSnapshot(snapshot.data)) as SavedExecution);
      from = snapshot.nextSeq;
    } catch (error) {
      deps.report?.(`cannot use the snapshot of execution ${id}`, error);
      loaded = create();
    }
  }
  let count = 0;
  let size = 0;
  if (from < nextSeq) {
    const apply = (event: JournalEvent): void => {
      loaded.apply(event);
      count++;
    };
    ({ size } = await replayJournal(deps, execution, from, apply, (next) => next >= nextSeq));
  }
  return { loaded, count, size, hasSnapshot: snapshot !== null };
}
