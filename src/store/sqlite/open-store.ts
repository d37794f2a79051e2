import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Store } from '../../ports/store.ts';
import { makeDataFolder } from '../data-folder.ts';
import type { Driver } from '../driver.ts';
import { hasFilesFolder } from '../files.ts';
import { begin, type Arguments, type TransactionName, type Result } from '../transactions/registry.ts';
import type { Transaction } from '../statement.ts';
import { createStore } from '../create-store.ts';
import { ReadCache } from './read-cache.ts';
import { openForReading } from './connection.ts';
import { toError, toFailure, isDiskFull } from './failure.ts';
import { lockFolder, type FolderLock } from './lock.ts';
import { migrateRedoLog } from './redo-log-migration.ts';
import { createSnapshot } from './snapshot.ts';
import { copyInThread, startThread, type Thread } from './writer/thread.ts';
import { createWriteRouter } from './writer/write-router.ts';

export const DATABASE_FILE = 'weft.db';

const CACHE_KIB = 16_000;

export type SqliteOptions = {
  /** Created with mode 0700 if missing. */
  dataDir: string;
  now: () => number;
  /** The disk failed or a thread exited: writes no longer work; the process should exit and be restarted. */
  onFatal?: (error: Error) => void;
  /** Receives messages for the log. */
  info?: (message: string) => void;
};

/**
 * Opens the store of a data folder and locks the folder for this process. Throws an error that the CLI can
 * print when another process has locked it, when its schema is newer than this program, or when it cannot be
 * read.
 */
export async function openSqliteStore({
  dataDir,
  now,
  onFatal = () => {},
  info = () => {},
}: SqliteOptions): Promise<Store> {
  makeDataFolder(dataDir);
  const file = path.join(dataDir, DATABASE_FILE);
  const lock = takeFolder(dataDir, now());
  try {
    refuseLoss(dataDir, file);
    makePrivate(file);
    const moved = migrateRedoLog(file, now());
    if (moved !== null)
      info(
        `Moved ${moved} executions from the redo log of an earlier version to the database; removed the log.`,
      );
    const writer = await startThread({ role: 'writer', file, now: now() }, onFatal);
    return createStore(createDriver(file, writer, lock.release, onFatal));
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** @throws an error that the CLI can print. */
function takeFolder(dataDir: string, now: number): FolderLock {
  try {
    makePrivate(path.join(dataDir, 'weft.lock'));
    return lockFolder(dataDir, now);
  } catch (error) {
    const reason = isDiskFull(error) ? 'its disk is full' : describeUnusable(error);
    if (reason === null) throw error;
    throw new Error(`The data folder ${dataDir} cannot be used: ${reason}.`, { cause: error });
  }
}

function describeUnusable(error: unknown): string | null {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? null : `${message} (${code})`;
}

/**
 * The folder for files is created after the database is on disk, so a folder that contains it has been in use
 * and must not be started empty.
 */
function refuseLoss(dataDir: string, file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 && hasFilesFolder(dataDir))
    throw new Error(
      `The database file ${file} is missing or empty, but this folder has been in use. Put the file back, or restore a backup into an empty folder.`,
    );
}

/**
 * SQLite gives its log the mode of the database file. Only opens files that do not exist yet: see lock.ts.
 */
function makePrivate(file: string): void {
  if (existsSync(file)) chmodSync(file, 0o600);
  else closeSync(openSync(file, 'a', 0o600));
}

function createDriver(
  file: string,
  writer: Thread,
  unlock: () => void,
  onFatal: (error: Error) => void,
): Driver {
  const reading = openForReading(file, CACHE_KIB);
  const memory = new ReadCache();
  const stateNumber = reading.db.prepare<[], number>('PRAGMA data_version').pluck();
  const snapshot = createSnapshot(reading, () => memory.enter(stateNumber.get() ?? -1));
  const ways = createWriteRouter({
    file,
    writer,
    // A caller that is notified of a write must be able to read it.
    written: () => snapshot.end(),
    onFatal,
  });
  let reader: Promise<Thread> | null = null;
  let closing: Promise<void> | null = null;

  const longReader = (): Promise<Thread> => {
    // Started when first needed; the next call replaces a reader that failed.
    reader ??= startThread({ role: 'reader', file, now: 0 }, () => {
      reader = null;
    }).catch((error: unknown) => {
      reader = null;
      throw error;
    });
    return reader;
  };

  const mustBeOpen = (): void => {
    if (closing !== null) throw new Error('The store is closed.');
  };

  const close = async (): Promise<void> => {
    // The writer last: the last connection checkpoints the log.
    if (reader !== null) await (await reader).close();
    ways.close();
    snapshot.end();
    reading.db.close();
    await writer.close();
    unlock();
  };

  return {
    write: ways.write,
    read: async <K extends TransactionName>(name: K, ...args: Arguments<K>): Promise<Result<K>> => {
      mustBeOpen();
      try {
        snapshot.open();
        return memory.get(name, args, () => snapshot.run(begin(name, args) as Transaction<Result<K>>));
      } catch (error) {
        throw toError(toFailure(error));
      }
    },
    readLong: async (name, ...args) => {
      mustBeOpen();
      return (await longReader()).run(name, ...args);
    },
    shrink: () => writer.shrink(),
    backup: (target) => copyInThread(file, target),
    close: () => (closing ??= close()),
  };
}
