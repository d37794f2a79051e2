import { isSettled, type ExecutionStatus, type LogEntry } from '../../contract/execution.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { ExecutionRow } from '../../ports/store/execution-row.ts';

/** Entries handed over between two looks at whether the reader keeps up. */
const PIECE = 100;
/** ms after which the journal is read again even without a wake-up: another process may be running the execution. */
const QUIET = 2_000;
/** ms between two reads of the journal for one reader, at least; and how many times longer than a read itself took. */
const PAUSE = 50;
const REST = 20;

export type LogReader = {
  /** Called in order, once for each entry; `index` counts from 0 over the whole log. Resolves when there is room for more. */
  entry(entry: LogEntry, index: number): void;
  /** Resolves when the reader can take more. */
  ready(): Promise<void>;
  /** The execution ended, and every entry of it was given. */
  end(status: ExecutionStatus): void;
  isClosed(): boolean;
  /** Calls back once when the reader leaves. */
  onClose(run: () => void): void;
};

/**
 * Gives the log from `skip` entries on, then what is added, until the execution ends. The entries are always read from
 * the journal, each once, events only wake it up: so nothing is lost or doubled, whatever happens to an event.
 */
export async function followLog(
  row: ExecutionRow,
  skip: number,
  reader: LogReader,
  source: {
    events: Pick<Events, 'subscribe'>;
    clock: Clock;
    /** The row of now, and the next piece of the log as it was then; null when it was deleted. */
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
      // A long journal is read more rarely: following it must not become the service's main work.
      const pause = Math.max(PAUSE, (performance.now() - began) * REST);
      if (found === null) return;
      for (const entry of found.entries) {
        if (reader.isClosed()) return;
        if (index >= skip) reader.entry(entry, index);
        if (index++ % PIECE === PIECE - 1) await reader.ready();
      }
      if (!found.isWhole) continue;
      if (isSettled(found.row.status)) {
        if (!reader.isClosed()) reader.end(found.row.status);
        return;
      }
      await new Promise<void>((resolve) => {
        const cancel = source.clock.after(isDirty ? pause : Math.max(pause, QUIET), resolve);
        wake = () => {
          wake = () => {};
          cancel();
          // A burst of events is one read.
          source.clock.after(reader.isClosed() ? 0 : pause, resolve);
        };
        if (reader.isClosed()) wake();
      });
    }
  } finally {
    unsubscribe();
  }
}
