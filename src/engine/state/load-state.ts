import type { JournalEvent } from '../journal/journal.ts';
import { replayJournal } from '../journal/replay.ts';
import { decodeSnapshot } from '../journal/snapshot-codec.ts';
import type { SavedExecution } from './execution-state.ts';
import type { StateSnapshot } from '../../ports/store/checkpoint.ts';
import { READABLE_SNAPSHOT_VERSIONS } from './saved-state.ts';

type Deps = Parameters<typeof replayJournal>[0] & {
  report?: (message: string, error: unknown) => void;
};

/** A snapshot of the state before the journal row `nextSeq`. */
export type StoredSnapshot = StateSnapshot & { nextSeq: number };

/** The snapshot of an execution; null: it has none that this program can use before the row `nextSeq`. */
export async function findSnapshot(
  deps: Pick<Deps, 'store'>,
  { ownerId, id }: { ownerId: string; id: string },
  nextSeq = Infinity,
): Promise<StoredSnapshot | null> {
  const snapshot = await deps.store.executions.snapshot(ownerId, id);
  // A later one is from a worker that has taken the execution over meanwhile.
  if (snapshot === null || !READABLE_SNAPSHOT_VERSIONS.includes(snapshot.version)) return null;
  return snapshot.nextSeq <= nextSeq ? snapshot : null;
}

/** What is loaded: it is created once more when a snapshot cannot be used. */
export type Loadable = {
  /** @throws {Error} when the snapshot does not fit. */
  restore(saved: SavedExecution): void;
  apply(event: JournalEvent): void;
};

/**
 * Loads the state of an execution with a long journal: from a snapshot and the rows after it, or from all
 * rows when there is none or it cannot be read. `from`: the first row that was replayed;
 * `count` and `size`: events and characters of these rows.
 */
export async function loadState<T extends Loadable>(
  deps: Deps,
  execution: { ownerId: string; id: string },
  snapshot: StoredSnapshot | null,
  nextSeq: number,
  create: () => T,
): Promise<{ loaded: T; from: number; count: number; size: number }> {
  let loaded = create();
  let from = 0;
  if (snapshot !== null) {
    try {
      loaded.restore((await decodeSnapshot(snapshot.data)) as SavedExecution);
      from = snapshot.nextSeq;
    } catch (error) {
      deps.report?.(`cannot use the snapshot of execution ${execution.id}`, error);
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
  return { loaded, from, count, size };
}
