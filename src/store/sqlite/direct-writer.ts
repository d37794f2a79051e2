import { begin, type Arguments, type ProcedureName, type Result } from '../procedures/registry.ts';
import { openForWriting } from './connection.ts';
import { failureOf, type Failure } from './failure.ts';

/** A direct write that took longer (ms) counts as slow. */
const SLOW = 2;
/**
 * What slow ones took (ms) adds up, and is forgotten twenty times as slowly as time goes by; while it is more than so much, the
 * thread does all writing. So the event loop waits for a slow disk for at most a twentieth of the time, and a single slow write,
 * which every disk has now and then, sends nobody to the thread.
 */
const PATIENCE = 50;
const FORGOTTEN = 1 / 20;
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
  /** ms that the loop has waited for slow writes, as of `at`. */
  let waited = 0;
  let at = now();

  const hasPatience = (started: number): boolean => {
    waited = Math.max(0, waited - (started - at) * FORGOTTEN);
    at = started;
    return waited <= PATIENCE;
  };
  const measure = (started: number): void => {
    const took = now() - started;
    if (took > SLOW) waited += took;
  };

  return {
    run<K extends ProcedureName>(name: K, args: Arguments<K>): DirectOutcome<Result<K>> {
      const started = now();
      if (!hasPatience(started)) return null;
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
