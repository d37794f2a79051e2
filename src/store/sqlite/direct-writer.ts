import { begin, type Arguments, type ProcedureName, type Result } from '../procedures/registry.ts';
import { openForWriting } from './connection.ts';
import { failureOf, type Failure } from './failure.ts';

/** A direct write that took longer (ms) counts as slow. */
const SLOW = 2;
/**
 * After a slow one the thread does all writing for so many times as long: the event loop waits for a slow disk for at most
 * a twentieth of the time.
 */
const PAUSE = 20;
/** Direct writes after which the writer thread looks after the log. */
export const TEND_EVERY = 32;

/** What came of a direct write: its value, a failure, or nothing, when the thread must do it. */
export type DirectOutcome<T> = { value: T } | { failure: Failure } | null;

export type DirectWriter = {
  run<K extends ProcedureName>(name: K, args: Arguments<K>): DirectOutcome<Result<K>>;
  close(): void;
};

/**
 * Writes on the calling thread. A lone small transaction on a quick disk takes less time than waking another thread and
 * being woken by it. Only for when the writer thread has nothing to do; it never waits for a lock, and leaves all to the
 * thread for a while after the disk was slow.
 */
export function createDirectWriter(file: string, now: () => number = () => performance.now()): DirectWriter {
  const { db, exec, run } = openForWriting(file);
  db.pragma('busy_timeout = 0');
  let pausedUntil = 0;

  const measure = (started: number): void => {
    const ended = now();
    if (ended - started > SLOW) pausedUntil = ended + (ended - started) * PAUSE;
  };

  return {
    run<K extends ProcedureName>(name: K, args: Arguments<K>): DirectOutcome<Result<K>> {
      const started = now();
      if (started < pausedUntil) return null;
      try {
        exec('BEGIN IMMEDIATE');
      } catch {
        // Locked, or worse: the thread waits, tries again and tells what it is.
        return null;
      }
      try {
        const value = run(begin(name, args)) as Result<K>;
        exec('COMMIT');
        measure(started);
        return { value };
      } catch (error) {
        const failure = failureOf(error);
        if (db.inTransaction) exec('ROLLBACK');
        return { failure };
      }
    },
    close: () => void db.close(),
  };
}
