import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';

/** Held by the process that owns a data folder. */
export type FolderLock = { release: () => void };

type LockHolder = { pid: number; since: number };

/**
 * Locks the data folder for this process, or throws an error that names the process that holds it. The lock
 * is a lock of the operating system on `weft.lock` (an empty SQLite database, for its portable locks), which
 * ends with the process in every case. `weft.pid` names the holder; it is meaningless without the lock.
 *
 * No other code in this process may open and close `weft.lock` or the database's files: with POSIX locks,
 * closing any descriptor of a file releases the locks of the process on it.
 */
export function lockFolder(dataDir: string, now: number): FolderLock {
  const db = new Database(path.join(dataDir, 'weft.lock'), { timeout: 0 });
  try {
    db.pragma('journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')))
      throw error;
    throw new Error(
      `The data folder ${dataDir} is in use by ${describe(readHolder(dataDir))}. Stop it first.`,
      { cause: error },
    );
  }
  const release = (): void => {
    db.exec('ROLLBACK');
    db.close();
  };
  try {
    writeHolder(dataDir, { pid: process.pid, since: now });
  } catch (error) {
    release();
    throw error;
  }
  return { release };
}

function describe(holder: LockHolder | null): string {
  if (holder === null) return 'another process';
  return `process ${holder.pid} (since ${new Date(holder.since).toISOString()})`;
}

function readHolder(dataDir: string): LockHolder | null {
  try {
    const value: unknown = JSON.parse(readFileSync(path.join(dataDir, 'weft.pid'), 'utf8'));
    const { pid, since } = value as LockHolder;
    return Number.isSafeInteger(pid) && Number.isSafeInteger(since) ? { pid, since } : null;
  } catch {
    return null;
  }
}

/** Replaced atomically, so that a reader never sees a partial file. */
function writeHolder(dataDir: string, holder: LockHolder): void {
  const file = path.join(dataDir, 'weft.pid');
  writeFileSync(`${file}.new`, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
