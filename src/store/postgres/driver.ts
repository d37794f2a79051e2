import type { Driver } from '../driver.ts';
import { begin, type Arguments, type TransactionName, type Result } from '../transactions/registry.ts';
import type { Transaction } from '../statement.ts';
import { createRetries } from './retry.ts';
import { openConnection } from './connection.ts';
import { classifyError } from './failure.ts';
import { createPool, type Pool, type Slot } from './pool.ts';
import { read, write } from './transaction.ts';
import { createKeyedSerializer, listKeys } from './keyed-serializer.ts';

/**
 * In ms: how long writes and reads retry to reach the database, and wait for a connection, before they fail.
 */
const WRITE_TIMEOUT_MS = 10_000;
const READ_TIMEOUT_MS = 5_000;
/** Time limit of one statement of a long read, in ms. */
const LONG_READ_TIMEOUT_MS = 120_000;

/** Connections that write checkpoints: while one waits for the disk, the other prepares the next batch. */
const COMMIT_CONNECTIONS = 2;
/** Counter rows per key and process: one for each committing connection, and one for all other writes. */
export const SHARDS = COMMIT_CONNECTIONS + 1;
/** The minimum: two that commit, one that writes, two that read, one that holds the process lock. */
export const MIN_CONNECTIONS = COMMIT_CONNECTIONS + 4;

export type PostgresDriver = Driver & {
  /** Runs a function on a connection of the `write` or `read` pool, with retries. */
  withConnection<T>(use: 'write' | 'read', within: number, run: (slot: Slot) => Promise<T>): Promise<T>;
  load(): { size: number; open: number; used: number; waiting: number };
};

export type DriverOptions = {
  readonly url: string;
  /** All connections of this process, except the one that holds the process lock. */
  readonly connections: number;
  /** The id of the process. */
  readonly id: string;
  /** The slot number of the process, unique among the live processes. */
  readonly slot: number;
};

export function createDriver({ url, connections, id, slot }: DriverOptions): PostgresDriver {
  const pool = (kind: string, size: number, selectShard: (at: number) => number): Pool =>
    createPool(
      Array.from({ length: size }, (_, at) => `weft ${id} ${kind}${at}`),
      (name, at) => openConnection({ url, name, shard: slot * SHARDS + selectShard(at) }),
    );
  const others = connections - COMMIT_CONNECTIONS;
  const writing = Math.max(1, Math.floor(others / 3));
  const long = Math.max(1, Math.floor(others / 4));
  const commits = pool('c', COMMIT_CONNECTIONS, (at) => at);
  const writes = pool('w', writing, () => COMMIT_CONNECTIONS);
  const longReads = pool('l', long, () => COMMIT_CONNECTIONS);
  const reads = pool('r', Math.max(1, others - writing - long), () => COMMIT_CONNECTIONS);
  const pools = [commits, writes, longReads, reads];
  const attempts = createRetries();
  const turns = createKeyedSerializer();
  let closing: Promise<void> | null = null;
  const isClosed = (): boolean => closing !== null;

  async function withSlot<T>(from: Pool, within: number, run: (slot: Slot) => Promise<T>): Promise<T> {
    const slot = await from.acquire(within);
    try {
      return await run(slot);
    } finally {
      from.release(slot);
    }
  }

  const readFrom = async <K extends TransactionName>(
    from: Pool,
    name: K,
    args: Arguments<K>,
    within?: number,
  ): Promise<Result<K>> => {
    if (closing !== null) throw new Error('The store is closed.');
    const start = (): Transaction<Result<K>> => begin(name, args) as Transaction<Result<K>>;
    return await attempts.keepTrying(READ_TIMEOUT_MS, () =>
      withSlot(from, READ_TIMEOUT_MS, (slot) => read(slot, start, within)),
    );
  };

  return {
    write: <K extends TransactionName>(name: K, ...args: Arguments<K>): Promise<Result<K>> => {
      if (closing !== null) return Promise.reject(new Error('The store is closed.'));
      const start = (): Transaction<Result<K>> => begin(name, args) as Transaction<Result<K>>;
      const from = name === 'commit' ? commits : writes;
      return turns.run(listKeys(name, args), () =>
        attempts.keepTrying(WRITE_TIMEOUT_MS, () =>
          withSlot(from, WRITE_TIMEOUT_MS, (slot) => write(slot, start, isClosed)),
        ),
      );
    },
    read: (name, ...args) => readFrom(reads, name, args),
    readLong: (name, ...args) => readFrom(longReads, name, args, LONG_READ_TIMEOUT_MS),
    withConnection: (use, within, run) =>
      attempts.keepTrying(within, () =>
        withSlot(use === 'write' ? writes : reads, within, async (slot) => {
          try {
            return await run(slot);
          } catch (error) {
            if (classifyError(error) === 'lost') slot.drop();
            throw error;
          }
        }),
      ),
    load: () => {
      const all = pools.map((each) => each.load());
      const sum = (of: keyof ReturnType<Pool['load']>): number => all.reduce((n, each) => n + each[of], 0);
      return { size: sum('size'), open: sum('open'), used: sum('used'), waiting: sum('waiting') };
    },
    // PostgreSQL does this automatically.
    shrink: () => Promise.resolve(false),
    backup: () => Promise.reject(new Error('Back up PostgreSQL with its own tools, such as pg_dump.')),
    close: () => {
      const close = async (): Promise<void> => {
        attempts.stop();
        await Promise.all(pools.map((each) => each.close()));
      };
      return (closing ??= close());
    },
  };
}
