import { isSettled, type ExecutionStatus, type LogEntry } from '../../contract/execution.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';

/** Number of entries written between two checks of backpressure. */
const BATCH_SIZE = 100;
/** Interval at which the journal is read without an event, ms: another process may run the execution. */
const MAX_READ_INTERVAL_MS = 2_000;
/**
 * Minimum pause between two reads for one reader, ms, and the ratio of the pause to the duration of the read.
 */
const MIN_PAUSE_MS = 50;
const PAUSE_FACTOR = 20;

export type LogReader = {
  /** Called once for each entry, in order; `index` counts from 0 over the whole log. */
  entry(entry: LogEntry, index: number): void;
  /** Resolves when the reader can accept more. */
  ready(): Promise<void>;
  /** The execution ended and all of its entries were passed on. */
  end(status: ExecutionStatus): void;
  isClosed(): boolean;
  /** Registers a callback that runs once when the reader disconnects. */
  onClose(run: () => void): void;
};

/**
 * Sends the log after the first `skip` entries, then new entries until the execution ends. Entries are always
 * read from the journal, each once; events only trigger a read, so a lost or repeated event neither loses nor
 * duplicates an entry.
 */
export async function followLog(
  row: ExecutionRow,
  skip: number,
  reader: LogReader,
  source: {
    events: Pick<Events, 'subscribe'>;
    clock: Clock;
    /**
     * Returns the current row and the next entries of the log at that time; null when the execution was
     * deleted.
     */
    read(): Promise<{ row: ExecutionRow; entries: readonly LogEntry[]; isWhole: boolean } | null>;
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
    while (!reader.isClosed()) {
      isDirty = false;
      const began = performance.now();
      const found = await source.read();
      // A long journal is read less often, to bound the load of following it.
      const pause = Math.max(MIN_PAUSE_MS, (performance.now() - began) * PAUSE_FACTOR);
      if (found === null) return;
      for (const entry of found.entries) {
        if (reader.isClosed()) return;
        if (index >= skip) reader.entry(entry, index);
        if (index++ % BATCH_SIZE === BATCH_SIZE - 1) await reader.ready();
      }
      if (!found.isWhole) continue;
      if (isSettled(found.row.status)) {
        if (!reader.isClosed()) reader.end(found.row.status);
        return;
      }
      await new Promise<void>((resolve) => {
        const cancel = source.clock.after(isDirty ? pause : Math.max(pause, MAX_READ_INTERVAL_MS), resolve);
        wake = () => {
          wake = () => {};
          cancel();
          // Coalesces a burst of events into one read.
          source.clock.after(reader.isClosed() ? 0 : pause, resolve);
        };
        if (reader.isClosed()) wake();
      });
    }
  } finally {
    unsubscribe();
  }
}
