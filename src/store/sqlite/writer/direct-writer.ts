import { begin, type Arguments, type ProcedureName, type Result } from '../../transactions/registry.ts';
import { openForWriting } from '../connection.ts';
import { toFailure, type Failure } from '../failure.ts';
import type { MainThreadWriteBudget } from './main-thread-write-budget.ts';

/** What came of a direct write: its value, a failure, or nothing, when the thread must do it. */
export type DirectOutcome<T> = { value: T } | { failure: Failure } | null;

export type DirectWriter = {
  run<K extends ProcedureName>(name: K, args: Arguments<K>): DirectOutcome<Result<K>>;
  close(): void;
};

/**
 * Writes on the calling thread. A lone small transaction on a quick disk takes less time than waking another thread and
 * being woken by it. Only for when the writer thread has nothing to do; it never waits for a lock, and leaves all to the
 * thread while the disk is slow.
 */
export function createDirectWriter(file: string, patience: MainThreadWriteBudget): DirectWriter {
  const { db, exec, run } = openForWriting(file);
  db.pragma('busy_timeout = 0');

  const transaction = <K extends ProcedureName>(name: K, args: Arguments<K>): DirectOutcome<Result<K>> => {
    try {
      exec('BEGIN IMMEDIATE');
    } catch {
      // Locked, or worse: the thread waits, tries again and tells what it is.
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
