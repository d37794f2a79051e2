import type { Transaction } from '../statement.ts';
import type { Connection } from './connection.ts';

/**
 * Reads in one turn of the event loop share a snapshot, because opening one costs more system calls than a
 * short read. It ends with the turn, and whenever the outcome of a write becomes known, so that callers can
 * read their own writes.
 */
export type Snapshot = {
  run<T>(transaction: Transaction<T>): T;
  /** Opens a snapshot unless one is open. */
  open(): void;
  /** The next read sees everything that is committed by now. */
  end(): void;
};

/**
 * `opened` is called for each new snapshot; `afterTurn` schedules a callback after this turn of the event
 * loop.
 */
export function createSnapshot(
  connection: Connection,
  opened: () => void = () => {},
  afterTurn: (run: () => void) => void = (run) => void setImmediate(run),
): Snapshot {
  let isOpen = false;
  let isArmed = false;

  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    connection.exec('COMMIT');
  }

  function open(): void {
    if (isOpen) return;
    connection.exec('BEGIN');
    isOpen = true;
    if (!isArmed) {
      isArmed = true;
      afterTurn(() => {
        isArmed = false;
        // The store may have been closed during the turn.
        if (connection.db.open) end();
      });
    }
    opened();
  }

  return {
    open,
    end,
    run(transaction) {
      try {
        open();
        return connection.run(transaction);
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}
