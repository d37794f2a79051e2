import type { Procedure } from '../statement.ts';
import type { Connection } from './connection.ts';

/**
 * Reads of one turn of the event loop share a snapshot: taking one costs more system calls than a short read does. It ends
 * with the turn, and with every write whose outcome becomes known, so that whoever was told of a write reads it.
 */
export type Snapshot = {
  run<T>(procedure: Procedure<T>): T;
  /** Takes the snapshot now, when none is open. */
  open(): void;
  /** The next read sees everything that is committed by now. */
  end(): void;
};

/**
 * `opened` hears of each new snapshot; `afterTurn` runs something when this turn of the event loop has done its work.
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
        // The store may have been closed within the turn.
        if (connection.db.open) end();
      });
    }
    opened();
  }

  return {
    open,
    end,
    run(procedure) {
      try {
        open();
        return connection.run(procedure);
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}
