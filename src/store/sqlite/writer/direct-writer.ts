import { begin, type Arguments, type TransactionName, type Result } from '../../transactions/registry.ts';
import { openForWriting } from '../connection.ts';
import { toFailure, type Failure } from '../failure.ts';
import type { MainThreadWriteBudget } from './main-thread-write-budget.ts';

/** The outcome of a direct write: its value, a failure, or null when the thread must write it. */
export type DirectOutcome<T> = { value: T } | { failure: Failure } | null;

export type DirectWriter = {
  run<K extends TransactionName>(name: K, args: Arguments<K>): DirectOutcome<Result<K>>;
  close(): void;
};

/**
 * Writes on the calling thread. On a fast disk, a single small transaction takes less time than a round trip
 * to another thread. Used only while the writer thread is idle; it never waits for a lock, and leaves all
 * writes to the thread while the disk is slow.
 */
export function createDirectWriter(file: string, patience: MainThreadWriteBudget): DirectWriter {
  const { db, exec, run } = openForWriting(file);
  db.pragma('busy_timeout = 0');

  const transaction = <K extends TransactionName>(name: K, args: Arguments<K>): DirectOutcome<Result<K>> => {
    try {
      exec('BEGIN IMMEDIATE');
    } catch {
      // Locked, or a worse error: the thread waits, retries and reports it.
      return null;
    }
    try {
      const value = run(begin(name, args)) as Result<K>;
      exec('COMMIT');
      return { value };
    } catch (error) {
      const failure = toFailure(error);
      if (db.inTransaction) exec('ROLLBACK');
      return { failure };
    }
  };

  return {
    run: (name, args) => patience.spend(() => transaction(name, args)),
    close: () => void db.close(),
  };
}
