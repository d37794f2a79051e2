import { hostname } from 'node:os';
import { readDatabaseName } from '../../lib/text/parse-setting.ts';
import type { Store } from '../../ports/store.ts';
import type { ProcessRow } from '../../ports/store/processes.ts';
import { readMeta } from '../transactions/meta.ts';
import { registerProcess, forgetProcesses } from '../transactions/processes.ts';
import { createStore } from '../create-store.ts';
import { createRetries, sleep } from './retry.ts';
import { openConnection } from './connection.ts';
import { openBlobStore, type BlobStore } from './blob-store.ts';
import { createDriver, MIN_CONNECTIONS } from './driver.ts';
import { DatabaseError, toPublicError } from './failure.ts';
import { migrate } from './migrate.ts';
import { MOVE_KEY, acquireProcessLock } from './process-lock.ts';
import { createPool, type Slot } from './pool.ts';
import { checkServer } from './server-check.ts';
import { read, write } from './transaction.ts';

/** Interval of a process's heartbeats, and how long one is valid, in ms. */
const HEARTBEAT_INTERVAL_MS = 3_000;
const HEARTBEAT_VALIDITY_MS = 15_000;
/** In ms: how long a start waits for an unreachable server. */
const START_TIMEOUT_MS = 4_000;
/** In ms: how long a process waits for its deregistration when it stops. */
const LEAVE_TIMEOUT_MS = 1_000;

export type PostgresOptions = {
  readonly url: string;
  /** Connections of this process, at least `MIN_CONNECTIONS`. */
  readonly connections: number;
  /** Unique id of this process. */
  readonly id: string;
  readonly role: string;
  readonly version: string;
  /** Whether it shares queue and events with other processes; otherwise it must be the only process. */
  readonly shares: boolean;
  readonly now: () => number;
  /** Another process took the database while this one had lost it: this process must exit. */
  readonly onFatal?: (error: Error) => void;
  /** For tests: how long (ms) it waits for earlier processes to end. */
  readonly patience?: number;
  /** For tests: accepts a server that does not wait for its disk. */
  readonly mayLose?: boolean;
};

export type PostgresStore = {
  readonly store: Store;
  readonly files: BlobStore;
  /** Connections in use, and requests that wait for one. */
  load(): { size: number; open: number; used: number; waiting: number };
};

/**
 * Opens the store of a database, and migrates its schema to this program's version. Throws an error that the
 * CLI can print when the server is unreachable or unsuitable, the schema is newer than this program, or
 * incompatible processes are running.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<PostgresStore> {
  const { url, id, now, onFatal = () => {} } = options;
  const connections = Math.max(MIN_CONNECTIONS, options.connections);
  // One slot that is never released: the process lock belongs to its connection.
  const pool = createPool([`weft ${id} p`], (name) => openConnection({ url, name, shard: 0 }));
  const slot = await pool.acquire(0);
  const startedAt = now();
  const self = (): ProcessRow => ({
    id,
    role: options.role,
    version: options.version,
    host: hostname(),
    pid: process.pid,
    shares: options.shares,
    startedAt,
    aliveUntil: now() + HEARTBEAT_VALIDITY_MS,
  });
  const alone = <T>(start: Parameters<typeof write<T>>[1]): Promise<T> => write(slot, start, () => false);

  try {
    // The server may still be starting.
    const connection = await createRetries().keepTrying(START_TIMEOUT_MS, async () => {
      const { connection: opened } = await slot.connect();
      await checkServer(opened, options.mayLose === true);
      return opened;
    });
    await migrate(connection, now);
    await refuseHalfMoved(slot);
    const processLock = await acquireProcessLock(slot, self(), now, onFatal, options.patience);
    if (!options.shares) await deleteOtherProcesses(slot);
    const number = await alone(() => registerProcess(self(), now()));
    const driver = createDriver({ url, connections: connections - 1, id, slot: number });
    const store = createStore(driver);
    const files = openBlobStore((use, within, run) => driver.withConnection(use, within, run), now);
    // The next heartbeat makes up for one that fails.
    const beating = setInterval(
      () => void store.processes.register(self(), now()).catch(() => {}),
      HEARTBEAT_INTERVAL_MS,
    );
    beating.unref();

    let closing: Promise<void> | null = null;
    const close = async (): Promise<void> => {
      clearInterval(beating);
      // Without deregistration, its row expires in some seconds.
      await Promise.race([store.processes.leave(id).catch(() => {}), sleep(LEAVE_TIMEOUT_MS)]);
      await driver.close();
      await processLock.leave();
    };
    return { store: { ...store, close: () => (closing ??= close()) }, files, load: () => driver.load() };
  } catch (error) {
    slot.drop();
    throw startError(error, url);
  }
}

/**
 * The process lock proves that earlier lease holders have ended: their work need not wait until the lease
 * expires.
 */
async function deleteOtherProcesses(slot: Slot): Promise<void> {
  await write(slot, forgetProcesses, () => false);
  const { connection } = await slot.connect();
  await connection.runPipeline([{ text: 'DELETE FROM write_marks WHERE slot <> $1', values: [slot.name] }]);
}

async function refuseHalfMoved(slot: Slot): Promise<void> {
  if ((await read(slot, () => readMeta(MOVE_KEY))) === null) return;
  throw new Error(
    'A move of data into this database is not complete: wait until `weft migrate` has finished, or run it again.',
  );
}

/** Names the database, without its password. */
function startError(error: unknown, url: string): Error {
  const shown = toPublicError(error);
  if (!('code' in shown && shown.code === 'STORAGE_UNAVAILABLE')) return shown;
  const cause: unknown = shown.cause ?? error;
  const why = cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : '') : '';
  return new DatabaseError('UNREACHABLE', `${readDatabaseName(url)} cannot be reached: ${why}`, cause);
}
