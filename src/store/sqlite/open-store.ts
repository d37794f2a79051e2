import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import path from 'node:path';
import type { Store } from '../../ports/store.ts';
import type { Checkpoint } from '../../ports/store/checkpoint.ts';
import { makeDataFolder } from '../data-folder.ts';
import type { Driver } from '../driver.ts';
import { begin, type Arguments, type ProcedureName, type Result } from '../procedures/registry.ts';
import type { Procedure } from '../statement.ts';
import { storeOver } from '../store.ts';
import { AnswerMemory } from './answer-memory.ts';
import { openForReading } from './connection.ts';
import { createDirectWriter, TEND_EVERY } from './direct-writer.ts';
import { errorOf, failureOf } from './failure.ts';
import { lockFolder } from './lock.ts';
import { createSnapshot } from './snapshot.ts';
import { copyInThread, startThread, type Thread } from './thread.ts';

export const DATABASE_FILE = 'weft.db';

const CACHE_KIB = 16_000;

export type SqliteOptions = {
  /** Made with mode 0700 when it is not there. */
  dataDir: string;
  now: () => number;
  /** The disk failed or a thread died: no write works any more, the process should end and be started again. */
  onFatal?: (error: Error) => void;
};

/**
 * Opens the store of a data folder and takes the folder for this process. Throws an error fit for the terminal when
 * another process has it, when its schema is newer than this program, or when it cannot be read.
 */
export async function openSqliteStore({ dataDir, now, onFatal = () => {} }: SqliteOptions): Promise<Store> {
  makeDataFolder(dataDir);
  const file = path.join(dataDir, DATABASE_FILE);
  makePrivate(path.join(dataDir, 'weft.lock'));
  const lock = lockFolder(dataDir, now());
  try {
    makePrivate(file);
    const writer = await startThread({ role: 'writer', file, now: now() }, onFatal);
    // The lock says that no other process is at work: nobody has a lease on tokens any more.
    await writer.run('endTokenLeases');
    return storeOver(driverOf(file, writer, lock.release, onFatal));
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** SQLite gives its log the mode of the database file. Only ever opens files that are not there yet: see lock.ts. */
function makePrivate(file: string): void {
  if (existsSync(file)) chmodSync(file, 0o600);
  else closeSync(openSync(file, 'a', 0o600));
}

/** Checkpoints in a batch that may be written without the thread. */
const FEW = 2;

function driverOf(file: string, writer: Thread, unlock: () => void, onFatal: (error: Error) => void): Driver {
  const direct = createDirectWriter(file);
  let untended = 0;
  let broken: Error | null = null;
  const reading = openForReading(file, CACHE_KIB);
  const memory = new AnswerMemory();
  const stateNumber = reading.db.prepare<[], number>('PRAGMA data_version').pluck();
  const snapshot = createSnapshot(reading, () => memory.enter(stateNumber.get() ?? -1));
  let reader: Promise<Thread> | null = null;
  let closing: Promise<void> | null = null;

  const longReader = (): Promise<Thread> => {
    // Started when first needed; a reader that failed is replaced by the next call.
    reader ??= startThread({ role: 'reader', file, now: 0 }, () => {
      reader = null;
    }).catch((error: unknown) => {
      reader = null;
      throw error;
    });
    return reader;
  };

  /** The outcome of a write, and whoever learns of it reads what was written. */
  const known = <T>(outcome: Promise<T>): Promise<T> =>
    outcome.then((value) => {
      snapshot.end();
      return value;
    });

  /** A few checkpoints that find the thread idle are written here; all else goes to the thread. */
  const write = <K extends ProcedureName>(name: K, ...args: Arguments<K>): Promise<Result<K>> => {
    if (broken !== null) return Promise.reject(broken);
    const isSmall = name === 'commit' && (args[0] as readonly unknown[]).length <= FEW;
    const outcome = isSmall && closing === null && writer.isIdle() ? direct.run(name, args) : null;
    if (outcome === null) {
      if (name !== 'commit') return known(writer.run(name, ...args));
      return known(writer.commit(args[0] as readonly Checkpoint[]) as Promise<Result<K>>);
    }
    snapshot.end();
    if ('failure' in outcome) {
      const error = errorOf(outcome.failure);
      if (outcome.failure.fatal) onFatal((broken = error));
      return Promise.reject(error);
    }
    if (++untended >= TEND_EVERY) {
      // What goes wrong there, the writer reports itself.
      writer.tend(untended).catch(() => {});
      untended = 0;
    }
    return Promise.resolve(outcome.value);
  };

  const close = async (): Promise<void> => {
    // The writer last: the last connection takes the log over into the database.
    if (reader !== null) await (await reader).close();
    snapshot.end();
    reading.db.close();
    direct.close();
    await writer.close();
    unlock();
  };

  return {
    write,
    read: async <K extends ProcedureName>(name: K, ...args: Arguments<K>): Promise<Result<K>> => {
      if (closing !== null) throw new Error('The store is closed.');
      try {
        snapshot.open();
        return memory.answer(name, args, () => snapshot.run(begin(name, args) as Procedure<Result<K>>));
      } catch (error) {
        throw errorOf(failureOf(error));
      }
    },
    readLong: async (name, ...args) => {
      if (closing !== null) throw new Error('The store is closed.');
      return (await longReader()).run(name, ...args);
    },
    shrink: () => writer.shrink(),
    backup: (target) => copyInThread(file, target),
    close: () => (closing ??= close()),
  };
}
