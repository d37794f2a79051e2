import { isSettled, type SettledStatus } from '../../../contract/execution.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Events } from '../../../ports/events.ts';
import type { ExecutionRow } from '../../../ports/store/execution-row.ts';

/** Number of entries written between two checks of backpressure. */
const BATCH_SIZE = 100;
/**
 * Interval at which the journal is read without an event, ms: another process may run the execution. It is
 * shorter after new entries, and doubles with each read, because events that were made before the
 * subscription are not published.
 */
const MAX_READ_INTERVAL_MS = 2_000;
/**
 * Minimum time from the end of a read to the next one for one reader, ms, and the ratio of this time to the
 * duration of the read.
 */
const MIN_PAUSE_MS = 5;
const PAUSE_FACTOR = 3;

export type EntryReader<T> = {
  /** Called once for each entry, in order; `index` counts from 0 over all entries. */
  entry(entry: T, index: number): void | Promise<void>;
  /** Resolves when the reader can accept more. */
  ready(): Promise<void>;
  /** The execution ended and all of its entries were passed on. */
  end(status: SettledStatus): void;
  /** Called when all entries so far were passed on, before the wait for the next ones. */
  whole?(): void;
  isClosed(): boolean;
  /** Registers a callback that runs once when the reader disconnects. */
  onClose(run: () => void): void;
};

/**
 * Sends the entries that follow from the journal of an execution, then new ones until it ends. They are
 * always read from the journal, each once; events only trigger a read, so a lost or repeated event neither
 * loses nor duplicates an entry.
 */
export async function followExecution<T>(
  row: ExecutionRow,
  reader: EntryReader<T>,
  source: {
    events: Pick<Events, 'subscribe'>;
    clock: Clock;
    /** The longest pause after a slow read, ms. Unlimited by default. */
    maxPause?: number;
    /** Returns the current row and the next entries at that time; null when the execution was deleted. */
    read(): Promise<{ row: ExecutionRow; entries: readonly T[]; isWhole: boolean } | null>;
  },
): Promise<void> {
  let isDirty = false;
  let wake = (): void => {};
  const unsubscribe = source.events.subscribe(row.ownerId, (event) => {
    if (event.kind === 'notification' || event.executionId !== row.id) return;
    isDirty = true;
    wake();
  });
  reader.onClose(() => wake());
  try {
    let index = 0;
    let quietReads = 0;
    while (!reader.isClosed()) {
      isDirty = false;
      const began = performance.now();
      const found = await source.read();
      const readAt = performance.now();
      // A long journal is read less often, to bound the load of following it.
      const pause = Math.min(
        Math.max(MIN_PAUSE_MS, (readAt - began) * PAUSE_FACTOR),
        source.maxPause ?? Infinity,
      );
      if (found === null) return;
      quietReads = isDirty || found.entries.length > 0 ? 0 : quietReads + 1;
      const interval = Math.min(MIN_PAUSE_MS * 2 ** quietReads, MAX_READ_INTERVAL_MS);
      for (const entry of found.entries) {
        if (reader.isClosed()) return;
        const writing = reader.entry(entry, index);
        if (writing !== undefined) await writing;
        if (index++ % BATCH_SIZE === BATCH_SIZE - 1) await reader.ready();
      }
      if (!found.isWhole) continue;
      if (isSettled(found.row.status)) {
        if (!reader.isClosed()) reader.end(found.row.status as SettledStatus);
        return;
      }
      reader.whole?.();
      await new Promise<void>((resolve) => {
        const cancel = source.clock.after(isDirty ? pause : Math.max(pause, interval), resolve);
        wake = () => {
          wake = () => {};
          cancel();
          // The first event after a quiet time is read at once, a burst of events in one read.
          const rest = pause - (performance.now() - readAt);
          source.clock.after(reader.isClosed() ? 0 : Math.max(0, rest), resolve);
        };
        if (reader.isClosed()) wake();
      });
    }
  } finally {
    unsubscribe();
  }
}
